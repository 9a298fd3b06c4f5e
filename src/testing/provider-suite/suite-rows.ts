import type { FailureKind } from '../../core/failure.ts';
import type { Json } from '../../core/json.ts';
import type { FinishReason } from '../../core/provider.ts';
import type { LoopbackDelivery, LoopbackReplyStep, LoopbackStep } from '../loopback/step.ts';
import type { LoopbackWire } from '../loopback/wire.ts';

/** A reply that is expected. */
export interface ExpectedReply {
  readonly text?: string;
  readonly reasoning?: string;
  /** In order; arguments are compared as values. */
  readonly calls?: readonly Json[];
  /** Calls that must not be held for complete. */
  readonly cutCalls?: number;
  readonly finish?: FinishReason;
}

/** One thing that a server does, and what a provider must make of it. */
export interface SuiteRow {
  readonly name: string;
  readonly step: LoopbackStep;
  /** @defaultValue every wire */
  readonly wires?: readonly LoopbackWire[];
  /** @defaultValue both */
  readonly mode?: 'stream' | 'plain';
  readonly reply?: ExpectedReply;
  /** One of these kinds, where no reply may come of it. */
  readonly failure?: readonly FailureKind[];
}

const CHAT: readonly LoopbackWire[] = ['openai'];
const OPENAI: readonly LoopbackWire[] = ['openai', 'openai-responses'];
const WITH_PIECES: readonly LoopbackWire[] = ['openai', 'openai-responses', 'anthropic'];

const TEXT = 'Grüße aus London: 18 °C — 👩‍👩‍👧 مرحبا.';
const london = { city: 'London' };
const paris = { city: 'Paris 🏔️' };
const call = (input: Json, more: object = {}): { name: string; input: Json } => ({
  name: 'get_weather',
  input,
  ...more,
});

const said: ExpectedReply = { text: TEXT, calls: [] };
const called: ExpectedReply = { calls: [london] };
const calledTwice: ExpectedReply = { calls: [london, paris] };
const cutOff: readonly FailureKind[] = ['network', 'cut-reply', 'malformed-reply'];

/** The same reply in other forms of delivery. */
const deliveries: readonly {
  readonly name: string;
  readonly how: LoopbackDelivery;
  readonly mode?: 'stream';
  readonly wires?: readonly LoopbackWire[];
}[] = [
  { name: 'as it should be', how: {} },
  { name: 'one byte a write', how: { bytesPerWrite: 1 } },
  { name: 'in three bytes a write', how: { bytesPerWrite: 3 } },
  { name: 'in one write', how: { oneWrite: true }, mode: 'stream' },
  { name: 'with CRLF', how: { crlf: true }, mode: 'stream' },
  { name: 'with CRLF, one byte a write', how: { crlf: true, bytesPerWrite: 1 }, mode: 'stream' },
  { name: 'behind a byte order mark', how: { bom: true } },
  { name: 'with comments', how: { comments: true }, mode: 'stream', wires: WITH_PIECES },
  { name: 'with data: and no space', how: { tightData: true }, mode: 'stream', wires: WITH_PIECES },
  { name: 'as text/plain', how: { contentType: 'text/plain' } },
  { name: 'compressed', how: { gzip: 'accepted' } },
];

/** The same calls, told in other ways. */
const callQuirks: readonly (Pick<SuiteRow, 'name' | 'wires' | 'mode'> & {
  readonly quirks: NonNullable<LoopbackReplyStep['quirks']>;
})[] = [
  { name: 'without an index', quirks: { callIndex: 'missing' }, wires: CHAT, mode: 'stream' },
  { name: 'all with index 0', quirks: { callIndex: 'zero' }, wires: CHAT, mode: 'stream' },
  { name: 'without ids', quirks: { callIds: 'missing' }, wires: OPENAI },
  { name: 'with empty ids', quirks: { callIds: 'empty' }, wires: OPENAI },
  { name: 'with the id in every piece', quirks: { callIds: 'every-piece' }, wires: CHAT, mode: 'stream' },
  { name: 'with the name in every piece', quirks: { callNames: 'every-piece' }, wires: CHAT, mode: 'stream' },
  { name: 'with the name in two parts', quirks: { callNames: 'split' }, wires: CHAT, mode: 'stream' },
  { name: 'with the name last', quirks: { callNames: 'last' }, wires: CHAT, mode: 'stream' },
  { name: 'with whole arguments', quirks: { callArguments: 'whole' } },
  { name: 'with cumulative arguments', quirks: { callArguments: 'cumulative' }, wires: WITH_PIECES, mode: 'stream' },
  {
    name: 'with the whole arguments once more at the end',
    quirks: { callArguments: 'again-at-end' },
    wires: WITH_PIECES,
    mode: 'stream',
  },
  {
    name: 'with arguments as a value',
    quirks: { callArguments: 'value' },
    wires: ['openai', 'openai-responses', 'ollama'],
  },
  { name: 'with pieces in turn', quirks: { interleaved: true }, wires: CHAT, mode: 'stream' },
];

const statuses: readonly {
  readonly step: LoopbackStep & { readonly status: number };
  readonly kind: FailureKind;
  readonly wires?: readonly LoopbackWire[];
}[] = [
  { step: { status: 400 }, kind: 'bad-request' },
  { step: { status: 401 }, kind: 'unauthorized' },
  { step: { status: 403 }, kind: 'unauthorized' },
  { step: { status: 404 }, kind: 'not-found' },
  { step: { status: 413 }, kind: 'too-large' },
  { step: { status: 429, headers: { 'retry-after': '1' } }, kind: 'rate-limited' },
  {
    step: { status: 429, type: 'insufficient_quota', code: 'insufficient_quota' },
    kind: 'quota-exhausted',
    wires: OPENAI,
  },
  { step: { status: 500 }, kind: 'server-error' },
  { step: { status: 502, body: '<html><head><title>502 Bad Gateway</title></head></html>' }, kind: 'server-error' },
  { step: { status: 503 }, kind: 'overloaded' },
  { step: { status: 504, body: '' }, kind: 'server-error' },
  { step: { status: 529 }, kind: 'overloaded' },
];

/** Everything that the suite asks of a wire. */
export const suiteRows: readonly SuiteRow[] = [
  ...deliveries.map(({ name, how, mode, wires }): SuiteRow => ({
    name: `a text ${name}`,
    step: { text: TEXT, ...how },
    reply: said,
    ...optional(mode, wires),
  })),
  ...deliveries.map(({ name, how, mode, wires }): SuiteRow => ({
    name: `two calls ${name}`,
    step: { calls: [call(london), call(paris)], ...how },
    reply: calledTwice,
    ...optional(mode, wires),
  })),
  ...callQuirks.map(({ name, quirks, mode, wires }): SuiteRow => ({
    name: `two calls ${name}`,
    step: { calls: [call(london), call(paris)], quirks },
    reply: calledTwice,
    ...optional(mode, wires),
  })),
  ...statuses.map(({ step, kind, wires }): SuiteRow => ({
    name: `status ${step.status} is ${kind}`,
    step,
    failure: [kind],
    ...optional(undefined, wires),
  })),

  { name: 'a text and a call', step: { text: TEXT, calls: [call(london)] }, reply: { text: TEXT, calls: [london] } },
  {
    name: 'reasoning and a text',
    step: { reasoning: 'Let me think.', text: TEXT },
    reply: { reasoning: 'Let me think.', text: TEXT },
    wires: ['openai', 'openai-responses', 'ollama'],
  },
  { name: 'a call without arguments', step: { calls: [call({})] }, reply: { calls: [{}] } },
  {
    name: 'a call with a megabyte of arguments',
    step: { calls: [call({ city: 'x'.repeat(1_000_000) })] },
    reply: { calls: [{ city: 'x'.repeat(1_000_000) }] },
  },
  {
    name: 'a text of a megabyte in one event',
    step: { text: ['x'.repeat(1_000_000)] },
    reply: { text: 'x'.repeat(1_000_000) },
  },
  {
    name: 'equal pieces that are not repeats',
    step: { calls: [call({ city: '11' }, { rawArguments: ['{"city":"', '1', '1', '"}'] })] },
    reply: { calls: [{ city: '11' }] },
    wires: WITH_PIECES,
  },
  {
    name: 'JSON inside JSON',
    step: { calls: [call({}, { rawArguments: ['{"a":', '{"a":1}', '}'] })] },
    reply: { calls: [{ a: { a: 1 } }] },
    wires: WITH_PIECES,
  },

  { name: 'a call with the finish reason stop', step: { calls: [call(london)], finish: 'stop' }, reply: called },
  {
    name: 'a call with an unknown finish reason',
    step: { calls: [call(london)], finish: 'eventually' },
    reply: called,
  },
  {
    name: 'a text that hit its limit',
    step: { text: TEXT, finish: 'length' },
    reply: { text: TEXT, finish: 'length' },
  },
  {
    name: 'half a call that hit the limit',
    step: { calls: [call({}, { rawArguments: '{"city":"Lon' })], finish: 'length' },
    reply: { cutCalls: 1, finish: 'length' },
    wires: WITH_PIECES,
    mode: 'stream',
  },
  {
    name: 'a content filter',
    step: { text: TEXT, finish: 'content-filter' },
    reply: { finish: 'content-filter' },
    wires: WITH_PIECES,
  },
  { name: 'a refusal', step: { refusal: 'I will not.' }, reply: { finish: 'content-filter' }, wires: WITH_PIECES },
  { name: 'a reply of nothing', step: { text: '' }, reply: { text: '', calls: [] } },
  {
    name: 'an end without its last mark',
    step: { text: TEXT, quirks: { terminal: 'no-done' } },
    reply: said,
    mode: 'stream',
    wires: ['openai', 'anthropic'],
  },
  {
    name: 'no end at all',
    step: { text: TEXT, quirks: { terminal: 'missing' } },
    failure: ['cut-reply'],
    mode: 'stream',
    wires: ['openai-responses', 'anthropic', 'ollama'],
  },

  {
    name: 'a text that ends in the middle',
    step: { text: TEXT, cut: { after: 'text', count: 2, how: 'end' } },
    failure: cutOff,
  },
  {
    name: 'a text that is reset in the middle',
    step: { text: TEXT, cut: { after: 'text', count: 2, how: 'reset' } },
    failure: cutOff,
  },
  {
    name: 'a text that is dropped in the middle',
    step: { text: TEXT, cut: { after: 'text', count: 2, how: 'drop' } },
    failure: cutOff,
  },
  {
    name: 'arguments that end in the middle',
    step: { calls: [call(london)], cut: { after: 'arguments', how: 'end' } },
    failure: cutOff,
    wires: WITH_PIECES,
    mode: 'stream',
  },
  {
    name: 'a whole call that is reset before the end',
    step: { calls: [call(london)], cut: { after: 'call', how: 'reset' } },
    failure: cutOff,
    mode: 'stream',
  },
  {
    name: 'an error first',
    step: { text: TEXT, errorEvent: { after: 'start' } },
    failure: ['overloaded', 'server-error'],
  },
  {
    name: 'an error after a call',
    step: { calls: [call(london)], errorEvent: { after: 'call' } },
    failure: ['overloaded', 'server-error'],
    mode: 'stream',
  },
  { name: 'a reset before any answer', step: { fault: 'reset' }, failure: ['network'] },
  {
    name: 'HTML',
    step: { raw: '<html><head><title>Sign in</title></head></html>', contentType: 'text/html' },
    failure: ['malformed-reply'],
  },
  { name: 'an empty body', step: { raw: '' }, failure: ['malformed-reply', 'cut-reply'] },
  { name: 'null', step: { raw: 'null' }, failure: ['malformed-reply'] },
  { name: 'half a JSON body', step: { raw: '{"message":{"content":' }, failure: ['malformed-reply', 'cut-reply'] },
];

function optional(
  mode: 'stream' | 'plain' | undefined,
  wires: readonly LoopbackWire[] | undefined,
): Pick<SuiteRow, 'mode' | 'wires'> {
  return { ...(mode === undefined ? {} : { mode }), ...(wires === undefined ? {} : { wires }) };
}
