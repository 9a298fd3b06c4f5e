import type { Message, ReasoningPart } from '../../core/message.ts';
import { userMessage } from '../../core/message.ts';
import type { LoopbackStep } from '../loopback/step.ts';
import type { LoopbackWire } from '../loopback/wire.ts';
import { suiteRequest } from './ask-provider.ts';
import { expectAborted } from './expect.ts';
import type { CaseContext } from './suite-case.ts';
import { check, withServer } from './suite-case.ts';

/** What is not one question and one answer. */
export const behaviours: Readonly<Record<string, (context: CaseContext) => Promise<void>>> = {
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
  'a field that the server refuses is left out of the next question': (context) =>
    withServer(context, [refusalOf('parallel_tool_calls'), { text: 'a' }], async ({ server, ask }) => {
      const request = { ...suiteRequest(), parallelToolCalls: false };
      const first = await ask({ request });
      check(first.reply === undefined, 'a reply came of a refusal');
      const second = await ask({ request });
      check(second.reply !== undefined, `the second question failed: ${second.failure?.message}`);
      const isThere = server.requests[1]?.body['parallel_tool_calls'] !== undefined;
      check(!isThere, '`parallel_tool_calls` was sent again although the server refuses it');
    }),
  'thoughts that the server must have back are sent back, and only to the one that they came from': (context) =>
    withServer(context, [{ reasoning: THOUGHT, calls: [londonCall] }, { text: 'a' }, { text: 'b' }], async (bench) => {
      const { server, ask } = bench;
      const { reply, failure } = await ask();
      check(reply !== undefined, `the question failed: ${failure?.message}`);
      const thoughts = reply?.content.filter((part) => part.type === 'reasoning') ?? [];
      check(thoughts.length > 0, 'the reasoning is not in the reply');
      for (const issuer of [undefined, 'elsewhere']) {
        const own = thoughts.map((part) => ({ ...part, issuer: issuer ?? part.issuer }));
        const heard = await ask({ request: suiteRequest(thoughtfully(own)) });
        check(heard.reply !== undefined, `the question failed: ${heard.failure?.message}`);
      }
      const [, kept = '', foreign = ''] = server.requests.map(({ body }) => JSON.stringify(body));
      const seal = SEALS[context.wire];
      if (seal === undefined) return;
      check(kept.includes(seal), `the server's own mark on its reasoning (${seal}…) was not sent back`);
      check(!foreign.includes(seal), 'the mark of another server on its reasoning was sent');
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

const THOUGHT = 'London it is.';
const londonCall = { name: 'get_weather', input: { city: 'London' }, id: 'call_1' };

/** How the marks begin with which servers seal their reasoning, on the wires that have them. */
const SEALS: Partial<Record<LoopbackWire, string>> = { 'openai-responses': 'sealed-', anthropic: 'signed-' };

/** What OpenAI says of a field that a model does not take. */
const refusalOf = (param: string): LoopbackStep => ({
  status: 400,
  code: 'unsupported_parameter',
  message: `Unsupported parameter: '${param}' is not supported with this model.`,
});

/** A conversation in which the model thought before it called. */
function thoughtfully(thoughts: readonly ReasoningPart[]): Message[] {
  const toolCallId = londonCall.id;
  const toolName = londonCall.name;
  const content = [{ type: 'text' as const, text: '18 °C' }];
  return [
    userMessage('What is the weather in London?'),
    { role: 'assistant', content: [...thoughts, { type: 'tool-call', toolCallId, toolName, input: londonCall.input }] },
    { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, isError: false, content }] },
  ];
}

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
