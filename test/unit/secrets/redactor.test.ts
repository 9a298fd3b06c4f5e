import { describe, expect, test } from 'vitest';
import { createRedactor, secretsOfEnvironment } from '../../../src/secrets/redactor.ts';
import { stripPaths } from '../../../src/secrets/paths.ts';

const { redact, redactValue } = createRedactor([]);

// Put together here so that no scanner takes them for real secrets.
const fake = (head: string, length: number): string => head + 'a1B2c3D4e5F6g7H8'.repeat(20).slice(0, length);

describe('exact secrets', () => {
  const secret = 'pä"ss+word/42';
  const exact = createRedactor([secret, 'tiny', 'hunter2hunter2', 'hunter2hunter2-longer']);

  test.each([
    { name: 'as it is', text: `key ${secret}.` },
    { name: 'percent-encoded', text: `?k=${encodeURIComponent(secret)}&x` },
    { name: 'as in JSON', text: JSON.stringify({ note: secret }) },
    { name: 'in Base64', text: Buffer.from(secret).toString('base64') },
    { name: 'in the Base64 of user:secret', text: Buffer.from(`me:${secret}`).toString('base64') },
    { name: 'percent-encoded in small letters', text: encodeURIComponent(secret).toLowerCase() },
    { name: 'percent-encoded twice', text: encodeURIComponent(encodeURIComponent(secret)) },
    { name: 'with the escapes of JSON for HTML', text: JSON.stringify(secret).replaceAll('+', String.raw`\u002b`) },
    { name: 'with an escaped slash', text: JSON.stringify(secret).replaceAll('/', String.raw`\/`) },
    {
      name: 'with entities of HTML',
      text: secret.replace('"', '&quot;').replace('ä', '&#228;').replace('/', '&#x2F;'),
    },
    { name: 'in hex', text: Buffer.from(secret).toString('hex') },
    { name: 'in capital hex', text: Buffer.from(secret).toString('hex').toUpperCase() },
    { name: 'with a line break inside', text: `${secret.slice(0, 7)}\n    ${secret.slice(7)}` },
    { name: 'with an escaped line break inside', text: secret.slice(0, 2) + String.raw`\n` + secret.slice(2) },
    { name: 'in Base64 with a line break', text: Buffer.from(secret).toString('base64').replace(/^.{9}/, '$&\n') },
    { name: 'in the Base64 of name:secret:more', text: Buffer.from(`ann:${secret}:x`).toString('base64') },
  ])('is found $name', ({ text }) => {
    const safe = exact.redact(text);
    expect(safe).toContain('[redacted]');
    expect(safe).not.toContain(secret);
    expect(Buffer.from(safe.replace('[redacted]', ''), 'base64').toString()).not.toContain('word/42');
    expect(safe).not.toMatch(/word|42/);
  });

  test('the longest form goes first, so that no rest is left', () => {
    expect(exact.redact('x hunter2hunter2-longer y')).toBe('x [redacted] y');
  });

  test('a value too short to be told from a word stays', () => {
    expect(exact.redact('a tiny lamp')).toBe('a tiny lamp');
  });

  test('a secret that is a piece of the mask does not eat the mask', () => {
    const odd = createRedactor(['redacted', 'hunter2hunter2']);
    expect(odd.redact(odd.redact('hunter2hunter2 redacted'))).toBe('[redacted] redacted');
  });
});

describe('a strong form behind an escape', () => {
  const keys = [
    fake('ghp_', 36),
    fake('sk-proj-', 48),
    `AKIA${'Q7ZP'.repeat(4)}`,
    `eyJ${fake('', 20)}.eyJ${fake('', 20)}.${fake('', 43)}`,
  ];

  test.each([
    { name: 'a line break in JSON', before: String.raw`{"stdout":"line\n`, after: String.raw`\nend"}` },
    { name: 'a line break in JSON in JSON', before: String.raw`{\"a\":\"line\\n`, after: String.raw`\\n\"}` },
    { name: 'a tab in JSON', before: String.raw`"a\t`, after: String.raw`\tb"` },
    { name: 'a code unit of JSON', before: String.raw`"a\u000a`, after: '"' },
    { name: 'a byte of Python', before: String.raw`b'a\x0a`, after: "'" },
    { name: 'an octal escape', before: String.raw`\033[31m`, after: String.raw`\033[0m` },
    { name: 'a percent escape', before: '/path%0A', after: '%0A' },
    { name: 'a color of a terminal', before: '\u001B[1;31m', after: '\u001B[0m' },
  ])('is masked: $name', ({ before, after }) => {
    for (const key of keys) expect(redact(before + key + after)).toBe(`${before}[redacted]${after}`);
  });

  test.each([
    String.raw`{"s":"x\nBearer Xy7kQ9vLm2pRt5Zz8w"}`,
    String.raw`{"s":"x\r\nBasic dXNlcjpYeTdrUTl2TG0ycFJ0NQ=="}`,
    '\u001B[31mBearer Xy7kQ9vLm2pRt5Zz8w\u001B[0m',
    String.raw`{"s":"x\nmysql -u root -pXy7kQ9vLm2 db\n"}`,
    String.raw`{"s":"x\nsshpass -p Xy7kQ9vLm2 ssh u@h"}`,
  ])('what is a secret by its place is found behind one, too: %s', (text) => {
    expect(redact(text)).not.toMatch(/Xy7kQ9vLm2|dXNlcjpYeTdr/);
  });

  test('a letter or digit that ends no escape still makes it a part of a word', () => {
    for (const key of keys) expect(redact(`word${key}`)).toContain(key.slice(-8));
  });
});

describe('patterns', () => {
  test.each([
    { text: `sk-${fake('', 40)}`, left: '' },
    { text: `sk-ant-api03-${fake('', 60)}`, left: '' },
    { text: `sk-proj-${fake('', 60)}`, left: '' },
    { text: `ghp_${fake('', 36)}`, left: '' },
    { text: `github_pat_${fake('', 60)}`, left: '' },
    { text: `glpat-${fake('', 20)}`, left: '' },
    { text: `xoxb-1234567890-${fake('', 24)}`, left: '' },
    { text: 'AKIA' + 'IOSFODNN7EXAMPLE', left: '' },
    { text: `AIza${fake('', 35)}`, left: '' },
    { text: `hf_${fake('', 34)}`, left: '' },
    { text: `npm_${fake('', 36)}`, left: '' },
    { text: `SG.${fake('', 22)}.${fake('', 43)}`, left: '' },
    { text: `sk_live_${fake('', 24)}`, left: '' },
    { text: `gsk_${fake('', 40)}`, left: '' },
    { text: 'eyJhbGciOiJIUzI1' + 'NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl', left: '' },
    { text: '-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----', left: '' },
    { text: '-----BEGIN PRIVATE KEY-----\nMIIEcut in the middle', left: '' },
  ])('$text goes', ({ text, left }) => {
    expect(redact(`before ${text} after`).replace('[redacted]', '')).toMatch(new RegExp(`^before ${left}( after)?$`));
  });

  test.each([
    ['postgres://app:S3cretPw9@db.internal:5432/orders', 'postgres://[redacted]@db.internal:5432/orders'],
    ['redis://:p@ss@host/0', 'redis://[redacted]@host/0'],
    ['Authorization: Bearer abc123.def-456', 'Authorization: Bearer [redacted]'],
    ['aUTHORIZATION: bEARER abc123.def-456', 'aUTHORIZATION: bEARER [redacted]'],
    ['Authorization: Basic dXNlcjpwYXNzd29yZA==', 'Authorization: Basic [redacted]'],
    ['password=hunter', 'password=[redacted]'],
    ['key: hunter2', 'key: hunter2'],
    ['DB_PASSWORD=hunter2 PORT=5432', 'DB_PASSWORD=[redacted] PORT=5432'],
    ['api_key: abcd1234efgh', 'api_key: [redacted]'],
    ['https://x.test/a?token=abc123def&b=2', 'https://x.test/a?token=[redacted]&b=2'],
    ['Cookie: session=abc; theme=dark\nnext', 'Cookie: session=[redacted]\nnext'],
    ['x-api-key: 0123456789', 'x-api-key: [redacted]'],
    ['<password>hunter2</password>', '<password>[redacted]</password>'],
    ['<db:api_key id="1">', '<db:api_key id="1">'],
    ['login --password hunter2x --token=abcd1234', 'login --password [redacted] --token=[redacted]'],
    ['the password is hunter2x.', 'the password is [redacted].'],
    ['curl -u admin:hunter2 https://x.test', 'curl -u admin:[redacted] https://x.test'],
    ["curl --user='admin:hunter2'", "curl --user='admin:[redacted]'"],
    ['AccountKey=abcdefgh123==;Endpoint=x', 'AccountKey=[redacted];Endpoint=x'],
  ])('%s becomes %s', (text, safe) => {
    expect(redact(text)).toBe(safe);
  });

  test.each([
    'The weather in Paris is fine; task-force and risk-assessment met.',
    'disk-usage-of-machine-20240101 task-number-1234567890123 sk-learn',
    '6ba7b810-9dad-11d1-80b4-00c04fd430c8',
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    'Unexpected token: < in JSON at position 0',
    'invalid token: expected } but got {',
    'password: required',
    'The password must be at least 8 characters.',
    'max_tokens=4096, token_count: 5, tokens: 512',
    'Basic authentication and bearer certificates',
    'Basic JavaScript course',
    'http://127.0.0.1:11434/v1/chat?x=a@b',
    'write to ann@example.test: the secret of a good soup',
    'key: door',
    'The password is wrong, and the token is expired.',
    'password > 8 characters, tokens > 4096',
    'Set --password to something long, or --token instead.',
    'docker run -u 1000:1000 -u www-data:www-data',
    'The secret 2nd door and password 12345678 are words.',
    'PWD=/home/ann',
    'Your API key is missing.',
    'SORT_KEY=abc123def SIGNATURE=abc123def',
  ])('%s stays', (text) => {
    expect(redact(text)).toBe(text);
  });

  test('a text is masked in the same way when it is masked again', () => {
    const texts = [
      'password=hunter2',
      'Authorization: Bearer abc123.def-456',
      'https://u:p4ss@h/?token=abc&key=1',
      'Cookie: a=b',
    ];
    for (const text of texts) expect(redact(redact(text))).toBe(redact(text));
  });

  test('strong forms go first, whatever weak pattern stands to their left', () => {
    const pem = `-----BEGIN PRIVATE KEY-----\\n${fake('MII', 60)}\\n${fake('', 64)}\\n-----END PRIVATE KEY-----`;
    expect(redact(`{"private_key":"${pem}\\n"}`)).toBe('{"private_key":"[redacted]\\n"}');
    expect(redact(`password: ${pem}`)).toBe('password: [redacted]');
  });

  test.each([
    ['{"apiKey":"abcd-efgh","n":1}', '{"apiKey":"[redacted]","n":1}'],
    ["{'client_secret': 'verysecret'}", "{'client_secret': '[redacted]'}"],
    ['token: swordfish', 'token: [redacted]'],
  ])('in an error %s becomes %s; in a good result it stays', (text, safe) => {
    expect(redact(text, 'words')).toBe(safe);
    expect(redact(text)).toBe(text);
  });

  test.each([
    { name: 'plain text', unit: 'line of output with words and things, 12:30, and so on\n' },
    { name: 'anchors only', unit: 'password=sk-token: ://bearer eyJ' },
    { name: 'open private keys', unit: '-----BEGIN PRIVATE KEY' },
    { name: 'slashes', unit: '/home/a!' },
  ])('a megabyte of $name takes time in proportion', ({ unit }) => {
    const time = (chars: number): number => {
      const text = unit.repeat(Math.ceil(chars / unit.length));
      const start = performance.now();
      stripPaths(redact(text));
      return performance.now() - start;
    };
    time(100_000);
    // Quadratic time would be 64 times as much, and many seconds.
    expect(time(800_000)).toBeLessThan(3000);
  });
});

describe('key names', () => {
  test('what stands under the name of a secret goes, the rest is the same object', () => {
    const kept = { city: 'Paris', key: 'door', nextPageToken: 'p2' };
    const value = {
      apiKey: 'k3y4471abcdef',
      db_password: 12345,
      nested: [{ Authorization: 'x' }],
      kept,
      max_tokens: 5,
      token: '',
      errors: { password: 'is too short' },
      header: { name: 'Authorization', value: 'x' },
    };
    const safe = redactValue(value);
    expect(safe).toEqual({
      apiKey: '[redacted]',
      db_password: '[redacted]',
      nested: [{ Authorization: '[redacted]' }],
      kept,
      max_tokens: 5,
      token: '',
      errors: { password: 'is too short' },
      header: { name: 'Authorization', value: '[redacted]' },
    });
    expect(safe.kept).toBe(kept);
    expect(redactValue(kept)).toBe(kept);
  });

  test('texts in values are redacted', () => {
    expect(redactValue(['ok', 'password=hunter2'])).toEqual(['ok', 'password=[redacted]']);
  });
});

describe('secretsOfEnvironment', () => {
  test('takes the values of secret names and the passwords in addresses', () => {
    const secrets = secretsOfEnvironment({
      OPENAI_API_KEY: 'value-of-openai',
      MYSERVICE_TOKEN: 'value-of-token',
      DB_PASSWORD: 'value-of-password',
      DATABASE_URL: 'postgres://app:longpassword@db/x',
      PATH: '/usr/bin:/bin',
      PWD: '/home/ann/project',
      SSH_AUTH_SOCK: '/run/user/1/keyring',
      KEYBOARD_LAYOUT: 'de-latin1',
      MONKEY: 'chimpanzee',
      TOKENIZERS_PARALLELISM: 'something',
      SECRET_FILE: '/run/secrets/a',
      PUBLIC_KEY: 'ssh-rsa AAAA',
      SHORT_KEY: 'abc',
      USE_TOKEN: 'disabled',
      EMPTY_TOKEN: undefined,
    });
    expect(secrets).toEqual(['value-of-openai', 'value-of-token', 'value-of-password', 'longpassword']);
  });
});

describe('stripPaths', () => {
  test.each([
    ['Error: no\n    at Object.<anonymous> (/x/y.ts:1:2)\n    at run (node:internal/x:3:4)\nafter', 'Error: no\nafter'],
    ["ENOENT: no such file, open '/home/ann/app/data.txt'", "ENOENT: no such file, open '[path]'"],
    ['in /srv/app/src/orders.ts:12:7 it broke', 'in [path] it broke'],
    ['see file:///work/x.mjs for it', 'see [path] for it'],
    [String.raw`open C:\Users\ann\x.txt failed`, 'open [path] failed'],
    [String.raw`C:\Program Files\App\a.dll`, '[path]'],
    ['~/secrets/x.txt', '[path]'],
    ['/opt/tool/bin/run is gone', '[path] is gone'],
    ['(/lib/a/b.py)', '([path])'],
  ])('%s becomes %s', (text, safe) => {
    expect(stripPaths(text)).toBe(safe);
  });

  test.each([
    'GET https://api.example.test/home/users/1 gave 404',
    'the route /orders/4711 is unknown',
    'due 1/2/2027 or 2027/02/11',
    '/dev/null and /tmp',
    'either/or, and/or, 3/4 of it',
    'application/json',
    'look at the door\n  at 5 pm is fine',
  ])('%s stays', (text) => {
    expect(stripPaths(text)).toBe(text);
  });
});
