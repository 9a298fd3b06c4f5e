import { createRedactor } from '../../../../src/secrets/redactor.ts';
import { filled, isLeaked, leakOf } from './material.ts';

/** What masking did to a corpus: for each class how many texts there are, and those that went wrong. */
export interface Row {
  readonly name: string;
  readonly count: number;
  readonly wrong: readonly string[];
}

type Corpus = Readonly<Record<string, readonly string[]>>;

const { redact } = createRedactor([]);

/** The texts of which a secret can still be read. */
export function measureLeaks(corpus: Corpus): Row[] {
  return measure(corpus, (marked, seed) => {
    const { text, secrets } = leakOf(marked, seed);
    const masked = redact(text);
    return secrets.some((secret) => isLeaked(secret, masked)) ? `${text} -> ${masked}` : undefined;
  });
}

/** The texts that masking changed. */
export function measureFalseAlarms(corpus: Corpus): Row[] {
  return measure(corpus, (template, seed) => {
    const text = filled(template, seed);
    const masked = redact(text);
    return masked === text ? undefined : `${text} -> ${masked}`;
  });
}

function measure(corpus: Corpus, wrongOf: (text: string, seed: number) => string | undefined): Row[] {
  return Object.entries(corpus).map(([name, texts], index) => ({
    name,
    count: texts.length,
    wrong: texts.flatMap((text, at) => wrongOf(text, index * 1000 + at + 1) ?? []),
  }));
}

/** Of how many texts how many went wrong, and their share. */
export function totalOf(rows: readonly Row[]): {
  readonly count: number;
  readonly wrong: number;
  readonly share: number;
} {
  const count = rows.reduce((sum, row) => sum + row.count, 0);
  const wrong = rows.reduce((sum, row) => sum + row.wrong.length, 0);
  return { count, wrong, share: wrong / count };
}
