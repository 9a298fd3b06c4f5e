import { ByStart, firstLook } from './first-look.ts';
import type { Span } from './span.ts';
import { maskSpans } from './span.ts';

/** Finds given values in a text, in every form in which programs write them. */
export interface ExactFinder {
  /** Three characters with which a form begins, in small letters. */
  readonly starts: readonly string[];
  /** The longest value that stands at a place. */
  readonly find: (text: string, place: number) => Span | undefined;
}

/** A value in one form: for each of its characters what may stand for it. */
type Form = readonly (readonly string[])[];

const ENTITIES: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' };

/**
 * Looks for values as they are, percent-encoded (once, twice, `+` for a space), with the escapes of JSON and of HTML,
 * in hex and in Base64 (alone and as a part of something longer), also where lines are broken inside of them.
 */
export function exactFinder(secrets: Iterable<string>): ExactFinder {
  const entries: (readonly [string, Form])[] = [];
  for (const secret of new Set(secrets))
    for (const form of formsOf(secret)) for (const start of startsOf(form)) entries.push([start, form]);
  const forms = new ByStart(entries);
  return {
    starts: entries.map(([start]) => start),
    find(text, place) {
      let end = -1;
      for (const form of forms.at(text, place)) end = Math.max(end, endOf(form, text, place));
      return end < 0 ? undefined : { start: place, end };
    },
  };
}

/** The text with `mask` in place of the secrets. */
export function maskExact(text: string, secrets: Iterable<string>, mask: string): string {
  const { starts, find } = exactFinder(secrets);
  const spans = firstLook(starts)(text).flatMap((place) => find(text, place) ?? []);
  return maskSpans(text, spans, mask);
}

function formsOf(secret: string): Form[] {
  const bytes = new TextEncoder().encode(secret);
  const forms: Form[] = [Array.from(secret, writtenAs), Array.from(bytes, (byte) => eachCase(hex(byte)))];
  for (const shift of [0, 1, 2]) {
    const core = base64Core(bytes, shift);
    // A few characters of Base64 could be anything.
    if (core.length >= 8) forms.push(Array.from(core, base64As));
  }
  return forms;
}

/** All that may stand for one character of a text. */
function writtenAs(character: string): string[] {
  if (/^[A-Za-z0-9]$/.test(character)) return [character];
  const code = character.codePointAt(0) ?? 0;
  const bytes = Array.from(new TextEncoder().encode(character), hex);
  const unicode = Array.from({ length: character.length }, (_, at) => `u${hex(character.charCodeAt(at), 4)}`);
  const entity = ENTITIES[character];
  return [
    character,
    ...eachCase(bytes.map((byte) => `%${byte}`).join('')),
    ...eachCase(bytes.map((byte) => `%25${byte}`).join('')),
    // In JSON, and in JSON within JSON.
    ...eachCase(unicode.map((escape) => `\\${escape}`).join('')),
    ...eachCase(unicode.map((escape) => `\\\\${escape}`).join('')),
    `\\${character}`,
    `\\\\${character}`,
    `\\\\\\${character}`,
    `&#${code};`,
    `&#0${code};`,
    ...eachCase(`&#x${hex(code)};`),
    ...(entity === undefined ? [] : [`&${entity};`]),
    ...(character === ' ' ? ['+'] : []),
    ...(character === '\n' ? ['\r\n', '\\n', '\\r\\n'] : []),
  ];
}

function base64As(character: string): string[] {
  if (character === '+') return ['+', '-', '%2B', '%2b', '\\u002b'];
  if (character === '/') return ['/', '_', '%2F', '%2f', '\\/'];
  return [character];
}

function hex(code: number, length = 2): string {
  return code.toString(16).padStart(length, '0');
}

/** Hex digits are written in both cases, the letters around them in one. */
function eachCase(text: string): string[] {
  const upper = text.replace(/[a-f\d]+/g, (digits) => digits.toUpperCase());
  return upper === text ? [text] : [text, upper];
}

/** The Base64 characters that depend on the secret alone when it begins `shift` bytes into a group. */
function base64Core(bytes: Uint8Array, shift: number): string {
  let binary = '\0'.repeat(shift);
  for (const byte of bytes) binary += String.fromCharCode(byte);
  // Six bits a character: those that share bits with a neighbour are left out.
  return btoa(binary).slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + bytes.length) * 8) / 6));
}

const BREAKS = ['\n', '\r\n', '\\n', '\\r\\n', '\\\n', '=\n', '=\r\n'];

/** The first three characters of everything that the form matches. */
function startsOf(form: Form): Set<string> {
  let heads = new Set(['']);
  for (const [index, choices] of form.slice(0, 3).entries()) {
    const next = new Set<string>();
    for (const head of heads)
      for (const lineBreak of index === 0 ? [''] : ['', ...BREAKS])
        for (const choice of choices) next.add((head + lineBreak + choice).slice(0, 3).toLowerCase());
    heads = next;
  }
  return heads;
}

/** Where the form ends that begins at a place of the text; -1 where it does not stand there. */
function endOf(form: Form, text: string, place: number): number {
  let at = place;
  for (const [index, choices] of form.entries()) {
    let found = choices.find((choice) => text.startsWith(choice, at));
    if (found === undefined && index > 0) {
      const after = skipBreak(text, at);
      if (after === at) return -1;
      at = after;
      found = choices.find((choice) => text.startsWith(choice, at));
    }
    if (found === undefined) return -1;
    at += found.length;
  }
  return at;
}

function skipBreak(text: string, place: number): number {
  const found = BREAKS.find((lineBreak) => text.startsWith(lineBreak, place));
  if (found === undefined) return place;
  let at = place + found.length;
  // The next line may be indented.
  for (let spaces = 0; spaces < 16 && (text[at] === ' ' || text[at] === '\t'); spaces += 1) at += 1;
  return at;
}
