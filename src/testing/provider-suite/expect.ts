import { textOf } from '../../core/message.ts';
import type { ReplyToolCall } from '../../core/provider.ts';
import type { LoopbackRequest } from '../loopback/server.ts';
import type { Heard } from './ask-provider.ts';
import type { Patience } from './patience.ts';
import { inSeconds, within } from './patience.ts';
import { API_KEY, check } from './suite-case.ts';
import type { ExpectedReply } from './suite-rows.ts';

/** A failure of one of these kinds, with a message that may be shown, and with the wait that the server asks for. */
export function expectFailure({ failure }: Heard, kinds: readonly string[], waitMs?: number): void {
  check(failure !== undefined, `a reply came instead of a failure of kind ${kinds.join(' or ')}`);
  const { kind = '', message = '' } = failure ?? {};
  check(kinds.includes(kind), `the failure is of kind ${kind} instead of ${kinds.join(' or ')} (${message})`);
  check(message !== '' && !message.includes(API_KEY), 'the failure has no message, or its message holds the key');
  if (waitMs !== undefined)
    check(failure?.retryAfterMs === waitMs, `the wait is ${failure?.retryAfterMs} ms instead of ${waitMs}`);
}

/** A whole reply, and all of it. */
export function expectReply({ reply, failure, shownText, shownReasoning }: Heard, expected: ExpectedReply): void {
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

/** Neither reply nor failure after an abort, and a connection that was given up. */
export async function expectAborted(
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

function shown(text: string): string {
  return text.length > 200
    ? `${JSON.stringify(text.slice(0, 200))}... (${text.length} characters)`
    : JSON.stringify(text);
}
