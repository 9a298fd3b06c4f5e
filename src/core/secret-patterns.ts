/** What stands in place of a secret. */
export const MASK = '[redacted]';

/**
 * One form of secrets. `at` is tried only where a text has one of the `starts`, so that a text without them costs one
 * search; every repetition in it is bounded, so that a text full of them stays linear.
 */
export interface SecretPattern {
  /** The first three characters of everything that `at` matches, in lower case. */
  readonly starts: readonly string[];
  /** Sticky. Its match ends with the secret: its last group, or all of it where it has none. */
  readonly at: RegExp;
  /** Whether it is one after all. */
  readonly isSecret: (secret: string, match: RegExpExecArray) => boolean;
}

const always = (): boolean => true;
const hasDigit = (text: string): boolean => /\d/.test(text);

/** A letter or digit before it would make it a part of another word. */
const BOUNDARY = '(?<![A-Za-z0-9])';

/** A key that a vendor gives out, known by its beginning: `beginnings` are separated by `|`. */
function vendorKey(beginnings: string, rest: string): SecretPattern {
  const starts = beginnings.split('|').map((beginning) => beginning.slice(0, 3).toLowerCase());
  const literal = beginnings.replaceAll('.', String.raw`\.`);
  return { starts, at: new RegExp(`${BOUNDARY}(?:${literal})${rest}`, 'y'), isSecret: always };
}

/** A key whose beginning (all of one length) is also the beginning of words: what follows has to hold a digit. */
function vendorKeyWithDigit(beginnings: string, rest: string): SecretPattern {
  const length = beginnings.search(/\||$/);
  return { ...vendorKey(beginnings, rest), isSecret: (key) => hasDigit(key.slice(length)) };
}

/** Beginnings of keys, from the vendors' own documentation and the rules of GitHub's and GitGuardian's public secret scanning. */
const VENDOR_KEYS: readonly SecretPattern[] = [
  // OpenAI, Anthropic, OpenRouter and everybody who followed them: sk-, sk-proj-, sk-ant-, sk-or-v1-.
  vendorKeyWithDigit('sk-', '[\\w-]{16,300}'),
  vendorKey('rk_|sk_', '(?:live|test|prod)_[A-Za-z0-9]{10,200}'), // Stripe
  vendorKey('whsec_', '[A-Za-z0-9+/=]{16,200}'), // Stripe, Svix webhooks
  vendorKey('ghp_|gho_|ghu_|ghs_|ghr_', '[A-Za-z0-9]{16,255}'), // GitHub
  vendorKey('github_pat_', '\\w{20,255}'),
  vendorKey('glpat-|glptt-|gldt-|glrt-|glcbt-|glsoat-', '[\\w-]{16,100}'), // GitLab
  vendorKey('xox', '[abeoprs]-[A-Za-z0-9-]{10,300}'), // Slack
  vendorKey('xapp-', '[A-Za-z0-9-]{10,300}'),
  vendorKey('AKIA|ASIA|ABIA|ACCA', '[A-Z0-9]{16}(?![A-Za-z0-9])'), // AWS access key ids
  vendorKey('AIza', '[\\w-]{30,60}'), // Google API keys
  vendorKey('ya29.', '[\\w-]{20,400}'), // Google OAuth
  vendorKey('GOCSPX-', '[\\w-]{20,60}'),
  vendorKeyWithDigit('hf_', '[A-Za-z0-9]{20,100}'), // Hugging Face
  vendorKeyWithDigit('npm_', '[A-Za-z0-9]{30,100}'),
  vendorKey('pypi-', '[\\w-]{30,300}'),
  vendorKey('SG.', '[\\w-]{10,80}\\.[\\w-]{10,100}'), // SendGrid
  vendorKeyWithDigit('gsk_', '[A-Za-z0-9]{20,100}'), // Groq
  vendorKeyWithDigit('xai-', '[A-Za-z0-9]{20,200}'),
  vendorKeyWithDigit('r8_', '[A-Za-z0-9]{20,100}'), // Replicate
  vendorKeyWithDigit('pplx-', '[A-Za-z0-9]{20,100}'), // Perplexity
  vendorKeyWithDigit('tvly-', '[A-Za-z0-9-]{16,100}'), // Tavily
  vendorKeyWithDigit('nvapi-', '[\\w-]{20,200}'), // NVIDIA
  vendorKeyWithDigit('doo_v1_|dop_v1_|dor_v1_|dot_v1_', '[a-f0-9]{32,100}'), // DigitalOcean
  vendorKeyWithDigit('shpat_|shpca_|shppa_|shpss_', '[A-Fa-f0-9]{20,100}'), // Shopify
  vendorKeyWithDigit('lin_api_', '[A-Za-z0-9]{20,100}'), // Linear
  vendorKeyWithDigit('figd_', '[\\w-]{20,100}'), // Figma
  vendorKeyWithDigit('dapi', '[a-f0-9]{32}(?![A-Za-z0-9])'), // Databricks
  vendorKeyWithDigit('key-', '[a-f0-9]{32}(?![A-Za-z0-9])'), // Mailgun
  vendorKey('AGE-SECRET-KEY-1', '[A-Z0-9]{20,100}'),
  vendorKeyWithDigit('sbp_', '[a-f0-9]{30,100}'), // Supabase
  // JSON Web Tokens (RFC 7519): a header that begins with {" in Base64.
  vendorKey('eyJ', '[\\w-]{5,4000}\\.[\\w-]{4,8000}(?:\\.[\\w-]{0,2000})?'),
];

/** A bot of Telegram: number, colon, 35 characters. */
const TELEGRAM: SecretPattern = { starts: [':aa'], at: /:(AA[\w-]{30,40})/y, isSecret: always };

/** RFC 7468: everything between the lines, and to the end of the text where the last line is missing. */
const PRIVATE_KEY: SecretPattern = {
  starts: ['---'],
  at: /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----)){0,20000}(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?/y,
  isSecret: always,
};

/** RFC 3986 section 3.2.1: user and password before the host. Scheme, user's place and host stay readable. */
const URL_PASSWORD: SecretPattern = {
  starts: ['://'],
  at: /:\/\/([^\s/?#:@"'<>]{0,200}:[^\s/?#"'<>]{1,400})(?=@)/y,
  isSecret: always,
};

/** RFC 6750 and RFC 7617. "bearer" and "basic" are words, too: what follows has to look like a secret. */
const AUTHORIZATION: readonly SecretPattern[] = [
  {
    starts: ['bea'],
    at: /(?<![a-z0-9])bearer(?:\s{1,3}|\s{0,3}[:=]\s{0,3}|%20)["']?([\w.~+/=-]{6,8000})/iy,
    isSecret: looksRandom,
  },
  { starts: ['bas'], at: /(?<![a-z0-9])basic\s{1,3}([a-z0-9+/]{6,4000}={0,2})/iy, isSecret: isUserAndPassword },
];

/** curl's `-u name:password`. Other programs take `user:group` there, which looks like words. */
const USER_FLAG: SecretPattern = {
  starts: ['-u ', '--u'],
  at: /(?<![A-Za-z0-9])(?:-u |--user[ =])["']?[^\s:"'=]{1,100}:([^\s"'`]{1,400})/y,
  isSecret: (password) => /[a-z]/i.test(password) && looksRandom(password),
};

/** RFC 6265: a header of cookies, all of them, to the end of its line. */
const COOKIES: SecretPattern = {
  starts: ['coo'],
  at: /cookie\d?["']?\s{0,3}[:=]\s{0,3}["']?([^\s=;"'[]{1,200}=[^\n"'}]{1,4000})/iy,
  isSecret: always,
};

/** What stands before a secret in `name=value`, `name: value`, `<name>value</name>`, `--name value` and "name is value". */
const NAMES =
  'pass(?:word|wd|phrase)|pwd|secret(?:[_-]?key)?|token|api[_ -]?key|(?:access|private|account)[_-]?key|authorization|credentials?|(?:signature|[&?]sig|key)(?==)';

const NAMED: SecretPattern = {
  starts: ['pas', 'pwd', 'sec', 'tok', 'api', 'acc', 'pri', 'aut', 'cre', 'sig', '&si', '?si', 'key'],
  at: new RegExp(
    `(?:${NAMES})(?:[_-]?(?:key|value|id))?\\\\?["']?\\s{0,3}(=>|:=|[=:>]|is\\b|\\s)\\s{0,3}(?:(\\\\?["'\`])([^"'\`\\n\\\\]{1,400})|([^\\s"'\`,;&)}[\\]<>\\\\]{1,400}))`,
    'iy',
  ),
  isSecret: isNamedSecret,
};

/** Words that follow a name and a colon in plain sentences. */
const PROSE =
  /^(?:required|missing|invalid|must|is|are|was|not|no|none|null|undefined|true|false|expected|unexpected|string|number|too|wrong|incorrect|expired|denied|unknown|empty|please|the|a|an|your|basic|bearer|\W{1,20})$/i;

function isNamedSecret(value: string, match: RegExpExecArray): boolean {
  const [whole, operator = '', quote] = match;
  if (value.startsWith('[redacted') || !isTelling(match, operator, value)) return false;
  // In capitals, `KEY=` and `SIGNATURE=` name settings as often as secrets.
  if (/^(?:KEY|[&?]?SIG)/.test(whole)) return false;
  const name = whole.slice(0, -value.length);
  const isLong = value.length >= 6;
  const isPassword = /pass|pwd/i.test(name);
  if (quote !== undefined) return isPassword || isLong;
  if (PROSE.test(value)) return false;
  // "token: the word that ..." is a sentence; "token: 8f3a" is not. A value ends with its line or at a bracket.
  if (operator === ':' && !hasDigit(value) && !endsAfter(match)) return false;
  // A path is where the working directory is, not a secret.
  if (isPassword) return !(/pwd/i.test(name) && value.startsWith('/'));
  return isLong && !/^\d{6}$/.test(value);
}

/** Whether what stands between name and value makes a secret of it: the tag of an element, a flag of a command and "is" do so only where the rest fits. */
function isTelling(match: RegExpExecArray, operator: string, value: string): boolean {
  if (operator === '>') return match.input.startsWith('</', match.index + match[0].length);
  if (/^[:=]/.test(operator)) return true;
  // Sentences speak of passwords and tokens, too: only what has letters and digits is one.
  if (value.length < 6 || !hasDigit(value) || !/[a-z]/i.test(value)) return false;
  const before = match.input.slice(Math.max(0, match.index - 40), match.index);
  return /^is$/i.test(operator) || /(?:^|[\s"'])--?[\w-]*$/.test(before);
}

/** True where nothing follows the match in its line, or something that ends a value. */
function endsAfter(match: RegExpExecArray): boolean {
  const next = match.input.slice(match.index + match[0].length, match.index + match[0].length + 2);
  return next === '' || /^(?:[,;&)}\]"'\n\r\\]|\s?$)/.test(next);
}

/** Words have no digits and one case; secrets have. */
function looksRandom(value: string): boolean {
  return hasDigit(value) || (value.length >= 20 && /[a-z]/.test(value) && /[A-Z]/.test(value));
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
  TELEGRAM,
  USER_FLAG,
  COOKIES,
  NAMED,
];
