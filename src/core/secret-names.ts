/** Words that make a name the name of a secret, wherever they stand at its end. */
const SECRET_WORDS: ReadonlySet<string> = new Set([
  'password',
  'passwd',
  'passphrase',
  'pwd',
  'secret',
  'secrets',
  'token',
  'credential',
  'credentials',
  'apikey',
  'authorization',
  'cookie',
  'auth',
  'pat',
]);

/** What a key has to be a key of, to be a secret: `key` alone may be the key of a door. */
const KEY_OF: ReadonlySet<string> = new Set([
  'api',
  'access',
  'private',
  'secret',
  'auth',
  'encryption',
  'signing',
  'session',
  'account',
  'service',
  'master',
  'license',
  'subscription',
  'ssh',
  'deploy',
  'webhook',
]);

/** Tokens that are places in a list, not secrets. */
const HARMLESS_BEFORE_TOKEN: ReadonlySet<string> = new Set([
  'page',
  'next',
  'cursor',
  'continuation',
  'sync',
  'stop',
  'pad',
  'start',
  'end',
  'max',
]);

/** True for the name of an object's key whose value nobody should see: `apiKey`, `db_password`, `Authorization`. */
export function isSecretKey(name: string): boolean {
  if (name.length > 100) return false;
  const words = wordsOf(name);
  const last = words.at(-1);
  if (last === undefined) return false;
  const before = words.at(-2) ?? '';
  if (last === 'key' || last === 'keys') return KEY_OF.has(before) && !words.includes('public');
  if (last === 'token') return !HARMLESS_BEFORE_TOKEN.has(before);
  // `auth` and `pat` alone are words of other meanings.
  if (last === 'auth' || last === 'pat') return false;
  return (
    SECRET_WORDS.has(last) || /(?:apikey|accesskey|secretkey|privatekey|authtoken|accesstoken|password)$/.test(last)
  );
}

/** Endings that say that the value is a place or a name, not the secret itself. */
const NOT_A_VALUE: ReadonlySet<string> = new Set([
  'file',
  'path',
  'dir',
  'sock',
  'socket',
  'name',
  'url',
  'uri',
  'host',
  'port',
  'id',
  'user',
  'username',
  'ttl',
  'timeout',
  'expiry',
  'limit',
  'count',
  'type',
  'algorithm',
  'provider',
  'helper',
]);

/** True for the name of an environment variable whose value is probably a secret. */
export function isSecretVariable(name: string): boolean {
  const words = wordsOf(name);
  const last = words.at(-1) ?? '';
  if (name === 'PWD' || name === 'OLDPWD' || words.includes('public') || NOT_A_VALUE.has(last)) return false;
  return words.some(
    (word) =>
      word === 'key' ||
      word === 'keys' ||
      word === 'pass' ||
      SECRET_WORDS.has(word) ||
      /(?:apikey|accesskey|secretkey|privatekey|token|password|passwd|secret)$/.test(word),
  );
}

/** `apiKey`, `API_KEY`, `x-api-key` as words in lower case. */
function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}
