import { firstLook } from './first-look.ts';
import type { FirstLook } from './first-look.ts';
import type { Json, JsonObject } from './json.ts';
import { exactForms } from './secret-forms.ts';
import { isSecretKey, isSecretVariable } from './secret-names.ts';
import { MASK, SECRET_PATTERNS } from './secret-patterns.ts';
import type { SecretPattern } from './secret-patterns.ts';

/** Takes secrets out of what a model, a log or an event gets to see. */
export interface Redactor {
  /** The text with every secret replaced by `[redacted]`. Linear in the text; a text without secrets is returned as it is. */
  redact(text: string): string;
  /** The value with every text redacted, and what stands under a secret's name (`password`, `apiKey`) replaced. Unchanged parts are the same objects. */
  redactValue<T extends Json>(value: T): T;
}

/** Chosen: shorter values are words, and replacing words everywhere would make texts unreadable. */
const MIN_SECRET_CHARS = 6;

/** Chosen: an environment has many variables; a short value is a switch or a number. */
const MIN_VARIABLE_CHARS = 8;

/** Chosen: deeper values are not looked into and are masked whole. */
const MAX_DEPTH = 200;

/**
 * Makes a redactor of three layers: the exact `secrets` (six characters or more; also in Base64, percent-encoded and
 * as in JSON), patterns of the known forms of secrets, and the names of keys.
 */
export function createRedactor(secrets: Iterable<string>): Redactor {
  const forms = formsOf(secrets);
  const exact = forms.length === 0 ? undefined : anyOf(forms);
  // One search for everything: most texts hold nothing that even looks like a secret.
  const look = firstLook([...PATTERNS_AT.keys(), ...forms]);
  const redact = (text: string): string => {
    if (text.length < MIN_SECRET_CHARS) return text;
    const places = look(text);
    if (places.length === 0) return text;
    const masked = exact === undefined ? text : maskAt(text, places, (place) => secretAt(exact, text, place));
    return maskPatterns(masked, masked === text ? places : look(masked), look);
  };
  return {
    redact,
    redactValue: <T extends Json>(value: T): T => redactAt(value, redact, 0) as T,
  };
}

/** All forms of all exact values, the longest first, so that no rest of a longer one is left over. */
function formsOf(secrets: Iterable<string>): string[] {
  const forms = new Set<string>();
  for (const secret of secrets) {
    // A piece of the mask itself would be found again in every masked text.
    if (secret.length < MIN_SECRET_CHARS || MASK.includes(secret)) continue;
    for (const form of exactForms(secret)) if (form.length >= MIN_SECRET_CHARS && !MASK.includes(form)) forms.add(form);
  }
  return [...forms].sort((a, b) => b.length - a.length);
}

/** The given texts as a pattern. */
function anyOf(forms: readonly string[]): Pick<SecretPattern, 'at' | 'isSecret'> {
  const escaped = forms.map((form) => form.replace(/[$()*+./?[\\\]^{|}-]/g, String.raw`\$&`));
  return { at: new RegExp(escaped.join('|'), 'y'), isSecret: () => true };
}

/** Where a secret stands in a text. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** The text with the secrets that `find` finds at the given places masked, from left to right. Without a find it is the same text. */
function maskAt(text: string, places: readonly number[], find: (place: number) => Span | undefined): string {
  let result = '';
  let done = 0;
  for (const place of places) {
    // Inside what has just been masked.
    if (place < done) continue;
    const secret = find(place);
    if (secret === undefined) continue;
    result += text.slice(done, secret.start) + MASK;
    done = secret.end;
  }
  return done === 0 ? text : result + text.slice(done);
}

/** The secret of one form that stands at a place, or behind the name that does. */
function secretAt(
  { at, isSecret }: Pick<SecretPattern, 'at' | 'isSecret'>,
  text: string,
  place: number,
): Span | undefined {
  at.lastIndex = place;
  const match = at.exec(text);
  const secret = match?.findLast((group) => group !== undefined);
  if (match === null || secret === undefined || !isSecret(secret, match)) return undefined;
  const end = place + match[0].length;
  return { start: end - secret.length, end };
}

/** The patterns to try where a text has these three characters. */
const PATTERNS_AT = new Map<string, SecretPattern[]>();
for (const pattern of SECRET_PATTERNS)
  for (const start of pattern.starts) PATTERNS_AT.set(start, [...(PATTERNS_AT.get(start) ?? []), pattern]);

/** What was masked can bring a form about that was hidden before; chosen: nothing real needs a third look. */
const MAX_ROUNDS = 4;

function maskPatterns(text: string, places: readonly number[], look: FirstLook): string {
  let masked = text;
  for (let round = 1, found = places; round <= MAX_ROUNDS; round += 1, found = look(masked)) {
    const before = masked;
    masked = maskAt(before, found, (place) => patternAt(before, place));
    if (masked === before) break;
  }
  return masked;
}

function patternAt(text: string, place: number): Span | undefined {
  for (const pattern of PATTERNS_AT.get(text.slice(place, place + 3).toLowerCase()) ?? []) {
    const secret = secretAt(pattern, text, place);
    if (secret !== undefined) return secret;
  }
  return undefined;
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
  for (const key of Object.keys(value)) {
    const member = value[key] ?? null;
    const isSecret = (typeof member === 'string' || typeof member === 'number') && member !== '' && isSecretKey(key);
    const next = isSecret ? MASK : redactAt(member, redact, depth + 1);
    if (next !== member) isChanged = true;
    safe[key] = next;
  }
  return isChanged ? safe : value;
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

/** Values that are settings although their name sounds like a secret's: switches, and words. */
function isHarmless(value: string): boolean {
  return /^(?:true|false|enabled|disabled|required|optional|default|undefined)$/i.test(value);
}
