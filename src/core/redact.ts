import { firstLook } from './first-look.ts';
import type { FirstLook } from './first-look.ts';
import type { Json, JsonObject } from './json.ts';
import { exactForms } from './secret-forms.ts';
import { isSecretKey, isSecretVariable } from './secret-names.ts';
import { MASK, SECRET_PATTERNS } from './secret-patterns.ts';

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
  const look = firstLook([...ANCHOR_STARTS, ...forms]);
  const redact = (text: string): string => {
    if (text.length < MIN_SECRET_CHARS) return text;
    const places = look(text);
    if (places.length === 0) return text;
    const masked = exact === undefined ? text : replaceAt(text, places, (place) => matchAt(exact, text, place));
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

/** Sticky: it is tried where {@link firstLook} says so. */
function anyOf(forms: readonly string[]): RegExp {
  return new RegExp(forms.map((form) => form.replace(/[$()*+./?[\\\]^{|}-]/g, String.raw`\$&`)).join('|'), 'y');
}

function matchAt(sticky: RegExp, text: string, place: number): Replacement | undefined {
  sticky.lastIndex = place;
  return sticky.test(text) ? { replacement: MASK, end: sticky.lastIndex } : undefined;
}

/** What takes the place of a piece of text, and where the piece ends. */
interface Replacement {
  readonly replacement: string;
  readonly end: number;
}

/** The text with what `find` finds at the given places replaced, from left to right. Without a find it is the same text. */
function replaceAt(text: string, places: readonly number[], find: (place: number) => Replacement | undefined): string {
  let result = '';
  let done = 0;
  for (const place of places) {
    // Inside what has just been replaced.
    if (place < done) continue;
    const found = find(place);
    if (found === undefined) continue;
    result += text.slice(done, place) + found.replacement;
    done = found.end;
  }
  return done === 0 ? text : result + text.slice(done);
}

/** How the anchors of all patterns begin. */
const ANCHOR_STARTS: readonly string[] = SECRET_PATTERNS.flatMap((pattern) => pattern.starts);

/** Tells which anchor stands at a place. */
const ANCHORS = new RegExp(SECRET_PATTERNS.map((pattern) => `(${pattern.anchor})`).join('|'), 'y');

/** What was masked can bring a form about that was hidden before; chosen: nothing real needs a third look. */
const MAX_ROUNDS = 4;

function maskPatterns(text: string, places: readonly number[], look: FirstLook): string {
  let masked = replaceAt(text, places, (place) => maskAt(text, place));
  for (let round = 1, before = text; round < MAX_ROUNDS && masked !== before; round += 1) {
    before = masked;
    masked = replaceAt(before, look(before), (place) => maskAt(before, place));
  }
  return masked;
}

function maskAt(text: string, place: number): Replacement | undefined {
  ANCHORS.lastIndex = place;
  const hit = ANCHORS.exec(text);
  if (hit === null) return undefined;
  // Groups are in the order of the patterns: the first that took part names the pattern.
  const pattern = SECRET_PATTERNS[hit.findIndex((group, index) => index > 0 && group !== undefined) - 1];
  if (pattern === undefined || (pattern.needsBoundary && isWordBefore(text, place))) return undefined;
  pattern.at.lastIndex = place;
  const match = pattern.at.exec(text);
  const replacement = match === null ? undefined : pattern.replace(match);
  return match === null || replacement === undefined ? undefined : { replacement, end: place + match[0].length };
}

function isWordBefore(text: string, index: number): boolean {
  return index > 0 && /[A-Za-z0-9]/.test(text.charAt(index - 1));
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

export { stripPaths } from './strip-paths.ts';
