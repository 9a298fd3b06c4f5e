import type { Json, JsonObject } from '../../src/core/json.ts';
import type { Corpus, CorpusCall } from './corpus.ts';

// A small corpus of our own: 30 tools, ten calls each, with the values that real calls have.

const text: JsonObject = { type: 'string' };
const whole: JsonObject = { type: 'integer' };
const number: JsonObject = { type: 'number' };
const yes: JsonObject = { type: 'boolean' };
const words = (...list: string[]): JsonObject => ({ type: 'string', enum: list });
const list = (items: JsonObject): JsonObject => ({ type: 'array', items });
const object = (properties: JsonObject, required: readonly string[] = Object.keys(properties)): JsonObject => ({
  type: 'object',
  properties,
  required: [...required],
});

/** Names of tools with their keys; those with `?` may be left out. */
const TOOLS: readonly (readonly [string, Readonly<Record<string, JsonObject>>])[] = [
  ['get_weather', { city: text, 'units?': words('celsius', 'fahrenheit') }],
  [
    'convert_currency',
    { amount: number, from: words('EUR', 'USD', 'GBP', 'JPY'), to: words('EUR', 'USD', 'GBP', 'JPY') },
  ],
  ['write_file', { path: text, content: text, 'mode?': words('write', 'append') }],
  ['read_file', { path: text, 'first_line?': whole, 'last_line?': whole }],
  ['search', { query: text, 'maxResults?': whole, 'safeSearch?': yes }],
  ['send_mail', { to: list(text), subject: text, body: text, 'cc?': list(text) }],
  ['book_room', { hotel: text, nights: whole, guest: object({ firstName: text, last_name: text }), 'breakfast?': yes }],
  ['order', { items: list(object({ sku: text, qty: whole })), 'note?': text }],
  ['set_light', { room: words('living_room', 'kitchen', 'bed-room'), state: words('ON', 'OFF'), 'level?': number }],
  ['move_to', { x: number, y: number, 'options?': object({ maxSpeed: number, avoid_stairs: yes }) }],
  ['triangle.area', { base: number, height: number }],
  ['sql_execute', { statement: text, 'parameters?': list(text) }],
  ['create_event', { title: text, start: text, end: text, 'attendees?': list(text), 'isPrivate?': yes }],
  ['translate', { text, target_language: words('de', 'fr', 'ja') }],
  ['run_command', { command: text, 'timeoutSeconds?': number }],
  ['plot', { points: list(list(number)), 'title?': text }],
  ['update_record', { id: whole, fields: { type: 'object', additionalProperties: text } }],
  ['list_files', { 'folder?': text, 'isRecursive?': yes }],
  ['now', {}],
  ['transfer', { fromAccount: text, toAccount: text, amountCents: whole, 'memo?': text }],
  [
    'add_comment',
    { issue_number: whole, body: text, 'labels?': list(words('bug', 'help wanted', 'good-first-issue')) },
  ],
  ['set_alarm', { hour: whole, minute: whole, 'days?': list(words('mon', 'tue', 'wed', 'thu', 'fri')) }],
  ['play', { artist: text, 'shuffle?': yes, 'volume?': number }],
  ['calculate', { expression: text }],
  ['find_flights', { origin: text, destination: text, 'passengers?': object({ adults: whole, children: whole }) }],
  ['resize_image', { url: text, width: whole, height: whole, 'format?': words('png', 'jpeg', 'webp') }],
  ['patch_file', { path: text, edits: list(object({ old_text: text, newText: text })) }],
  [
    'http_request',
    { url: text, method: words('GET', 'POST', 'DELETE'), 'headers?': { type: 'object', additionalProperties: text } },
  ],
  ['rate_movie', { title: text, rating: number, 'spoilers?': yes }],
  ['track_parcel', { tracking_number: text, 'carrier?': words('post', 'express') }],
];

/** Texts as models send them: short and long, with quotes, tags, braces, line breaks and other alphabets. */
const TEXTS: readonly string[] = [
  'Paris',
  'São Paulo, Brasil',
  '東京',
  'She said "no" and left.',
  "it's fine, isn't it?",
  'line one\nline two\n',
  '\n\tindented\n',
  'if (a < b && c > d) { return [a, b]; }',
  '<parameter=x>not one</parameter>',
  'C:\\temp\\new.txt',
  '/home/ann/notes.md',
  'SELECT * FROM t WHERE a = \'x\' AND b LIKE "%y%"',
  'ann@example.com',
  '2026-11-30T12:00:00Z',
  '007',
  'true',
  'a, b; c',
  '😀 done',
  '{"inner": "json"}',
  'https://example.com/a?b=c&d=e#f',
];
const NUMBERS: readonly number[] = [0, 5, 12, 100, 2026, -3, 1_000_000];

/** A value for a schema; `turn` chooses which. */
function valueFor(schema: JsonObject, turn: number): Json {
  const allowed = schema['enum'];
  if (Array.isArray(allowed)) return (allowed as readonly Json[])[turn % allowed.length] ?? null;
  switch (schema['type']) {
    case 'integer':
      return NUMBERS[turn % NUMBERS.length] ?? 0;
    case 'number':
      return (NUMBERS[turn % NUMBERS.length] ?? 0) + (turn % 3) / 4;
    case 'boolean':
      return turn % 2 === 0;
    case 'array':
      return Array.from({ length: turn % 4 }, (_, index) => valueFor(schema['items'] as JsonObject, turn + index * 3));
    case 'object':
      return objectFor(schema, turn);
    default:
      return TEXTS[turn % TEXTS.length] ?? '';
  }
}

function objectFor(schema: JsonObject, turn: number): JsonObject {
  const properties = (schema['properties'] ?? {}) as Record<string, JsonObject>;
  const required = (schema['required'] ?? []) as readonly string[];
  const keys = Object.keys(properties).filter((key, index) => required.includes(key) || (turn + index) % 2 === 0);
  const members = keys.map((key, index): [string, Json] => [
    key,
    valueFor(properties[key] ?? {}, turn * 7 + index * 5),
  ]);
  return schema['additionalProperties'] === undefined
    ? Object.fromEntries(members)
    : { colour: 'red', 'Big Size': 'no' };
}

/** The corpus that CI runs on. */
export function ownCorpus(): Corpus {
  const declarations = TOOLS.map(([name, keys]) => {
    const properties = Object.fromEntries(Object.entries(keys).map(([key, schema]) => [key.replace('?', ''), schema]));
    const required = Object.keys(keys).filter((key) => !key.endsWith('?'));
    return { name, description: `Does ${name.replace(/[._]/g, ' ')}.`, parameters: object(properties, required) };
  });
  const calls = declarations.map((declaration, index) =>
    Array.from({ length: 10 }, (_, turn): CorpusCall => ({
      name: declaration.name,
      declaration,
      input: objectFor(declaration.parameters, index + turn * 3),
    })),
  );
  const replies = calls.flatMap((own) => own.map((call) => [call]));
  // Some replies of two and three calls.
  const several = calls
    .slice(1)
    .map((own, index) => [...(calls[index]?.slice(0, 1 + (index % 2)) ?? []), ...own.slice(3, 4)]);
  return { replies: [...replies, ...several], declarations, questions: TEXTS };
}
