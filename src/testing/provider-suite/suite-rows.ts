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
  /** The wait that the failure must tell. Milliseconds. */
  readonly waitMs?: number;
}

const CHAT: readonly LoopbackWire[] = ['openai'];
const OPENAI: readonly LoopbackWire[] = ['openai', 'openai-responses'];
const WITH_PIECES: readonly LoopbackWire[] = ['openai', 'openai-responses', 'anthropic'];
/** Responses says how a reply ended by its status, not in a word of any server's own. */
const WITH_WORDS: readonly LoopbackWire[] = ['openai', 'anthropic', 'ollama'];

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

/** What servers say beside a status, and what it means. The words are those of real servers. */
const sentences: readonly (Pick<SuiteRow, 'name' | 'wires' | 'waitMs'> & {
  readonly step: LoopbackStep;
  readonly kind: FailureKind;
})[] = [
  {
    name: 'a conversation that is too long, in OpenAI’s words',
    step: {
      status: 400,
      message:
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens. Please reduce the length of the messages.",
    },
    kind: 'context-overflow',
  },
  {
    name: 'a conversation that is too long, in Anthropic’s words',
    step: { status: 400, message: 'prompt is too long: 9000 tokens > 8192 maximum' },
    kind: 'context-overflow',
  },
  {
    name: 'a conversation that is too long, in llama.cpp’s words',
    step: {
      status: 400,
      message:
        'the request exceeds the available context size. try increasing the context size or enable context shift',
    },
    kind: 'context-overflow',
  },
  {
    name: 'an account without credits, in Anthropic’s words',
    step: { status: 400, message: 'Your credit balance is too low to access the Anthropic API.' },
    kind: 'quota-exhausted',
  },
  {
    name: 'an account without credits, in OpenAI’s words',
    step: {
      status: 429,
      message: 'You exceeded your current quota, please check your plan and billing details.',
      type: 'insufficient_quota',
      code: 'insufficient_quota',
    },
    kind: 'quota-exhausted',
  },
  {
    name: 'an account without credits, with a status that blames the server',
    step: { status: 500, message: 'insufficient balance (1008)' },
    kind: 'quota-exhausted',
  },
  {
    name: 'a wait in a header',
    step: { status: 429, headers: { 'retry-after': '7' } },
    kind: 'rate-limited',
    waitMs: 7000,
  },
  {
    name: 'a wait in words',
    step: { status: 429, message: 'Rate limit reached for requests. Please try again in 20s.' },
    kind: 'rate-limited',
    waitMs: 20_000,
  },
  {
    name: 'a wait in a body (Google)',
    step: {
      status: 429,
      body: {
        error: {
          code: 429,
          status: 'RESOURCE_EXHAUSTED',
          message: 'Resource has been exhausted.',
          details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '13s' }],
        },
      },
    },
    kind: 'rate-limited',
    waitMs: 13_000,
  },
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

  ...sentences.map(({ kind, ...row }): SuiteRow => ({ ...row, failure: [kind] })),

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

  {
    name: 'one call twice under one id',
    step: { calls: [call(london, { id: 'call_1' }), call(london, { id: 'call_1' })] },
    reply: called,
    wires: WITH_PIECES,
  },
  {
    name: 'two calls under one id',
    step: { calls: [call(london, { id: 'call_1' }), call(paris, { id: 'call_1' })] },
    reply: calledTwice,
    wires: WITH_PIECES,
  },
  {
    name: 'a text that is not UTF-8',
    step: { text: 'Grüße aus London.', latin1: true },
    failure: ['malformed-reply'],
  },
  {
    name: 'arguments that are not UTF-8',
    step: { calls: [call({ city: 'Zürich' })], latin1: true },
    failure: ['malformed-reply'],
  },

  { name: 'a call with the finish reason stop', step: { calls: [call(london)], finish: 'stop' }, reply: called },
  {
    name: 'a call with an unknown finish reason',
    step: { calls: [call(london)], finish: 'eventually' },
    reply: called,
  },
  {
    name: 'a text with an unknown finish reason',
    step: { text: TEXT, finish: 'eventually' },
    reply: { text: TEXT, finish: 'other' },
    wires: WITH_WORDS,
  },
  {
    name: 'half a text with an error as its finish reason',
    step: { text: TEXT, finish: 'overloaded_error' },
    failure: ['overloaded', 'server-error'],
    wires: WITH_WORDS,
  },
  {
    name: 'a call with an error as its finish reason',
    step: { calls: [call(london)], finish: 'error' },
    failure: ['overloaded', 'server-error'],
  },
  {
    name: 'a whole call, the last one before the limit',
    step: { calls: [call(london), call(paris)], finish: 'length' },
    reply: { cutCalls: 1, finish: 'length' },
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
