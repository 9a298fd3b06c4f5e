import { ByStart } from './first-look.ts';
import { aboutName } from './names.ts';
import type { RunEnds } from './run-ends.ts';
import type { Span } from './span.ts';
import type { SecretKind } from './value-look.ts';
import { isPlaceholder, isRandom, isReference, looksSecret, MASK } from './value-look.ts';

/** Three characters that stand in every name of a secret, and in what else says so by its place. */
export const NAME_STARTS: readonly string[] =
  'pas|pwd|pw=|pw:|pw"|pw\'|pw*|psw|sec|tok|key|cre|aut|ses|sid|jwt|_pa|sig|?co|&co|tic|otp|coo|bea|bas| -u| -p| -a|--u|ide'.split(
    '|',
  );

const NAMES_AT = new ByStart(NAME_STARTS.map((start) => [start, true]));

/** Chosen: no name is longer. */
const MAX_NAME_CHARS = 64;

/** Chosen: the end of a value is looked for within as many characters. */
const MAX_VALUE_CHARS = 512;

interface Scan {
  readonly text: string;
  readonly ends: RunEnds;
  readonly isEager: boolean;
  /** Up to here no header of authorization has to be looked for: the line is a sentence. */
  proseEnd: number;
  /** The line that was looked at last, and the option for a password of the program in it. */
  line: { readonly end: number; readonly option: string | undefined };
}

/** Finds the values that are secrets by the name before them or by their place, at one place after the other. */
export function namedValues(text: string, places: readonly number[], ends: RunEnds, isEager: boolean): Span[] {
  const scan: Scan = { text, ends, isEager, proseEnd: 0, line: { end: -1, option: undefined } };
  const spans: Span[] = [];
  // Names and values before it have been looked at.
  let done = 0;
  for (const place of places) {
    if (place < done || NAMES_AT.at(text, place).length === 0) continue;
    const name = nameAt(text, place);
    const found = name === undefined ? undefined : valueOf(scan, name);
    const span = found ?? byPlace(scan, place);
    if (span !== undefined) {
      spans.push(span);
      done = span.end;
    } else if (name !== undefined) done = name.end;
  }
  return spans;
}

/** A name as it stands in the text, with its place. */
interface Name extends Span {
  readonly name: string;
}

function isNameCharacter(code: number): boolean {
  // Letters, digits, `_`, `-`, `.` and `$`.
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    code === 95 ||
    code === 45 ||
    code === 46 ||
    code === 36
  );
}

/** The name of which the characters at a place are a part. */
function nameAt(text: string, at: number): Name | undefined {
  // Some begin with what stands before a parameter.
  const place = '?&;'.includes(text.charAt(at)) ? at + 1 : at;
  let start = place;
  while (start > 0 && place - start < MAX_NAME_CHARS && isNameCharacter(text.charCodeAt(start - 1))) start -= 1;
  let end = place;
  while (end < text.length && end - place < MAX_NAME_CHARS && isNameCharacter(text.charCodeAt(end))) end += 1;
  if (end === place) return undefined;
  const name = text.slice(start, end);
  if (name !== 'key' && name !== 'Key' && name !== 'KEY' && !/^(?:token|secret)$/i.test(name))
    return { name, start, end };
  // "API key", "Secret Access Key": the word before says of what.
  const before = /[A-Za-z]{2,12} $/.exec(text.slice(Math.max(0, start - 13), start))?.[0];
  return { name: before === undefined ? name : `${before.trim()}_${name}`, start, end };
}

/** How a value may follow its name. */
const FOLLOWS = {
  // { "name": "password", "value": "..." }, <add key="password" value="...">, two lines of YAML.
  pair: String.raw`\\{0,3}["']?\s{0,2},?\s{0,40}(?:- )?\\{0,3}["']?(?:[Vv]alue|VALUE)\\{0,3}["']?\s{0,2}[:=]\s{0,2}`,
  // password = "...", with a type between in some languages.
  field: String.raw`[ \t]{0,12}(?:\?{0,2}:\s?[&\w<>[\].|]{2,30}(?:\s=\s|=(?=["']))|:=|=>|={1,3}|!={1,2}|\?{0,2}:)[*]{0,2}(?:\s{0,40}(?=\\{0,3}["'\x60])|[ \t]{0,12})`,
  // setHeader('X-Api-Key', '...')
  argument: String.raw`,[ \t]{0,2}(?=["'\x60])`,
  // | password | ... |
  cell: String.raw`[ \t]{0,30}\|[ \t]{0,30}`,
  // <password>...</password>
  element: String.raw`>(?:\s{0,20}<[Vv]alue>)?`,
  // the password is ...
  words: String.raw`[ \t]{1,3}(?:is:?|was|are|by|to|set to|equals)[ \t]{1,3}(?:now )?`,
  // --password ...
  space: String.raw`[ \t]{1,4}`,
} as const;

type Follows = keyof typeof FOLLOWS;

const WAYS = Object.keys(FOLLOWS) as readonly Follows[];

/** The name's own quotes, brackets and Markdown; then one way, each a group. */
const OPERATOR = new RegExp(
  String.raw`(?:\\{0,3}["'\x60]|&quot;)?[\]*_)\x60]{0,3}(?:${Object.values(FOLLOWS)
    .map((way) => `(${way})`)
    .join('|')})`,
  'y',
);

/** Python's, C#'s and SQL's letters before a quotation mark, code marks of Markdown, and the mark itself. */
const OPENING = /(?:[fbruFBRUN@$]{1,2}(?=["'])|(?:\[\]byte)?\((?=["'`]))?(\\{0,3}(?:"""|["'`])|&quot;|&#39;)/y;

const BLOCK = /[|>][+-]?\d?[+-]?[ \t]{0,9}(?:#[^\n]{0,200})?\r?\n([ \t]{1,40})(?=\S)/y;

interface Value extends Span {
  readonly isQuoted: boolean;
  /** A run of so many names that nobody looks at each. */
  readonly isDense?: boolean;
}

function valueOf(scan: Scan, name: Name): Span | undefined {
  const { text, isEager } = scan;
  const isParameter =
    text[name.end] === '=' && /(?:[?&;]|&amp;)$/.test(text.slice(Math.max(0, name.start - 5), name.start));
  const about = aboutName(name.name);
  const kind = about.kind ?? (isParameter ? about.parameterKind : undefined);
  if (kind === undefined && !about.isAuthorization && !about.isCookie) return undefined;
  OPERATOR.lastIndex = name.end;
  const operator = OPERATOR.exec(text);
  const way = WAYS.find((_, index) => operator?.[index + 1] !== undefined);
  const from = OPERATOR.lastIndex;
  if (operator === null || way === undefined || !mayFollow(text, name, way, from)) return undefined;
  if (isParameter && kind !== undefined) return parameter(scan, from, kind);
  const isField = way === 'field' || way === 'pair' || way === 'argument';
  if (about.isAuthorization) return isField ? authorization(scan, from) : undefined;
  if (about.isCookie) return isField ? cookies(scan, from) : undefined;
  const hasColon = way === 'field' && operator[0].includes(':');
  BLOCK.lastIndex = from;
  const indent = hasColon ? BLOCK.exec(text)?.[1] : undefined;
  const value = indent === undefined ? valueAt(scan, from, way === 'cell') : blockAt(text, BLOCK.lastIndex, indent, 1);
  if (value === undefined || kind === undefined) return undefined;
  if (way === 'element' && text[value.end] !== '<') return undefined;
  const written = text.slice(value.start, Math.min(value.end, value.start + 200)).trim();
  // The header of a request and a statement of SQL say by their place that a secret stands here.
  const isPlaced =
    (about.isHeader && hasColon && !isVariable(text, value, written)) || (way === 'space' && isPlace(text, name, from));
  const isSecret =
    value.isDense === true ||
    (isPlaced && !isReference(written, value.isQuoted)) ||
    (about.isPhrase && isPhrase(written)) ||
    (!(way === 'words' && !value.isQuoted && !/\d/.test(written)) &&
      looksSecret(kind, written, value.isQuoted, isEager || (kind === 'password' && isSettingOf(text, name, value))));
  if (!isSecret) return undefined;
  return indent === undefined ? value : blockAt(text, value.start, indent, 100);
}

/** Whether what stands around a name lets its value follow in this way. */
function mayFollow(text: string, name: Name, way: Follows, from: number): boolean {
  switch (way) {
    case 'space':
      return /^--?\w/.test(name.name) ? !/[-=]/.test(text[from] ?? '') : isPlace(text, name, from);
    case 'element':
      return /[<:/"']/.test(text[name.start - 1] ?? '');
    case 'argument':
      return /[("'`]\(?["'`]?$/.test(text.slice(Math.max(0, name.start - 2), name.start));
    case 'cell':
      return text.slice(Math.max(0, name.start - 12), name.start).includes('|');
    default:
      return true;
  }
}

/** In code, the name of a variable. */
function isVariable(text: string, value: Value, written: string): boolean {
  return !value.isQuoted && /[)}\],]/.test(text.charAt(value.end)) && /^[A-Za-z_$]+$/.test(written);
}

/** `password=letmein` without spaces, and nothing but an end behind it, as in a file of settings: a plain word is one, too. */
function isSettingOf(text: string, name: Name, value: Value): boolean {
  const isListed = text[name.end] === ':' && /^[A-Z\d]+_[A-Z\d_]+$/.test(name.name);
  if (!(text[name.end] === '=' || isListed) || !/pass|pwd?$/i.test(name.name)) return false;
  const before = text.slice(Math.max(0, name.start - 1), name.start);
  return /^[\s?&;]?$/.test(before) && /^["']?(?:$|\r?\n|;\w|&\w)/.test(text.slice(value.end, value.end + 3));
}

/** A line of `.netrc` (`login ann password ...`) or a statement of SQL (`PASSWORD '...'`): a secret, however plain. */
function isPlace(text: string, name: Name, from: number): boolean {
  if (!/^password$/i.test(name.name)) return false;
  const before = text.slice(Math.max(0, name.start - 80), name.start);
  if (/["']/.test(text.charAt(from))) return true;
  const isLast = /^\S{1,200}[ \t]*(?:$|\r?\n|machine\b)/.test(text.slice(from, from + 220));
  return isLast && /(?:^|\s)(?:login|account)\s+\S{1,60}\s+$/.test(before);
}

/** Chosen: names in one run of characters before what is left of it is taken for a secret. */
const MAX_TRIES = 16;

/** The value that begins at a place. */
function valueAt({ text, ends }: Scan, from: number, isCell: boolean): Value | undefined {
  OPENING.lastIndex = from;
  const quote = OPENING.exec(text)?.[1];
  if (quote !== undefined) {
    const start = OPENING.lastIndex;
    const end = closing(text, start, quote);
    if (end !== undefined) return end === start ? undefined : { start, end, isQuoted: true };
    return bareAt(text, ends, start, isCell);
  }
  return bareAt(text, ends, from, isCell);
}

/** Where the quotation that began before `start` ends: at the same mark, not escaped more than it is, in the same line. */
function closing(text: string, start: number, quote: string): number | undefined {
  const limit = Math.min(text.length, start + MAX_VALUE_CHARS);
  const searched = text.slice(start, limit);
  for (
    let at = searched.indexOf(quote), tries = 0;
    at >= 0 && tries < 16;
    at = searched.indexOf(quote, at + 1), tries += 1
  ) {
    if (searched[at - 1] === '\\' && searched[at - 2] !== '\\') continue;
    const line = searched.indexOf('\n');
    return quote !== '"""' && line >= 0 && line < at ? undefined : start + at;
  }
  return undefined;
}

/** What ends a value without quotation marks, where the end, a space or another name follows. */
const BARE_END =
  /(?:\\[nrt"']|["'`]|<\/|&(?:quot|#39);|[,;&)}\]>]+(?=$|[\s,;)}\]]|["'`]|[\w.-]{1,30}["']?[=:])|\*\*|[.!?:,;]+(?=\s|$))/y;

/** Chosen: where a value ends is looked for within as many characters. */
const MAX_BARE_CHARS = 100;

function bareAt(text: string, ends: RunEnds, start: number, isCell: boolean): Value | undefined {
  const run = ends.end('parameter', start);
  if (run > start && ends.triesIn(run) > MAX_TRIES) return { start, end: run, isQuoted: false, isDense: true };
  let end = ends.end('bare', start);
  const limit = Math.min(end, start + MAX_BARE_CHARS);
  for (let at = start; at < limit; at += 1) {
    const code = text.charCodeAt(at);
    // Letters, digits, `-`, `_`, `/`, `=`, `+` and `%` end nothing.
    if ((code >= 97 && code <= 122) || (code >= 47 && code <= 57) || (code >= 65 && code <= 90)) continue;
    if (code === 45 || code === 95 || code === 61 || code === 43 || code === 37) continue;
    BARE_END.lastIndex = at;
    if (!(isCell && code === 124) && !BARE_END.test(text)) continue;
    end = at;
    break;
  }
  return end === start ? undefined : { start, end, isQuoted: false };
}

/** The lines of a block of YAML that are indented at least as far as the first. */
function blockAt(text: string, start: number, indent: string, maxLines: number): Value {
  let end = start;
  for (let lines = 0; lines < maxLines; lines += 1) {
    const line = text.indexOf('\n', end);
    if (line < 0) return { start, end: text.length, isQuoted: true };
    if (!text.startsWith(indent, line + 1) && !/^\r?\n/.test(text.slice(line + 1, line + 3)))
      return { start, end: line, isQuoted: true };
    end = line + 1;
  }
  return { start, end, isQuoted: true };
}

/** A parameter of an address: what stands behind `token=` is one, however plain; behind `code=`, where it looks so. */
function parameter({ text, ends, isEager }: Scan, from: number, kind: SecretKind): Span | undefined {
  const end = ends.end('parameter', from);
  if (ends.triesIn(end) > MAX_TRIES) return { start: from, end };
  const value = text.slice(from, Math.min(end, from + 100));
  if (value === '' || isReference(value, false)) return undefined;
  const isPlain = kind === 'password' || kind === 'token';
  const isSecret = isPlain || looksSecret('token', value, true, isEager) || (kind === 'session' && isRandom(value, 8));
  return isSecret ? { start: from, end } : undefined;
}

const SCHEME =
  /^(?:Bearer|Basic|Digest|Token|Negotiate|NTLM|Hawk|OAuth|JWT|Key|Bot|[A-Za-z][\w-]{1,30})(?:[ \t]+(?:token=)?["']?|$)/i;

/** Everything behind `Authorization:` but the scheme. */
function authorization(scan: Scan, from: number): Span | undefined {
  const { text } = scan;
  if (from < scan.proseEnd) return undefined;
  OPENING.lastIndex = from;
  const quote = OPENING.exec(text)?.[1];
  const start = quote === undefined ? from : OPENING.lastIndex;
  const quoted = quote === undefined ? undefined : closing(text, start, quote);
  const line = text.slice(start, quoted ?? start + MAX_VALUE_CHARS);
  const value =
    quoted === undefined ? (/^(?:[^\n\r"'`\\]|\\(?![nr"'])|(?<==)"[^"\n]*")*/.exec(line)?.[0].trimEnd() ?? '') : line;
  const scheme = SCHEME.exec(value)?.[0] ?? '';
  const hasScheme = scheme.length < value.length;
  const secret = hasScheme ? value.slice(scheme.length) : value;
  // A part of it may be masked already.
  const open = secret.replaceAll(MASK, '');
  if (!/\w/.test(open) || isReference(open, quoted !== undefined || hasScheme) || isPlaceholder(open)) return undefined;
  // In code the name of a variable, in a document a sentence.
  if (quoted === undefined && /^[A-Za-z_$][\w$]*[ \t]*[,;)}]/.test(value)) return undefined;
  if (hasScheme && !/\d/.test(value) && /\S\s+\S+\s+\S/.test(value)) {
    scan.proseEnd = start + value.length;
    return undefined;
  }
  if (!hasScheme && /^(?:bearer|basic|digest|negotiate)$/i.test(value)) return undefined;
  return { start: start + value.length - secret.length, end: start + value.length };
}

/** The values of a header of cookies, to the end of its line. */
function cookies({ text }: Scan, from: number): Span | undefined {
  const line = /^["'`]?(?<name>[^\s=;"'[({]{1,200})=(?<rest>[^\n\r"'`}\\]{1,4000})/.exec(text.slice(from, from + 4200));
  const rest = line?.groups?.['rest'];
  if (line === null || rest === undefined || isReference(rest, false)) return undefined;
  const end = from + line[0].length;
  return { start: end - rest.length, end };
}

/** What stands before a secret that has no name; then the secret: a parameter's characters, as many as there are. */
const AT_PLACE = new ByStart<readonly [before: RegExp, isSecret: (value: string) => boolean]>([
  // RFC 6750 and 7617. "bearer" and "basic" are words, too: alone, what follows has to look like a secret.
  [
    'bea',
    [
      /(?:(?<![A-Za-z0-9])|(?<=\\[nrt]|\[[\d;]{0,12}m))bearer(?:[ \t]{1,3}|%20|\+|\s{0,2}[:=]\s{0,3})["']?/iy,
      (value) => value.length >= 6 && looksSecret('password', value, true, false),
    ],
  ],
  ['bea', [/(?<=["'`:=]\s?)bearer[ \t](?=[\w.~+/=-]{3,60}["'`])/iy, () => true]],
  ['bas', [/(?:(?<![A-Za-z0-9])|(?<=\\[nrt]|\[[\d;]{0,12}m))basic\s{1,3}/iy, isUserAndPassword]],
  ['aut', [/auth["']\s{0,3}:\s{0,3}["']/iy, isUserAndPassword]],
  ['aut', [/(?<=_)auth\s{0,3}=\s{0,3}"?/iy, isUserAndPassword]],
  // curl's `-u name:password`. Other programs take `user:group` there, which looks like words.
  [' -u', [/ -u ?["']?[^\s:"'=]{1,100}:/y, isPasswordOfFlag]],
  ['--u', [/--user[ =]["']?[^\s:"'=]{1,100}:/y, isPasswordOfFlag]],
  ['pas', [/(?<=-pass(?:in|out)? )pass:/y, () => true]],
  // CREATE USER ... IDENTIFIED [WITH plugin] BY [PASSWORD] '...'
  ['ide', [/identified(?: with ["'`]?\w{1,40}["'`]?)? (?:by|as)(?: password)? ["']?/iy, () => true]],
]);

/** Programs that take a password as an option of one letter: `mysql -psecret`, `sshpass -p secret`, `redis-cli -a secret`. */
const PROGRAM =
  /(?:\b|(?<=\\[nrt]))(?:(mysql|mariadb)|(sshpass|docker login|podman login|az login|oc login|mongo)|(redis-cli))\b/;

/** The option of a program in this line that a password follows. */
function optionOfLine(scan: Scan, place: number): string | undefined {
  if (place >= scan.line.end) {
    const { text } = scan;
    const end = text.indexOf('\n', place);
    const line = text.slice(text.lastIndexOf('\n', place) + 1).slice(0, 500);
    const [, glued, spaced, redis] = PROGRAM.exec(line) ?? [];
    const option =
      glued !== undefined ? ' -p' : spaced !== undefined ? ' -p ' : redis === undefined ? undefined : ' -a ';
    scan.line = { end: end < 0 ? text.length : end, option };
  }
  return scan.line.option;
}

const OPTION_VALUE = /["']?([^\s"'`]{3,200})/y;

function optionAt(scan: Scan, place: number): Span | undefined {
  const { text } = scan;
  if (text[place] !== ' ' || text[place + 1] !== '-') return undefined;
  const option = optionOfLine(scan, place);
  if (option === undefined || !text.startsWith(option, place)) return undefined;
  OPTION_VALUE.lastIndex = place + option.length;
  const value = OPTION_VALUE.exec(text)?.[1];
  if (value === undefined || isReference(value, false)) return undefined;
  return { start: OPTION_VALUE.lastIndex - value.length, end: OPTION_VALUE.lastIndex };
}

/** What is a secret by its place, without a name before it. */
function byPlace(scan: Scan, place: number): Span | undefined {
  const { text } = scan;
  const option = optionAt(scan, place);
  if (option !== undefined) return option;
  for (const [before, isSecret] of AT_PLACE.at(text, place)) {
    before.lastIndex = place;
    if (!before.test(text)) continue;
    const start = before.lastIndex;
    const end = scan.ends.end('parameter', start);
    if (scan.ends.triesIn(end) > MAX_TRIES) return { start, end };
    const value = text.slice(start, Math.min(end, start + 400));
    if (value !== '' && !isReference(value.slice(0, 64), false) && isSecret(value)) return { start, end };
  }
  return undefined;
}

function isPasswordOfFlag(password: string): boolean {
  return /[a-z]/i.test(password) && /[^a-z-]/i.test(password);
}

/** Base64 of `user:password`. */
function isUserAndPassword(value: string): boolean {
  // Asked before it is decoded: an error costs more than all the rest.
  if (!/^(?:[A-Za-z\d+/]{4}){2,100}(?:[A-Za-z\d+/]{2,3}={0,2})?$/.test(value)) return false;
  const decoded = atob(value.replace(/=+$/, ''));
  return /^[\x20-\x7e]{0,300}:[\x20-\x7e]{0,300}$/.test(decoded);
}

/** Four words or more that make no sentence. */
function isPhrase(value: string): boolean {
  return (
    /^[a-z]+(?:[ -][a-z]+){3,}$/.test(value) &&
    !/\b(?:is|are|the|a|an|to|be|must|your|of|not|for|and|or|in|with|at)\b/.test(value)
  );
}
