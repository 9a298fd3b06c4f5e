import type { Failure } from '../../core/failure.ts';
import { userMessage } from '../../core/message.ts';
import type { Message } from '../../core/message.ts';
import { describeValue } from '../../core/option-check.ts';
import { checkRules } from '../../core/option-rules.ts';
import type { ModelReply, ModelRequest, Provider, ProviderEvent, ToolDeclaration } from '../../core/provider.ts';
import { problemOfEvent } from '../../loop/act/check-provider-event.ts';
import { aFinishReason } from '../../providers/script-rules.ts';
import { failureTable } from '../../resilience/failure-table.ts';
import type { Patience } from './patience.ts';
import { inSeconds, within } from './patience.ts';

/** Everything that one question gave. */
export interface Heard {
  readonly reply: ModelReply | undefined;
  readonly failure: Failure | undefined;
  /** The text deltas, joined. */
  readonly shownText: string;
  readonly shownReasoning: string;
}

/** A question, and who watches the answer. */
export interface Question {
  readonly request: ModelRequest;
  readonly signal: AbortSignal;
  readonly patience: Patience;
  /** Is told of each event as it comes. */
  readonly onEvent?: (() => void) | undefined;
}

/** The one tool that the suite's model knows. */
const suiteTool: ToolDeclaration = {
  name: 'get_weather',
  description: 'The weather of a city.',
  inputSchema: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
};

/** The suite's question, with what came before it. */
export function suiteRequest(
  messages: readonly Message[] = [userMessage('What is the weather in London?')],
): ModelRequest {
  return { system: 'Be brief.', messages, tools: [suiteTool], toolChoice: 'auto' };
}

/** How many times as long as for one event is waited for the last one. Chosen: far beyond what any case takes. */
const WHOLE_ANSWER = 3;

/** Asks, and watches what comes. Rejects where that breaks the contract, or does not come. */
export async function askProvider(provider: Provider, question: Question): Promise<Heard> {
  const { request, signal, patience, onEvent } = question;
  const { clock, timeoutMs } = patience;
  const heard: Hearing = { reply: undefined, failure: undefined, shownText: '', shownReasoning: '' };
  const began = clock.monotonic();
  const events = await fromProvider(() => provider.stream(request, { signal })[Symbol.asyncIterator]());
  let isOver = false;
  try {
    for (;;) {
      const next = await within(
        fromProvider(() => events.next()),
        patience,
        () =>
          signal.aborted
            ? `the events had not ended ${inSeconds(patience)} after the abort`
            : `no event came within ${inSeconds(patience)}`,
      );
      isOver = next.done === true;
      if (next.done === true) break;
      hear(next.value, heard);
      onEvent?.();
      if (clock.monotonic() - began > WHOLE_ANSWER * timeoutMs)
        throw new Error(`the events had not ended after ${inSeconds(patience, WHOLE_ANSWER)}`);
    }
  } finally {
    // Not waited for: a provider that hangs would hang here once more.
    if (!isOver) void fromProvider(() => events.return?.()).catch(() => {});
  }
  if (isLast(heard) || signal.aborted) return heard;
  throw new Error('the events ended without a reply or a failure');
}

/** Whatever the provider throws, told from what the suite has to say. */
async function fromProvider<T>(ask: () => T | Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (cause) {
    throw new Error(`the provider threw ${String(cause)}`, { cause });
  }
}

type Hearing = { -readonly [Key in keyof Heard]: Heard[Key] };

function isLast({ reply, failure }: Heard): boolean {
  return reply !== undefined || failure !== undefined;
}

function hear(event: ProviderEvent, heard: Hearing): void {
  // The same as the loop asks of an event, and more: what the loop overlooks is a mistake all the same.
  const problem = problemOfEvent(event, failureTable);
  if (problem !== undefined) throw new Error(`the provider ${problem}`);
  if (isLast(heard)) throw new Error(`an event of type ${event.type} came after the last one`);
  switch (event.type) {
    case 'text-delta':
      if (event.text === '') throw new Error('a text delta is empty');
      heard.shownText += event.text;
      break;
    case 'reasoning-delta':
      heard.shownReasoning += event.text;
      break;
    case 'reply':
      checkRules(event.reply, { finishReason: aFinishReason }, (name) => `\`${name}\` of a reply`);
      heard.reply = event.reply;
      break;
    case 'failure':
      heard.failure = event.failure;
      break;
    case 'progress':
      break;
    default:
      throw new Error(`an event is of the unknown type ${describeValue(Reflect.get(event, 'type'))}`);
  }
}
