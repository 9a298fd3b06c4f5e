import { isJsonObject } from '../../src/core/json.ts';
import type { Json, JsonObject } from '../../src/core/json.ts';
import { ask, readRaw, isRight, parallelReplies, toolName, toolOf, validCalls } from './corpus.ts';
import type { Asked, Corpus, CorpusCall } from './corpus.ts';
import { ANSWERS, MARKUPS } from './markups.ts';
import { NO_READING, ONE_READING } from './slips.ts';

/** How often something came out how. */
export interface Row {
  readonly name: string;
  right: number;
  /** Ran, but not as it was meant. */
  wrong: number;
  /** Not run, and the model was told. */
  told: number;
  /** Taken for an answer. */
  answer: number;
  total: number;
  /** One of those that went wrong, to look at. */
  example?: string;
}

export interface Table {
  readonly title: string;
  readonly rows: readonly Row[];
}

function rowOf(name: string): Row {
  return { name, right: 0, wrong: 0, told: 0, answer: 0, total: 0 };
}

function count(row: Row, asked: Asked, isGood: boolean, written: string): void {
  row.total += 1;
  if (isGood) row.right += 1;
  else if (asked.ran.length > 0) {
    row.wrong += 1;
    row.example ??= `${written.slice(0, 300)} ran with ${JSON.stringify(asked.ran).slice(0, 300)}`;
  } else if (asked.isAnswer) row.answer += 1;
  else row.told += 1;
}

/** Valid calls as they are, cut at some places, and with each slip. */
export function argumentTable(corpus: Corpus): Table {
  const calls = validCalls(corpus.replies);
  const valid = rowOf('valid, as written');
  const cut = rowOf('cut: right is not run');
  const slips = ONE_READING.map((slip) => ({ slip, row: rowOf(slip.name) }));
  const doubtful = NO_READING.map((slip) => ({ slip, row: rowOf(`${slip.name}: right is not run`) }));
  for (const call of calls) {
    const text = JSON.stringify(call.input);
    const asked = readRaw(call, text);
    count(valid, asked, isRight(asked, [call]), text);
    for (const end of placesOf(text)) {
      const written = text.slice(0, end);
      const one = readRaw(call, written);
      count(cut, one, one.ran.length === 0, written);
    }
    for (const { slip, row } of slips) {
      const written = slip.write(call);
      if (written === undefined) continue;
      const one = readRaw(call, written);
      count(row, one, isRight(one, [call]), written);
    }
    for (const { slip, row } of doubtful) {
      const written = slip.write(call);
      if (written === undefined) continue;
      const one = readRaw(call, written);
      count(row, one, one.ran.length === 0, written);
    }
  }
  return { title: 'Arguments', rows: [valid, cut, ...slips.map(({ row }) => row), ...doubtful.map(({ row }) => row)] };
}

/** Nine places at which a text is cut, or fewer where it is short. */
function placesOf(text: string): number[] {
  if (text === '{}') return [1];
  return [
    ...new Set(Array.from({ length: 9 }, (_, index) => Math.max(1, Math.floor((text.length * (index + 1)) / 10)))),
  ];
}

/** What the model is told of calls that are wrong in one place: words that were masked, and words that were filled in. */
export async function wordsTable(corpus: Corpus): Promise<Table> {
  const masked = rowOf('masked words in what the model is told: right is none');
  const doubled = rowOf('a sentence twice: right is none');
  for (const call of validCalls(corpus.replies)) {
    for (const input of wrongInputs(call)) {
      const made = toolOf(call.declaration);
      const asked = await ask([made], { calls: [{ name: made.name, input }] });
      if (asked.told === '') continue;
      const isMasked = /\[path\]|\[redacted\]/.test(asked.told);
      tally(masked, !isMasked, asked.told);
      const sentences = asked.told.split(/(?<=\.) (?=")/);
      tally(doubled, new Set(sentences).size === sentences.length, asked.told);
    }
  }
  return { title: 'Words for the model', rows: [masked, doubled, filledRow(corpus), likelyRow(corpus)] };
}

function tally(row: Row, isGood: boolean, example: string): void {
  row.total += 1;
  if (isGood) row.right += 1;
  else {
    row.wrong += 1;
    row.example ??= example;
  }
}

/** Values that a filter could take for paths or secrets of ours. */
const DELICATE = [
  '/home/me/notes/a.txt',
  'C:\\Users\\me\\a.txt',
  'sk-proj-Zk3x9QpL2mN8vB4tR7wY1cD5',
  'password=hunter2secret',
];

/** The call with its texts replaced by delicate ones, and one required key of another type or missing. */
function* wrongInputs({ declaration, input }: CorpusCall): Generator<JsonObject> {
  const required = (declaration.parameters['required'] ?? []) as readonly string[];
  let index = 0;
  const delicate = Object.fromEntries(
    Object.entries(input).map(([key, value]): [string, Json] => {
      index += 1;
      return [key, typeof value === 'string' ? (DELICATE[index % DELICATE.length] ?? '') : value];
    }),
  );
  for (const key of required.slice(0, 2)) {
    const { [key]: _left, ...rest } = delicate;
    yield rest;
    yield { ...delicate, [key]: { wrong: true } };
  }
}

/** Words of one list of words, given where another list is declared: none may be filled in for them. */
function filledRow(corpus: Corpus): Row {
  const row = rowOf('words filled in for another list’s: right is none');
  const lists = enumLists(corpus);
  for (const [index, words] of lists.entries()) {
    const own = new Set(words.map(normal));
    const declaration = choosing(words);
    const others = [1, 2, 3, 4, 5].flatMap((step) => lists[(index + step) % lists.length] ?? []);
    for (const word of new Set(others)) {
      if (own.has(normal(word))) continue;
      const asked = readRaw({ name: 'choose', declaration, input: {} }, JSON.stringify({ choice: word }));
      tally(row, asked.ran.length === 0 && !/"choice": (?!<)/.test(asked.told), `${word}: ${asked.told}`);
    }
  }
  return row;
}

/** Other forms of a list's words: the word that is meant stands first in what the model is told. */
function likelyRow(corpus: Corpus): Row {
  const row = rowOf('the word that is meant stands first in the list');
  for (const words of enumLists(corpus)) {
    for (const word of words) {
      const forms = [`${word}s`, `the ${word}`, `${word} mode`, word.slice(0, 4), word.split(/[\s_-]/)[0] ?? ''];
      for (const form of new Set(forms)) {
        if (words.some((other) => normal(other) === normal(form)) || form.length < 3) continue;
        const { told } = readRaw(
          { name: 'choose', declaration: choosing(words), input: {} },
          JSON.stringify({ choice: form }),
        );
        tally(row, told.includes(`must be one of ${JSON.stringify(word)}`), `${form}: ${told}`);
      }
    }
  }
  return row;
}

function enumLists(corpus: Corpus): readonly string[][] {
  const lists = corpus.declarations.flatMap(({ parameters }) => enumsIn(parameters));
  return [...new Map(lists.map((words) => [words.join('\n'), words])).values()];
}

function choosing(words: readonly string[]): CorpusCall['declaration'] {
  const choice = { type: 'string', enum: [...words] };
  return {
    name: 'choose',
    description: 'Chooses.',
    parameters: { type: 'object', properties: { choice }, required: ['choice'] },
  };
}

const normal = (word: string): string => word.toLowerCase().replace(/[\s_-]+/g, '');

function enumsIn(node: Json): string[][] {
  if (Array.isArray(node)) return (node as readonly Json[]).flatMap(enumsIn);
  if (!isJsonObject(node)) return [];
  const words = node['enum'];
  const own =
    Array.isArray(words) && words.length > 1 && words.every((word) => typeof word === 'string') ? [words] : [];
  return [...own, ...Object.values(node).flatMap(enumsIn)];
}

/** Each markup with one call, with several, and with pieces of files as values; `pieces` are those. */
export async function markupTable(corpus: Corpus, pieces: readonly string[]): Promise<Table> {
  const calls = validCalls(corpus.replies);
  const replies = parallelReplies(corpus.replies);
  const files = pieces.map((content, index): CorpusCall => ({
    name: 'write_file',
    declaration: WRITE_FILE,
    input: { path: `src/file_${index}.txt`, content },
  }));
  const rows: Row[] = [];
  for (const markup of MARKUPS) {
    const single = rowOf(`${markup.name}: one call`);
    const several = rowOf(`${markup.name}: several calls`);
    const file = rowOf(`${markup.name}: a piece of a file`);
    rows.push(single, ...(markup.isSingle === true ? [] : [several]), file);
    for (const call of calls) await countText(single, markup.write([call]), [call]);
    if (markup.isSingle !== true) for (const reply of replies) await countText(several, markup.write(reply), reply);
    for (const call of files) await countText(file, markup.write([call]), [call]);
  }
  return { title: 'Calls that are written as text', rows };
}

const WRITE_FILE = {
  name: 'write_file',
  description: 'Writes a file.',
  parameters: {
    type: 'object',
    properties: { path: { type: 'string' }, content: { type: 'string' } },
    required: ['path', 'content'],
  },
};

async function countText(row: Row, text: string, calls: readonly CorpusCall[]): Promise<void> {
  const tools = new Map(calls.map(({ declaration }) => [toolName(declaration.name), toolOf(declaration)]));
  const asked = await ask([...tools.values()], text);
  count(row, asked, isRight(asked, calls), text);
}

/** Texts that are no calls: nothing may run. `told` are those that cost a turn. */
export async function answerTable(corpus: Corpus): Promise<Table> {
  const calls = validCalls(corpus.replies);
  const questions = rowOf('questions, as answers');
  const descriptions = rowOf('descriptions of tools, as answers');
  const about = ANSWERS.map((sentence) => rowOf(sentence));
  const judge = async (row: Row, call: CorpusCall, text: string): Promise<void> => {
    const asked = await ask([toolOf(call.declaration)], text);
    count(row, asked, asked.isAnswer, text);
  };
  const [first] = calls;
  if (first === undefined) return { title: 'Texts that are no calls', rows: [] };
  for (const question of corpus.questions) if (question.trim() !== '') await judge(questions, first, question);
  for (const { description } of corpus.declarations)
    if (description.trim() !== '') await judge(descriptions, first, description);
  for (const [index, call] of calls.entries()) {
    const at = index % ANSWERS.length;
    const sentence = ANSWERS[at] ?? '';
    const written = JSON.stringify({ name: toolName(call.name), arguments: call.input });
    const row = about[at];
    if (row !== undefined)
      await judge(
        row,
        call,
        sentence.replaceAll('{tool}', toolName(call.name)).replaceAll('{call}', () => written),
      );
  }
  return { title: 'Texts that are no calls', rows: [questions, descriptions, ...about] };
}

/** A table as text. */
export function show({ title, rows }: Table): string {
  const lines = rows.map(({ name, right, wrong, told, answer, total }) =>
    [name.padEnd(64), ...[right, wrong, told, answer, total].map((figure) => String(figure).padStart(8))].join(''),
  );
  const head = [title.padEnd(64), ...['right', 'wrong', 'told', 'answer', 'of'].map((word) => word.padStart(8))].join(
    '',
  );
  return [
    head,
    ...lines,
    ...rows.flatMap(({ name, example }) => (example === undefined ? [] : [`  ${name}: ${example}`])),
  ].join('\n');
}
