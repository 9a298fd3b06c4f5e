// Taking secrets out of a tool's output, of 10 KB, 100 KB and 1 MB.
import { table } from './measure.mjs';
import { sources } from './sources.mjs';

const { createRedactor, stripPaths } = await sources('secrets/redactor', 'secrets/paths');
const { redact } = createRedactor(['hunter2hunter2', 'another-secret-of-ours']);

const texts = {
  'a log without anything': 'The quick brown fox jumps over the lazy dog, row 0123456789. \n',
  'JSON with addresses':
    '{"id":4711,"name":"Ann Example","url":"https://api.example.test/v1/orders?id=12","tokens":512},',
  'text of another alphabet': 'Γειά σου Κόσμε — здравствуй, мир — 你好世界。\n',
  'a secret in each line': 'GET /orders Authorization: Bearer abc123.def-456 password=hunter2hunter2\n',
  'nothing but anchors': 'password sk-token: ://bearer eyJ key= -----BEGIN ',
};
const sized = (unit, chars) => unit.repeat(Math.ceil(chars / unit.length)).slice(0, chars);
const rows = Object.entries(texts).map(([name, unit]) => [
  name,
  (factor) => {
    const text = sized(unit, 10_000 * factor);
    return { work: () => redact(text), units: text.length };
  },
]);
const frames = 'Error: no such file /home/ann/app/data.txt\n    at open (/srv/app/src/orders.ts:12:7)\n';
rows.push([
  'paths and stacks of an error',
  (factor) => {
    const text = sized(frames, 10_000 * factor);
    return { work: () => stripPaths(text), units: text.length };
  },
]);
table('redaction', 'MB/s', rows, (nsOfChar) => 1000 / nsOfChar);
