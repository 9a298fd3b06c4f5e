/** What stands in place of a secret. */
export const MASK = '[redacted]';

/**
 * One form of secrets. `at` is tried only where `anchor` was found, at the anchor's first character, so that a text
 * without anchors costs one search; every repetition in it is bounded, so that a text full of anchors stays linear.
 */
export interface SecretPattern {
  /** A literal piece of a regular expression. */
  readonly anchor: string;
  /** The first three characters of everything that the anchor matches, in any case. */
  readonly starts: readonly string[];
  /** True where a letter or digit before the anchor makes it a part of another word. */
  readonly needsBoundary: boolean;
  /** Sticky. */
  readonly at: RegExp;
  /** What takes the place of the match, or undefined where it is no secret after all. */
  readonly replace: (match: RegExpExecArray) => string | undefined;
}

const masked = (): string => MASK;

/** A key that a vendor gives out, known by its beginning. `starts` is given where the anchor does not begin with three plain letters. */
function vendorKey(anchor: string, rest: string, starts: readonly string[] = [anchor.slice(0, 3)]): SecretPattern {
  return { anchor, starts, needsBoundary: true, at: new RegExp(anchor + rest, 'y'), replace: masked };
}

/** A key whose beginning is also the beginning of words: it has to hold a digit. */
function vendorKeyWithDigit(anchor: string, rest: string, starts?: readonly string[]): SecretPattern {
  const replace = (match: RegExpExecArray): string | undefined =>
    /\d/.test(match[0].slice(anchor.length)) ? MASK : undefined;
  return { ...vendorKey(anchor, rest, starts), replace };
}

/** Beginnings of keys, from the vendors' own documentation and the rules of GitHub's and GitGuardian's public secret scanning. */
const VENDOR_KEYS: readonly SecretPattern[] = [
  // OpenAI, Anthropic, OpenRouter and everybody who followed them: sk-, sk-proj-, sk-ant-, sk-or-v1-.
  vendorKeyWithDigit('sk-', '[A-Za-z0-9_-]{16,300}'),
  vendorKey('[rs]k_(?:live|test|prod)_', '[A-Za-z0-9]{10,200}', ['rk_', 'sk_']), // Stripe
  vendorKey('whsec_', '[A-Za-z0-9+/=]{16,200}'), // Stripe, Svix webhooks
  vendorKey('gh[pousr]_', '[A-Za-z0-9]{16,255}', ['ghp', 'gho', 'ghu', 'ghs', 'ghr']), // GitHub
  vendorKey('github_pat_', '[A-Za-z0-9_]{20,255}'),
  vendorKey('gl(?:pat|ptt|dt|rt|cbt|soat)-', '[A-Za-z0-9_-]{16,100}', ['glp', 'gld', 'glr', 'glc', 'gls']), // GitLab
  vendorKey('xox[abeoprs]-', '[A-Za-z0-9-]{10,300}'), // Slack
  vendorKey('xapp-', '[A-Za-z0-9-]{10,300}'),
  vendorKey('(?:AKIA|ASIA|ABIA|ACCA)', '[A-Z0-9]{16}(?![A-Za-z0-9])', ['aki', 'asi', 'abi', 'acc']), // AWS access key ids
  vendorKey('AIza', '[A-Za-z0-9_-]{30,60}'), // Google API keys
  vendorKey('ya29\\.', '[A-Za-z0-9_-]{20,400}'), // Google OAuth
  vendorKey('GOCSPX-', '[A-Za-z0-9_-]{20,60}'),
  vendorKeyWithDigit('hf_', '[A-Za-z0-9]{20,100}'), // Hugging Face
  vendorKeyWithDigit('npm_', '[A-Za-z0-9]{30,100}'),
  vendorKey('pypi-', '[A-Za-z0-9_-]{30,300}'),
  vendorKey('SG\\.', '[A-Za-z0-9_-]{10,80}\\.[A-Za-z0-9_-]{10,100}', ['sg.']), // SendGrid
  vendorKeyWithDigit('gsk_', '[A-Za-z0-9]{20,100}'), // Groq
  vendorKeyWithDigit('xai-', '[A-Za-z0-9]{20,200}'),
  vendorKeyWithDigit('r8_', '[A-Za-z0-9]{20,100}'), // Replicate
  vendorKeyWithDigit('pplx-', '[A-Za-z0-9]{20,100}'), // Perplexity
  vendorKeyWithDigit('tvly-', '[A-Za-z0-9-]{16,100}'), // Tavily
  vendorKeyWithDigit('nvapi-', '[A-Za-z0-9_-]{20,200}'), // NVIDIA
  vendorKeyWithDigit('do[oprt]_v1_', '[a-f0-9]{32,100}', ['doo', 'dop', 'dor', 'dot']), // DigitalOcean
  vendorKeyWithDigit('shp(?:at|ca|pa|ss)_', '[A-Fa-f0-9]{20,100}', ['shp']), // Shopify
  vendorKeyWithDigit('lin_api_', '[A-Za-z0-9]{20,100}'), // Linear
  vendorKeyWithDigit('figd_', '[A-Za-z0-9_-]{20,100}'), // Figma
  vendorKeyWithDigit('dapi', '[a-f0-9]{32}(?![A-Za-z0-9])'), // Databricks
  vendorKeyWithDigit('key-', '[a-f0-9]{32}(?![A-Za-z0-9])'), // Mailgun
  vendorKey('AGE-SECRET-KEY-1', '[A-Z0-9]{20,100}'),
  vendorKeyWithDigit('sbp_', '[a-f0-9]{30,100}'), // Supabase
  // JSON Web Tokens (RFC 7519): a header that begins with {" in Base64.
  vendorKey('eyJ', '[A-Za-z0-9_-]{5,4000}\\.[A-Za-z0-9_-]{4,8000}(?:\\.[A-Za-z0-9_-]{0,2000})?'),
  // A bot of Telegram: number, colon, 35 characters.
  { anchor: ':AA', starts: [':aa'], needsBoundary: false, at: /:AA[A-Za-z0-9_-]{30,40}/y, replace: () => `:${MASK}` },
];

/** RFC 7468: everything between the lines, and to the end of the text where the last line is missing. */
const PRIVATE_KEY: SecretPattern = {
  anchor: '-----BEGIN ',
  starts: ['---'],
  needsBoundary: false,
  at: /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----)){0,20000}(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?/y,
  replace: masked,
};

/** RFC 3986 section 3.2.1: user and password before the host. Scheme, user's place and host stay readable. */
const URL_PASSWORD: SecretPattern = {
  anchor: '://',
  starts: ['://'],
  needsBoundary: false,
  at: /:\/\/[^\s/?#:@"'<>]{0,200}:([^\s/?#"'<>]{1,400})@/y,
  replace: () => `://${MASK}@`,
};

/** RFC 6750 and RFC 7617. "bearer" and "basic" are words, too: what follows has to look like a secret. */
const AUTHORIZATION: readonly SecretPattern[] = [
  {
    anchor: '[Bb]earer|BEARER',
    starts: ['bea'],
    needsBoundary: true,
    at: /bearer(?:\s{1,3}|\s{0,3}[:=]\s{0,3}|%20)["']?([A-Za-z0-9._~+/=-]{6,8000})/iy,
    replace: (match) => replaceGroup(match, looksRandom(match[1] ?? '')),
  },
  {
    anchor: '[Bb]asic|BASIC',
    starts: ['bas'],
    needsBoundary: true,
    at: /basic\s{1,3}([A-Za-z0-9+/]{6,4000}={0,2})/iy,
    replace: (match) => replaceGroup(match, isUserAndPassword(match[1] ?? '')),
  },
];

/** curl's `-u name:password`. Other programs take `user:group` there, which looks like words. */
const USER_FLAG: SecretPattern = {
  anchor: '-u |--user[ =]',
  starts: ['-u ', '--u'],
  needsBoundary: true,
  at: /(?:-u|--user)[ =]["']?[^\s:"'=]{1,100}:([^\s"'`]{1,400})/y,
  replace: (match) => replaceGroup(match, /[a-z]/i.test(match[1] ?? '') && looksRandom(match[1] ?? '')),
};

/** RFC 6265: a header of cookies, all of them, to the end of its line. */
const COOKIES: SecretPattern = {
  anchor: '[Cc]ookie|COOKIE',
  starts: ['coo'],
  needsBoundary: false,
  at: /cookie\d?["']?\s{0,3}[:=]\s{0,3}["']?([^\s=;"'[]{1,200}=[^\n"'}]{1,4000})/iy,
  replace: (match) => replaceGroup(match, true),
};

/** Names that stand before a secret in `name=value`, `name: value`, `<name>value</name>`, `--name value` and "name is value". */
const NAMES =
  'pass(?:word|wd|phrase)|pwd|secret|token|api[_ -]?key|access[_-]?key|private[_-]?key|secret[_-]?key|account[_-]?key|shared[_-]?access[_-]?key|authorization|credentials?|signature|sig(?==)';

/** The beginnings of those names: what is searched for. */
const NAME_ANCHOR =
  '[Pp][Aa][Ss][Ss](?:[Ww]|[Pp])|[Pp][Ww][Dd]|[Ss][Ee][Cc][Rr][Ee][Tt]|[Tt][Oo][Kk][Ee][Nn]|[Aa][Pp][Ii][_ -]?[Kk][Ee][Yy]|[Kk]ey=|(?:[Aa]ccess|[Pp]rivate|[Aa]ccount|ACCESS|PRIVATE|ACCOUNT)[_-]?[Kk]|[Aa]uthorization|AUTHORIZATION|[Cc]redential|CREDENTIAL|[Ss]ignature=|[&?]sig=';

const NAMED: SecretPattern = {
  anchor: NAME_ANCHOR,
  starts: ['pas', 'pwd', 'sec', 'tok', 'api', 'key', 'acc', 'pri', 'aut', 'cre', 'sig', '&si', '?si'],
  needsBoundary: false,
  at: new RegExp(
    `[&?]?(?:${NAMES}|key(?==))(?:[_-]?(?:key|value|id))?\\\\?["']?\\s{0,3}(=>|:=|[=:>]|is\\b|\\s)\\s{0,3}(?:(\\\\?["'\`])([^"'\`\\n\\\\]{1,400})|([^\\s"'\`,;&)}[\\]<>\\\\]{1,400}))`,
    'iy',
  ),
  replace: replaceNamed,
};

/** Words that follow a name and a colon in plain sentences. */
const PROSE =
  /^(?:required|missing|invalid|must|is|are|was|not|no|none|null|undefined|true|false|expected|unexpected|string|number|too|wrong|incorrect|expired|denied|unknown|empty|string|please|the|a|an|your|basic|bearer|\W{1,20})$/i;

function replaceNamed(match: RegExpExecArray): string | undefined {
  const [whole, operator = '', quote, quoted, plain = ''] = match;
  const value = quoted ?? plain;
  if (value === '' || value.startsWith(MASK) || value.startsWith('[redacted')) return undefined;
  if (!isTelling(match, operator, value)) return undefined;
  const head = whole.slice(0, whole.length - value.length);
  const isPassword = /pass|pwd/i.test(head);
  if (quote === undefined) {
    if (PROSE.test(value)) return undefined;
    // "token: the word that ..." is a sentence; "token: 8f3a" is not. A value ends with its line or at a bracket.
    if (operator === ':' && !/\d/.test(value) && !endsAfter(match)) return undefined;
    if (!isPassword && (value.length < 6 || /^\d{1,6}$/.test(value))) return undefined;
    // A path is where the working directory is, not a secret.
    if (/pwd/i.test(head) && value.startsWith('/')) return undefined;
  } else if (!isPassword && value.length < 6) return undefined;
  return head + MASK;
}

/** Whether what stands between name and value makes a secret of it: the tag of an element, a flag of a command and "is" do so only where the rest fits. */
function isTelling(match: RegExpExecArray, operator: string, value: string): boolean {
  if (operator === '>') return match.input.startsWith('</', match.index + match[0].length);
  if (/^[:=]/.test(operator)) return true;
  // Sentences speak of passwords and tokens, too: only what has letters and digits is one.
  if (value.length < 6 || !/\d/.test(value) || !/[a-z]/i.test(value)) return false;
  const before = match.input.slice(Math.max(0, match.index - 40), match.index);
  return /^is$/i.test(operator) || /(?:^|[\s"'])--?[\w-]*$/.test(before);
}

/** True where nothing follows the match in its line, or something that ends a value. */
function endsAfter(match: RegExpExecArray): boolean {
  const next = match.input.slice(match.index + match[0].length, match.index + match[0].length + 2);
  return next === '' || /^(?:[,;&)}\]"'\n\r\\]|\s?$)/.test(next);
}

function replaceGroup(match: RegExpExecArray, isSecret: boolean): string | undefined {
  const value = match[1] ?? '';
  return isSecret ? match[0].slice(0, match[0].length - value.length) + MASK : undefined;
}

/** Words have no digits and one case; secrets have. */
function looksRandom(value: string): boolean {
  if (/\d/.test(value)) return true;
  return value.length >= 20 && /[a-z]/.test(value) && /[A-Z]/.test(value);
}

/** Base64 of `user:password`. */
function isUserAndPassword(value: string): boolean {
  try {
    return /^[\x20-\x7e]{0,400}:[\x20-\x7e]{0,400}$/.test(atob(value));
  } catch {
    return false;
  }
}

/** All forms, in the order in which they are tried at one place. */
export const SECRET_PATTERNS: readonly SecretPattern[] = [
  PRIVATE_KEY,
  URL_PASSWORD,
  ...AUTHORIZATION,
  ...VENDOR_KEYS,
  USER_FLAG,
  COOKIES,
  NAMED,
];
