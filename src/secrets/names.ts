import type { SecretKind } from './value-look.ts';

/** Words behind the one that counts: `DB_PASSWORD_OLD`, `secret_key_base`, `client-key-data`, `password2`. */
const SUFFIX =
  /_(?:value|val|raw|plain|plaintext|text|string|str|base|old|new|prod|production|dev|staging|stage|test|live|primary|secondary|main|default|enc|encoded|b64|base64|hash|header|data|\d{1,3})$/;

/** By the name in small letters, its words joined by `_`. The first that fits counts. */
const KINDS: readonly (readonly [RegExp, SecretKind | undefined])[] = [
  // About a secret, a form's labels and errors, or a place in a list: not the secret.
  [
    /(?:^|_)(?:public|errors?|labels?|placeholder|hint|messages?|title|description|valid\w*|rules?|policy|min|max|length|strength|forgot|selector|type|regex|pattern|is|has|no|num|total|count)(?:_|$)/,
    undefined,
  ],
  [
    /(?:^|_)(?:(?:next|prev|previous|first|last)_?)?(?:page|paging|pagination|next|prev|previous|cursor|continuation|continue|sync|delta|change|start|stop|end|pad|eos|bos|unk|sep|cls|mask|special|input|output|prompt|completion|resume|resumption|skip|scroll|list|watch|marker|csrf|xsrf|csrfmiddleware|verification|cancel\w*|word|sub)_?token$/,
    undefined,
  ],
  [
    /(?:^|_)(?:sort|primary|foreign|partition|row|cache|map|object|group|routing|idempotency|surrogate|event|message|translation|i18n|index|registry|meta|item|state|hot|short|host|arrow|composite|unique|natural|candidate|range|hash|lookup|dedup\w*|websocket|react|query|issue|project|license)_?keys?$/,
    undefined,
  ],
  [/(?:^|_)[a-z\d]*(?:password|passwd|passwort|passphrase|passcode)$/, 'password'],
  [
    /(?:^|_)(?:pg|db|ssh|sql|mysql|user|root|admin|my|smtp|mail|ftp|ldap|http|wifi|redis|basic|auth)?(?:pass|pwd|pw|psw)$/,
    'password',
  ],
  [/(?:^|_)[a-z\d]*(?:secrets?|credentials?)$|(?:^|_)creds?$/, 'password'],
  [
    /(?:^|_)(?:[a-z\d]*(?:token|apikey|accesskey|secretkey|privatekey|authkey|accountkey|licensekey)|jwt|pat|bearer|_?auth)$/,
    'token',
  ],
  [
    /(?:^|_)(?:api|access|private|secret|auth|encryption|signing|account|master|shared|subscription|functions?|deploy|server|service|app|application|integration|write|admin|webhook)_?key$/,
    'token',
  ],
  [/(?:^|_)(?:php|j|asp)?sess(?:ion)?_?(?:id|key|cookie)?$|(?:^|_)(?:connect_)?sid$/, 'session'],
  [/(?:^|_)key$/, 'key'],
];

/** Parameters of an address that open something, although no name of a secret elsewhere. */
const PARAMETERS =
  /^(?:sig|signature|code|x_amz_signature|x_amz_credential|x_amz_security_token|x_goog_signature|x_goog_credential|assertion|ticket|otp|state)$/;

/** The words of a name in small letters: `apiKey`, `API_KEY` and `x-api-key` as `api_key`, `x_api_key`. */
function wordsOf(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$1$3_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '');
}

/** What a name says of the value behind it. */
export interface AboutName {
  /** Undefined where no secret stands under it. */
  readonly kind: SecretKind | undefined;
  /** The same for the parameter of an address: there `code` and `sig` count, too. */
  readonly parameterKind: SecretKind | undefined;
  /** `Authorization` and its kin: whatever stands behind it is a secret. */
  readonly isAuthorization: boolean;
  readonly isCookie: boolean;
  /** Written as the header of a request: `X-Api-Key`. */
  readonly isHeader: boolean;
  /** It may consist of plain words. */
  readonly isPhrase: boolean;
}

/** Chosen: a text uses few names, again and again. */
const MAX_KNOWN_NAMES = 500;

const known = new Map<string, AboutName>();

/** A part of every name that counts: asked first, since most names are others. */
const NAME =
  /pass|pwd?|psw|secret|token|key|cred|auth|sess|sid|jwt|pat|bearer|cookie|sig|code|otp|ticket|state|assert/i;

const NO_NAME: AboutName = {
  kind: undefined,
  parameterKind: undefined,
  isAuthorization: false,
  isCookie: false,
  isHeader: false,
  isPhrase: false,
};

/** Reads a name; one that was read lately costs a look into a map. */
export function aboutName(name: string): AboutName {
  if (name.length > 100 || !NAME.test(name)) return NO_NAME;
  let about = known.get(name);
  if (about === undefined) {
    if (known.size >= MAX_KNOWN_NAMES) known.clear();
    about = readName(name);
    known.set(name, about);
  }
  return about;
}

function readName(name: string): AboutName {
  const kind = kindOf(name);
  return {
    kind,
    parameterKind: kind ?? (PARAMETERS.test(wordsOf(name)) ? 'key' : undefined),
    isAuthorization: /(?:^|[-_.])authorization$/i.test(name),
    isCookie: /^(?:set-)?cookie$/i.test(name),
    isHeader: kind !== 'key' && /^[Xx]-|^[A-Z][a-z]+-[A-Z]/.test(name),
    isPhrase: /passphrase$/i.test(name),
  };
}

function kindOf(name: string): SecretKind | undefined {
  // In a shell, where one is.
  if (name === 'PWD' || name === 'OLDPWD') return undefined;
  let words = wordsOf(name);
  for (let before = ''; before !== words;) {
    before = words;
    words = words.replace(SUFFIX, '').replace(/(?<=[a-z])\d{1,2}$/, '');
  }
  return KINDS.find(([pattern]) => pattern.test(words))?.[1];
}

/** Endings that say that the value of a variable is a place, a name or a setting, not the secret itself. */
const NOT_A_VALUE =
  /(?:^|_)(?:file|path|dir|sock|socket|name|url|uri|host|port|id|user|username|ttl|timeout|expiry|limit|count|type|algorithm|provider|helper|parallelism|layout)$/;

/** Words that make a variable of the environment one with a secret, wherever they stand. */
const SECRET_VARIABLE =
  /(?:^|_)(?:keys?|pass|pwd|auth|pat|cookie|authorization|credentials?|secrets?|\w*(?:apikey|accesskey|secretkey|privatekey|token|password|passwd|passphrase|secret))(?:_|$)/;

/** True for the name of an environment variable whose value is probably a secret. */
export function isSecretVariable(name: string): boolean {
  const words = wordsOf(name);
  if (name === 'PWD' || name === 'OLDPWD' || /(?:^|_)public(?:_|$)/.test(words) || NOT_A_VALUE.test(words))
    return false;
  return SECRET_VARIABLE.test(words);
}
