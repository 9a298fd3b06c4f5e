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
  const exact = exactSearch(secrets);
  const redact = (text: string): string => {
    if (text.length < MIN_SECRET_CHARS) return text;
    return maskPatterns(exact === undefined ? text : text.replace(exact, MASK));
  };
  return {
    redact,
    redactValue: <T extends Json>(value: T): T => redactAt(value, redact, 0) as T,
  };
}

/** One expression for all exact values, the longest first, so that no rest of a longer one is left over. */
function exactSearch(secrets: Iterable<string>): RegExp | undefined {
  const forms = new Set<string>();
  for (const secret of secrets) {
    // A piece of the mask itself would be found again in every masked text.
    if (secret.length < MIN_SECRET_CHARS || MASK.includes(secret)) continue;
    for (const form of exactForms(secret)) if (form.length >= MIN_SECRET_CHARS && !MASK.includes(form)) forms.add(form);
  }
  if (forms.size === 0) return undefined;
  const longestFirst = [...forms].sort((a, b) => b.length - a.length);
  return new RegExp(longestFirst.map((form) => form.replace(/[$()*+./?[\\\]^{|}-]/g, String.raw`\$&`)).join('|'), 'g');
}

/** Finds the anchors of all patterns at once. */
const ANCHORS = new RegExp(SECRET_PATTERNS.map((pattern) => `(${pattern.anchor})`).join('|'), 'g');

function maskPatterns(text: string): string {
  ANCHORS.lastIndex = 0;
  let result = '';
  let done = 0;
  for (let hit = ANCHORS.exec(text); hit !== null; hit = ANCHORS.exec(text)) {
    const found = maskAt(text, hit);
    if (found === undefined) {
      // The next anchor may begin inside this one.
      ANCHORS.lastIndex = hit.index + 1;
      continue;
    }
    result += text.slice(done, hit.index) + found.replacement;
    done = found.end;
    ANCHORS.lastIndex = found.end;
  }
  return done === 0 ? text : result + text.slice(done);
}

function maskAt(
  text: string,
  hit: RegExpExecArray,
): { readonly replacement: string; readonly end: number } | undefined {
  const isInWord = isWordBefore(text, hit.index);
  // Groups are in the order of the patterns: the first that took part names the pattern.
  const pattern = SECRET_PATTERNS[hit.findIndex((group, index) => index > 0 && group !== undefined) - 1];
  if (pattern === undefined || (pattern.needsBoundary && isInWord)) return undefined;
  pattern.at.lastIndex = hit.index;
  const match = pattern.at.exec(text);
  const replacement = match === null ? undefined : pattern.replace(match);
  return match === null || replacement === undefined ? undefined : { replacement, end: hit.index + match[0].length };
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
