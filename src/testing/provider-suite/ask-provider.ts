import type { Failure } from '../../core/failure.ts';
import { userMessage } from '../../core/message.ts';
import type { Message } from '../../core/message.ts';
import type { ModelReply, ModelRequest, Provider, ToolDeclaration } from '../../core/provider.ts';

/** Everything that one question gave. */
export interface Heard {
  readonly reply: ModelReply | undefined;
  readonly failure: Failure | undefined;
  /** The text deltas, joined. */
  readonly shownText: string;
  readonly shownReasoning: string;
  /** What broke the contract of the events themselves. */
  readonly breaches: readonly string[];
}

/** The one tool that the suite's model knows. */
export const suiteTool: ToolDeclaration = {
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

/** Asks, and watches the order of the events. `onEvent` is told of each as it comes. */
export async function askProvider(
  provider: Provider,
  request: ModelRequest,
  signal: AbortSignal,
  onEvent?: () => void,
): Promise<Heard> {
  let reply: ModelReply | undefined;
  let failure: Failure | undefined;
  let shownText = '';
  let shownReasoning = '';
  const breaches: string[] = [];
  for await (const event of provider.stream(request, { signal })) {
    if (reply !== undefined || failure !== undefined)
      breaches.push(`an event of type ${event.type} came after the last one`);
    switch (event.type) {
      case 'text-delta':
        if (event.text === '') breaches.push('a text delta is empty');
        shownText += event.text;
        break;
      case 'reasoning-delta':
        shownReasoning += event.text;
        break;
      case 'reply':
        reply = event.reply;
        break;
      case 'failure':
        failure = event.failure;
        break;
      case 'progress':
        break;
    }
    onEvent?.();
  }
  if (reply === undefined && failure === undefined && !signal.aborted)
    breaches.push('the events ended without a reply or a failure');
  return { reply, failure, shownText, shownReasoning, breaches };
}
