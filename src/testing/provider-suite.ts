import type { Clock } from '../core/clock.ts';
import { systemClock } from '../core/clock.ts';
import type { Message } from '../core/message.ts';
import { textOf, userMessage } from '../core/message.ts';
import { checkNames, checkOptions, expected, hasMethod, kindOf } from '../core/option-check.ts';
import type { OptionRule } from '../core/option-rules.ts';
import { aFunction, checkRules, needed, oneOf, positive } from '../core/option-rules.ts';
import type { Provider, ReplyToolCall } from '../core/provider.ts';
import { startLoopbackServer } from './loopback-server.ts';
import type { LoopbackRequest, LoopbackServer } from './loopback-server.ts';
import type { LoopbackStep } from './loopback/step.ts';
import { loopbackWires } from './loopback/wire.ts';
import type { LoopbackWire } from './loopback/wire.ts';
import { answersOf } from './provider-suite/answers.ts';
import { askProvider, suiteRequest } from './provider-suite/ask-provider.ts';
import type { Heard, Question } from './provider-suite/ask-provider.ts';
import type { Patience } from './provider-suite/patience.ts';
import { inSeconds, within } from './provider-suite/patience.ts';
import { suiteRows } from './provider-suite/suite-rows.ts';
import type { ExpectedReply, SuiteRow } from './provider-suite/suite-rows.ts';

/** The server that a case of the suite has started. */
export interface ProviderTarget {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  readonly model: string;
  readonly apiKey: string;
  /** False where the reply is to be asked for in one piece. */
  readonly stream: boolean;
}

/** What the suite is run on. */
export interface ProviderSuiteOptions {
  readonly wire: LoopbackWire;
  readonly makeProvider: (target: ProviderTarget) => Provider;
  /** @defaultValue both */
  readonly modes?: readonly ('stream' | 'plain')[] | undefined;
  /** Longest wait for one event, and for the end after an abort. @defaultValue 4000 milliseconds */
  readonly timeoutMs?: number | undefined;
  /** What the waits are measured with. @defaultValue the host's clock */
  readonly clock?: Clock | undefined;
}

/** One test. Give it to the runner of your choice. */
export interface ProviderCase {
  readonly name: string;
  /** Rejects with an error that says what was expected, what came, and what the server had answered. Never hangs. */
  readonly run: () => Promise<void>;
}

/**
 * What every provider must hold, as a list of tests: replies in every form that servers give them, faults in the middle of them,
 * errors, aborts, and requests that the strictest server accepts. Each starts a server of its own on 127.0.0.1.
 * @throws OilcanError `invalid-option`
 * @example
 * for (const { name, run } of providerSuite({ wire: 'anthropic', makeProvider })) test(name, run);
 */
export function providerSuite(options: ProviderSuiteOptions): readonly ProviderCase[] {
  checkOptions('the options of `providerSuite`', options, "{ wire: 'openai', makeProvider: () => provider }");
  checkNames('providerSuite', options, RULES);
  checkRules(options, RULES);
  const { wire, makeProvider, modes = MODES, timeoutMs = TIMEOUT_MS, clock = systemClock } = options;
  const cases: ProviderCase[] = [];
  for (const mode of modes) {
    const context: CaseContext = { wire, mode, makeProvider, patience: { clock, timeoutMs } };
    const label = mode === 'stream' ? 'streaming' : 'plain';
    for (const row of suiteRows) {
      if (row.mode !== undefined && row.mode !== mode) continue;
      if (row.wires !== undefined && !row.wires.includes(wire)) continue;
      cases.push({ name: `${label}: ${row.name}`, run: () => runRow(context, row) });
    }
    for (const [name, run] of Object.entries(behaviours))
      cases.push({ name: `${label}: ${name}`, run: () => run(context) });
  }
  return cases;
}

interface CaseContext {
  readonly wire: LoopbackWire;
  readonly mode: 'stream' | 'plain';
  readonly makeProvider: (target: ProviderTarget) => Provider;
  readonly patience: Patience;
}

const MODES = ['stream', 'plain'] as const;

/** Chosen: test runners give up after 5 s, and say nothing of what was waited for. */
const TIMEOUT_MS = 4_000;

const RULES = {
  wire: needed(oneOf(...loopbackWires)),
  makeProvider: needed(aFunction),
  modes: {
    wanted: "an array of 'stream', 'plain' or both",
    fits: (value) => Array.isArray(value) && value.length > 0 && value.every((mode) => MODES.includes(mode as 'plain')),
  },
  timeoutMs: positive,
  clock: { wanted: 'a clock', fits: (value) => hasMethod(value, 'after') && hasMethod(value, 'monotonic') },
} satisfies Record<keyof ProviderSuiteOptions, OptionRule>;

const API_KEY = 'sk-loopback-0123456789';

/** What a case works with. */
interface Bench {
  readonly server: LoopbackServer;
  /** Asks the provider, by default the suite's question. */
  readonly ask: (question?: Partial<Question>) => Promise<Heard>;
}

async function withServer(
  context: CaseContext,
  script: readonly LoopbackStep[],
  use: (bench: Bench) => Promise<void>,
): Promise<void> {
  const { wire, mode, patience } = context;
  const server = await startLoopbackServer({ wire, script, apiKey: API_KEY });
  try {
    const provider = context.makeProvider({
      origin: server.origin,
      model: 'demo',
      apiKey: API_KEY,
      stream: mode === 'stream',
    });
    if (!hasMethod(provider, 'stream')) throw expected('what `makeProvider` gives', 'a provider', kindOf(provider));
    const ask: Bench['ask'] = (question) =>
      askProvider(provider, { request: suiteRequest(), signal: new AbortController().signal, patience, ...question });
    await use({ server, ask });
    check(server.violations.length === 0, 'a strict server refused the request');
    check(server.scriptErrors.length === 0, `the script did not run as written: ${server.scriptErrors.join('; ')}`);
    check(server.strays.length === 0, 'the provider asked at an unknown path');
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${sentence(message)} ${answersOf(server)}`, { cause });
  } finally {
    await server.close();
  }
}

async function runRow(context: CaseContext, row: SuiteRow): Promise<void> {
  await withServer(context, [row.step], async ({ server, ask }) => {
    const heard = await ask();
    // Retries belong to the loop: one question is one request.
    check(server.requests.length === 1, `${server.requests.length} requests were made instead of 1`);
    if (row.failure !== undefined) expectFailure(heard, row.failure);
    else expectReply(heard, row.reply ?? {});
  });
}

function expectFailure({ failure }: Heard, kinds: readonly string[]): void {
  check(failure !== undefined, `a reply came instead of a failure of kind ${kinds.join(' or ')}`);
  const { kind = '', message = '' } = failure ?? {};
  check(kinds.includes(kind), `the failure is of kind ${kind} instead of ${kinds.join(' or ')} (${message})`);
  check(message !== '' && !message.includes(API_KEY), 'the failure has no message, or its message holds the key');
}

function expectReply({ reply, failure, shownText, shownReasoning }: Heard, expected: ExpectedReply): void {
  if (reply === undefined) throw new Error(`the reply failed: ${failure?.kind} (${failure?.message})`);
  const calls = reply.content.filter((part): part is ReplyToolCall => part.type === 'tool-call');
  const text = textOf(reply.content.filter((part) => part.type === 'text'));
  if (expected.text !== undefined) {
    check(text === expected.text, `the text is ${shown(text)} instead of ${shown(expected.text)}`);
    check(shownText === expected.text, `the text deltas say ${shown(shownText)} instead of ${shown(expected.text)}`);
  }
  if (expected.reasoning !== undefined)
    check(shownReasoning === expected.reasoning, `the reasoning is ${shown(shownReasoning)}`);
  if (expected.calls !== undefined) {
    const inputs = calls.map(inputOf);
    check(
      JSON.stringify(inputs) === JSON.stringify(expected.calls),
      `the calls have ${shown(JSON.stringify(inputs))} instead of ${shown(JSON.stringify(expected.calls))}`,
    );
    check(
      calls.every(({ name, isComplete }) => name === 'get_weather' && isComplete),
      'a call has another name, or is not held for complete',
    );
  }
  if (expected.cutCalls !== undefined) {
    const cut = calls.filter(({ isComplete }) => !isComplete).length;
    check(cut === expected.cutCalls, `${cut} calls are held for cut instead of ${expected.cutCalls}`);
  }
  if (expected.finish !== undefined)
    check(
      reply.finishReason === expected.finish,
      `the finish reason is ${reply.finishReason} instead of ${expected.finish}`,
    );
}

/** The arguments as a value; a text that is not JSON stays a text, and none stands for no arguments. */
function inputOf({ arguments: args }: ReplyToolCall): unknown {
  if ('value' in args) return args.value;
  try {
    return args.text === '' ? {} : JSON.parse(args.text);
  } catch {
    return args.text;
  }
}

/** What is not one question and one answer. */
const behaviours: Readonly<Record<string, (context: CaseContext) => Promise<void>>> = {
  'a conversation with results and errors is accepted by a strict server': (context) =>
    withServer(context, [{ text: 'a' }, { text: 'b' }], async ({ ask }) => {
      const messages = [...conversation];
      for (const more of [[], [...conversation.slice(1, 3).map(renamed), userMessage('And now?')]]) {
        messages.push(...more);
        const heard = await ask({ request: suiteRequest(messages) });
        check(heard.reply !== undefined, `the question failed: ${heard.failure?.message}`);
      }
    }),
  'usage that the server does not tell stays unknown': (context) =>
    withServer(context, [{ text: 'a', usage: null }], async ({ ask }) => {
      const { reply, failure } = await ask();
      check(reply !== undefined, `the question failed: ${failure?.message}`);
      check(
        reply?.usage.inputTokens === undefined && reply?.usage.outputTokens === undefined,
        'the usage is not unknown',
      );
    }),
  'the wait that the server asks for is told': (context) =>
    withServer(context, [{ status: 429, headers: { 'retry-after': '7' } }], async ({ ask }) => {
      const { failure } = await ask();
      check(failure?.retryAfterMs === 7000, `the wait is ${failure?.retryAfterMs} ms instead of 7000`);
    }),
  'an abort before the headers ends it and frees the connection': (context) =>
    withServer(context, [{ fault: 'hang' }], async ({ server, ask }) => {
      const controller = new AbortController();
      const asked = ask({ signal: controller.signal });
      // A provider that ends or hangs before it has asked must not be waited for.
      await Promise.race([server.waitForRequests(1), asked]);
      controller.abort();
      await expectAborted(await asked, server.requests[0], context.patience);
    }),
  'an abort in the middle ends it and frees the connection': (context) =>
    withServer(context, [{ text: 'a b c d', stall: { after: 'text', count: 2 } }], async ({ server, ask }) => {
      const controller = new AbortController();
      const heard = await ask({ signal: controller.signal, onEvent: () => controller.abort() });
      await expectAborted(heard, server.requests[0], context.patience);
    }),
  'a signal that is already aborted sends nothing': (context) =>
    withServer(context, [], async ({ server, ask }) => {
      await ask({ signal: AbortSignal.abort() });
      check(server.connections === 0, 'a connection was made');
    }),
};

const conversation: readonly Message[] = [
  userMessage('What is the weather in London?'),
  {
    role: 'assistant',
    content: [
      { type: 'text', text: 'Let me look.' },
      { type: 'tool-call', toolCallId: 'call_1', toolName: 'get_weather', input: { city: 'London' } },
      { type: 'tool-call', toolCallId: 'call_2', toolName: 'get_weather', input: {} },
    ],
  },
  {
    role: 'tool',
    content: [
      {
        type: 'tool-result',
        toolCallId: 'call_1',
        toolName: 'get_weather',
        isError: false,
        content: [{ type: 'text', text: '18 °C' }],
      },
      {
        type: 'tool-result',
        toolCallId: 'call_2',
        toolName: 'get_weather',
        isError: true,
        content: [{ type: 'text', text: 'Order is locked' }],
      },
    ],
  },
];

/** The same exchange with fresh ids. */
function renamed(message: Message): Message {
  return JSON.parse(JSON.stringify(message).replaceAll('"call_', '"later_')) as Message;
}

async function expectAborted(
  { reply, failure }: Heard,
  request: LoopbackRequest | undefined,
  patience: Patience,
): Promise<void> {
  check(reply === undefined, 'a reply came after the abort');
  check(failure === undefined || failure.kind === 'aborted', `a failure of kind ${failure?.kind} came after the abort`);
  if (request === undefined) throw new Error('no request came');
  const leftOpen = (): string => `the connection was still open ${inSeconds(patience)} after the abort`;
  check((await within(request.ended, patience, leftOpen)) === 'client-left', 'the answer was read to its end');
}

function check(isTrue: boolean, otherwise: string): void {
  if (!isTrue) throw new Error(otherwise);
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`;
}

function shown(text: string): string {
  return text.length > 200
    ? `${JSON.stringify(text.slice(0, 200))}... (${text.length} characters)`
    : JSON.stringify(text);
}
