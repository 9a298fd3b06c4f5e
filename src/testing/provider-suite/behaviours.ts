import type { Message } from '../../core/message.ts';
import { userMessage } from '../../core/message.ts';
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
