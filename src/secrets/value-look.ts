/** What a name says of its value: a person made it up, a machine made it, it opens something, it names a session. */
export type SecretKind = 'password' | 'token' | 'key' | 'session';

/** What stands in place of a secret. */
export const MASK = '[redacted]';

/** Chosen: the beginning of a value shows what it is. */
const MAX_LOOKED_AT = 64;

/** How a text is made up. */
interface Shape {
  readonly letters: number;
  readonly upper: number;
  readonly digits: number;
  /** Printable characters that are no letters, digits, or one of `-_./:`. */
  readonly symbols: number;
  /** How often the kind of character changes (small, capital, digit); separators are passed over. */
  readonly changes: number;
  readonly spaces: number;
  /** Capitals without a small letter behind them. */
  readonly loneCapitals: number;
}

function shapeOf(value: string): Shape {
  let upper = 0;
  let lower = 0;
  let digits = 0;
  let symbols = 0;
  let spaces = 0;
  let changes = 0;
  let loneCapitals = 0;
  let before = 0;
  const length = Math.min(value.length, MAX_LOOKED_AT);
  for (let index = 0; index < length; index += 1) {
    const code = value.charCodeAt(index);
    let kind = 0;
    if (code >= 97 && code <= 122) kind = 1;
    else if (code >= 65 && code <= 90) kind = 2;
    else if (code >= 48 && code <= 57) kind = 3;
    if (kind === 1) lower += 1;
    else if (kind === 2) {
      upper += 1;
      const next = value.charCodeAt(index + 1);
      if (!(next >= 97 && next <= 122)) loneCapitals += 1;
    } else if (kind === 3) digits += 1;
    else if (code > 126) lower += 1;
    else if (code <= 32) spaces += 1;
    else if (!(code >= 45 && code <= 47) && code !== 95 && code !== 58) symbols += 1;
    if (kind === 0) continue;
    if (before !== 0 && kind !== before) changes += 1;
    before = kind;
  }
  return { letters: lower + upper, upper, digits, symbols, spaces, changes, loneCapitals };
}

/** True for what a machine made up: 16 characters or more without spaces, whose kinds change as they never do in words. */
export function isRandom(value: string, minChars = 16): boolean {
  return value.length >= minChars && isRandomShape(value, shapeOf(value));
}

function isRandomShape(value: string, { letters, upper, digits, changes, loneCapitals, spaces }: Shape): boolean {
  if (letters === 0 || spaces > 0) return false;
  if (digits > 0 && changes >= Math.max(3, (letters + digits) * 0.19)) return true;
  if (digits > 2) return letters > 1 && /^[\da-f]+$/i.test(value);
  return digits === 0 && value.length >= 20 && upper < letters && loneCapitals >= (letters + digits) * 0.14;
}

/** True where a part of a name with hyphens is random, as in a vendor's key and unlike in `sk-learn-contrib-0.3`. */
export function hasRandomPart(value: string): boolean {
  if (!isRandom(value)) return false;
  return value.split(/[-_.]/).some((part) => isRandom(part, 10) || (part.length >= 16 && /\d/.test(part)));
}

/** Dates, times, sizes, versions, algorithms, addresses, paths, colours: data with digits in it. */
const DATA =
  /^(?:\d{1,4}[-/.:]\d{1,2}(?:[-/.:T ][\d:.TZ+-]*)?|[+-]?\d[\d.,_]*\s?(?:[a-zµ]{1,3}|%|days?|hours?|min(?:utes)?|seconds?|bytes|chars)?|v?\d+(?:\.\d+)+[\w.+-]*|(?:sha|md|utf|base|rsa|aes|hmac|pbkdf|argon|oauth|ed|http|ipv)-?\d+\w{0,3}(?:[-_/]\w+)*|[hrep]s(?:256|384|512)|x509|v\d+|p(?:256|384|521)|https?:\/\/[^@]*|\.{0,2}\/[\w./-]*|[A-Za-z]:\\.*|~\/.*|[\w.+-]+@[\w-]+\.[\w.]+|#[0-9a-f]{3,8}|(?:\w+\/){2,}[\w.-]+\.\w{2,4}|[\w-]+\.(?:js|ts|py|json|ya?ml|txt|pem|key|env|md|html|crt))$/i;

/** Words with a figure behind: `row-12`, `user:42:name`, `step_2`, `gpt-4`. */
const NUMBERED_WORDS = /^[a-z]*(?:[-_.:/][a-z]*|[-_.:/]\d{1,4}(?![a-z\d]))*[-_.:/]?\d{0,3}$/i;

const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i;

/** True where a value could be a password: what people and programs make up, and neither words nor data. */
function looksLikePassword(value: string): boolean {
  if (/^\d{6,}$/.test(value)) return true;
  if (value.length < 4 || value.length > 200 || DATA.test(value)) return false;
  const { letters, upper, digits, symbols } = shapeOf(value);
  if (letters === 0) return symbols > 1 && digits > 2;
  if (digits > 0) return true;
  // Without digits: a word in a sentence has its sign at its end, a password in the middle, or several.
  return (
    symbols > 0 && value.length >= 6 && (upper > 0 || symbols > 1) && !/^\W|^[\w-]+[(.[]|\W$/.test(value.slice(0, -1))
  );
}

/** True where a value could be a machine's: long enough, letters and digits that make no words. */
function looksLikeToken(value: string): boolean {
  const shape = shapeOf(value);
  const { letters, digits, symbols } = shape;
  if (value.length < 8 || letters === 0) return false;
  if (digits > 0 && UUID.test(value)) return true;
  if (digits + symbols > 0 && (DATA.test(value) || NUMBERED_WORDS.test(value))) return false;
  if (value.length >= 16 && isRandomShape(value, shape)) return true;
  if (digits === 0 || /[[\](){}<>]/.test(value)) return false;
  return value.split(/[-_.:/]/).some((part) => part.length >= 8 && /\d/.test(part) && /[a-z]/i.test(part));
}

/** Values that stand for others: variables, templates, calls, types. */
const REFERENCE =
  /^(?:\$[\w{(]|%\w+%|%[sdv]|\{|#\{|@[\w{]|&[a-z]|<[\w -]|\[|\(|\|\||&&|!|\*|(?:process|os|env|ENV|config|settings|options|props|params|args|this|self|req|request|res|response|data|user|form|body|ctx|context|secrets?|vars?|import|System|Environment|std|app|local|module|inputs?|values?|state|payload|session|account|credentials?|client|db|await|new|async|function|lambda|typeof|return|yield)(?:[.?[(:\s]|->|$))/;

/** In what is not in quotes: a call, an index, a chain of names, and a name as code writes them. */
const EXPRESSION = /^[A-Za-z_$][\w$]*(?:\(|\[|\?\.|::|->|<[A-Z]|(?:\.[A-Za-z_$][A-Za-z_$]*)+(?:[^\w-]|$))/;

/** What stands where a secret will be: `xxxx`, `****`, `<key>`, `YOUR_API_KEY`. */
const BLANK =
  /^(?:(.)\1{2,}.{0,2}|.{0,8}(?:\*{3,}|[xX]{4,}|\.{3}|…).{0,8}|[<[{(].*[>\]})]|[A-Z]{2,}(?:_[A-Z]{2,})+\d?|(?:[Yy]our|YOUR|[Ee]xample|null|undefined|string|true|false)(?:[-_ ][^\d]*)?)$/s;

/** Words that begin what is said of a secret, and settings that are none. */
const WORDS =
  /^(?:my|the|some|an?|enter|insert|replace|change|put|add|use|see|set|is|was|must|not|no|new|old|current|fake|dummy|sample|placeholder|todo|fixme|redacted|hidden|masked|none|nil|str|text|bool|number|any|unknown|void|optional|required|missing|invalid|wrong|expired|denied|empty|please|yes|on|off|all|enabled|disabled|default|prompt|ask|stdin|env|file|keyring|manual|auto|plain|hashed|encrypted|changed|updated|reset|success|failed|failure|include|omit|password|passwd|secret|token|key|apikey|auth|basic|bearer|digest)(?:[-_ .,;:!?|\])}][^\d]*)?$/i;

/** True for a word that is said of secrets in place of one: "required", "your token". */
export function isPlaceholder(value: string): boolean {
  return BLANK.test(value) || WORDS.test(value);
}

/** True for a reference to a value that is kept elsewhere, and for a blank. */
export function isReference(value: string, isQuoted: boolean): boolean {
  if (value.includes(MASK) || value.includes('$(')) return true;
  if (value.includes('{') && /[$#{]\{|\{\d?\}|\{[a-z_]+\}/.test(value)) return true;
  if (value.includes('%') && /%[sdv](?![\da-f])/.test(value)) return true;
  if (BLANK.test(value)) return true;
  return isQuoted ? /^(?:\$\w|%\w+%|<[\w -]+>)/.test(value) : REFERENCE.test(value) || EXPRESSION.test(value);
}

/** Whether a value looks like the secret that its name speaks of. `isEager`: where in doubt it does. */
export function looksSecret(kind: SecretKind, value: string, isQuoted: boolean, isEager: boolean): boolean {
  const head = value.slice(0, MAX_LOOKED_AT);
  if (isReference(head, isQuoted) || WORDS.test(head)) return false;
  // The lines of a block may be one value.
  if (isQuoted && /[^\S\n]|\n\s*[^\s\w+/=-]/.test(head)) return false;
  if (isEager && kind !== 'key' && kind !== 'session' && !DATA.test(head))
    return head.length >= (kind === 'password' ? 3 : 6);
  switch (kind) {
    case 'password':
      return looksLikePassword(head) || (isQuoted && /^\d{4,}$/.test(head));
    case 'token':
      return looksLikeToken(head);
    case 'key':
      return !DATA.test(head) && !UUID.test(head) && hasRandomPart(head);
    case 'session':
      return !UUID.test(head) && isRandom(head);
  }
}
