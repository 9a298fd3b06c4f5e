import type { Failure } from '../../../src/core/failure.ts';
import { userMessage } from '../../../src/core/message.ts';
import type { Message } from '../../../src/core/message.ts';
import type { ModelReply, ModelRequest, Provider, ProviderEvent, ToolDeclaration } from '../../../src/core/provider.ts';

export const weather: ToolDeclaration = {
  name: 'get_weather',
  description: 'The weather of a city.',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

/** A small question, with changes. */
export function question(changes: Partial<ModelRequest> = {}): ModelRequest {
  return { system: 'Be brief.', messages: [userMessage('Hello?')], tools: [weather], toolChoice: 'auto', ...changes };
}

/** One call and its result. */
export function exchange(id: string, text: string, isError = false): Message[] {
  return [
    {
      role: 'assistant',
      content: [{ type: 'tool-call', toolCallId: id, toolName: 'get_weather', input: { city: 'London' } }],
    },
    {
      role: 'tool',
      content: [
        { type: 'tool-result', toolCallId: id, toolName: 'get_weather', content: [{ type: 'text', text }], isError },
      ],
    },
  ];
}

/** Everything that a provider tells. */
export async function eventsOf(
  provider: Provider,
  request: ModelRequest = question(),
  signal?: AbortSignal,
): Promise<ProviderEvent[]> {
  const events: ProviderEvent[] = [];
  for await (const event of provider.stream(request, { signal: signal ?? new AbortController().signal }))
    events.push(event);
  return events;
}

/** What is told at last, asked as the loop does: again, where the failure says that asking at once can succeed. */
async function eventsOfLastTry(provider: Provider, request?: ModelRequest): Promise<ProviderEvent[]> {
  for (let attempt = 1; ; attempt += 1) {
    const events = await eventsOf(provider, request);
    const last = events.at(-1);
    if (attempt === 4 || last?.type !== 'failure' || last.failure.remedy !== 'at-once') return events;
  }
}

/** The reply, or an error that says the failure. */
export async function replyOf(provider: Provider, request?: ModelRequest): Promise<ModelReply> {
  const last = (await eventsOfLastTry(provider, request)).at(-1);
  if (last?.type !== 'reply') throw new Error(`No reply but ${JSON.stringify(last)}`);
  return last.reply;
}

/** The failure, or an error that says the reply. */
export async function failureOf(provider: Provider, request?: ModelRequest): Promise<Failure> {
  const events = await eventsOfLastTry(provider, request);
  const last = events.at(-1);
  if (last?.type !== 'failure') throw new Error(`No failure but ${JSON.stringify(last)}`);
  if (events.filter(({ type }) => type === 'failure' || type === 'reply').length !== 1)
    throw new Error('More than one last event.');
  return last.failure;
}

/** The text as it was shown. */
export function shownText(events: readonly ProviderEvent[]): string {
  return events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');
}
