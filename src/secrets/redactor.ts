import type { Json, JsonObject } from '../core/json.ts';
import { exactFinder } from './exact.ts';
import { firstLook } from './first-look.ts';
import { aboutName, isSecretVariable } from './names.ts';
import { NAME_STARTS, namedValues } from './named-values.ts';
import { RunEnds } from './run-ends.ts';
import type { Span } from './span.ts';
import { maskSpans } from './span.ts';
import { STRONG_STARTS, strongFormAt } from './strong-forms.ts';
import { isReference, looksSecret, MASK } from './value-look.ts';

/**
 * How much is masked. `data`: exact secrets, strong forms, what is one by its place, and what looks like one behind a
 * name; a model works with the rest. `words`: behind a name whatever could be one, for texts that nobody needs whole.
 */
export type RedactionMode = 'data' | 'words';

/** Takes secrets out of what a model, a log or an event gets to see. */
export interface Redactor {
  /**
   * The text with every secret replaced by `[redacted]`. Linear in the text; a text without secrets is returned as it is.
   * @defaultValue mode 'data'
   */
  redact(text: string, mode?: RedactionMode): string;
  /** The value with every text redacted, and what is a secret by its key replaced. Unchanged parts are the same objects. */
  redactValue<T extends Json>(value: T): T;
}

/** Chosen: shorter values are words, and replacing words everywhere would make texts unreadable. */
const MIN_SECRET_CHARS = 6;

/** Chosen: an environment has many variables; a short value is a switch or a number. */
const MIN_VARIABLE_CHARS = 8;

/** Chosen: deeper values are not looked into and are masked whole. */
const MAX_DEPTH = 200;

/**
 * Makes a redactor. It masks, over the whole text and in this order: the exact `secrets` (six characters or more, in
 * every form) together with strong forms (private keys, JSON Web Tokens, vendors' keys, addresses with credentials),
 * then values behind names and places. So no weak pattern can hide a piece of a strong form.
 */
export function createRedactor(secrets: Iterable<string>): Redactor {
  // A piece of the mask itself would be found again in every masked text.
  const exact = exactFinder(
    [...secrets].filter((secret) => secret.length >= MIN_SECRET_CHARS && !MASK.includes(secret)),
  );
  // One search for everything: most texts hold nothing that even looks like a secret.
  const look = firstLook([...STRONG_STARTS, ...NAME_STARTS, ...exact.starts]);
  const redact = (text: string, mode: RedactionMode = 'data'): string => {
    const places = text.length < MIN_SECRET_CHARS ? [] : look(text);
    if (places.length === 0) return text;
    const ends = new RunEnds(text);
    const masked = maskSpans(text, strongSpans(text, places, ends, exact.find), MASK);
    const isSame = masked === text;
    const left = namedValues(
      masked,
      isSame ? places : look(masked),
      isSame ? ends : new RunEnds(masked),
      mode === 'words',
    );
    return maskSpans(masked, left, MASK);
  };
  return {
    redact,
    redactValue: <T extends Json>(value: T): T => redactAt(value, redact, 0) as T,
  };
}

type Find = (text: string, place: number) => Span | undefined;

/** The exact secrets and the strong forms of a text, wherever they lie over each other. */
function strongSpans(text: string, places: readonly number[], ends: RunEnds, exact: Find): Span[] {
  const spans: Span[] = [];
  let exactDone = 0;
  let formDone = 0;
  for (const place of places) {
    const found = place < exactDone ? undefined : exact(text, place);
    if (found !== undefined) {
      spans.push(found);
      exactDone = found.end;
    }
    const span = place < formDone ? undefined : strongFormAt(text, place, ends);
    if (span !== undefined) {
      spans.push(span);
      formDone = span.end;
    }
  }
  return spans;
}

function redactAt(value: Json, redact: (text: string) => string, depth: number): Json {
  if (typeof value === 'string') return redact(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return MASK;
  if (Array.isArray(value)) {
    const list = value as readonly Json[];
    const safe = list.map((item) => redactAt(item, redact, depth + 1));
    return safe.some((item, index) => item !== list[index]) ? safe : list;
  }
  return redactObject(value as JsonObject, redact, depth);
}

function redactObject(value: JsonObject, redact: (text: string) => string, depth: number): JsonObject {
  const safe: Record<string, Json> = {};
  let isChanged = false;
  // { name: 'Authorization', value: '...' }: the name is a value itself.
  const label = value['name'] ?? value['key'];
  for (const key of Object.keys(value)) {
    const member = value[key] ?? null;
    const name = key === 'value' && typeof label === 'string' ? label : key;
    const next = isSecretMember(name, member) ? MASK : redactAt(member, redact, depth + 1);
    const safeKey = redact(key);
    if (next !== member || safeKey !== key) isChanged = true;
    safe[safeKey] = next;
  }
  return isChanged ? safe : value;
}

function isSecretMember(name: string, member: Json): boolean {
  if (typeof member !== 'string' && typeof member !== 'number') return false;
  const text = String(member);
  const { kind, isAuthorization } = aboutName(name);
  if (isAuthorization) return text !== '' && !isReference(text, true) && !/^(?:\w+ )?\$?[{<(]/.test(text);
  return kind !== undefined && looksSecret(kind, text, true, false);
}

/** The values of environment variables with names of secrets, and the passwords in addresses, eight characters or longer. */
export function secretsOfEnvironment(environment: Readonly<Record<string, string | undefined>>): string[] {
  const secrets: string[] = [];
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined || value.length < MIN_VARIABLE_CHARS || value.length > 10_000) continue;
    const password = /^[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/?#:@]{0,200}:([^\s/?#]{1,400})@/i.exec(value)?.[1];
    if (password !== undefined && password.length >= MIN_VARIABLE_CHARS) secrets.push(password);
    if (isSecretVariable(name) && !isHarmless(value)) secrets.push(value);
  }
  return secrets;
}

/** Values that are settings although their name sounds like a secret's: switches, words of every text, paths, addresses, numbers. */
function isHarmless(value: string): boolean {
  return /^(?:true|false|enabled|disabled|required|optional|default|undefined|localhost|development|production|postgres|password|changeme|\d{1,10}|(?:\/[\w.-]+)+\/?|https?:\/\/[^@]*)$/i.test(
    value,
  );
}
