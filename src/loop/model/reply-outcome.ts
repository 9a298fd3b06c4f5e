import { freeCallId } from '../../core/call-id.ts';
import { isJsonObject } from '../../core/json.ts';
import { textOf } from '../../core/message.ts';
import type { ModelReply, ModelRequest, Provider, ReplyToolCall } from '../../core/provider.ts';
import type { Tool } from '../../core/tool.ts';
import { isTextOnly } from './build-request.ts';
import { callKey } from '../tool/canonical.ts';
import { eventsOfTextCalls } from '../run/next-state.ts';
import type { AttemptOutcome } from './read-reply.ts';
import type { RunContext } from '../run/run-context.ts';
import type { Spent } from '../run/spent.ts';
import type { Outcome, RunState } from '../run/state.ts';
import { readTextCalls } from '../text-calls/read-text-calls.ts';
import { findTool } from '../tool-input/find-tool.ts';

/** A whole reply, and what was asked for it. */
export interface Answered {
  readonly request: ModelRequest;
  readonly provider: Provider;
  readonly reply: ModelReply;
  readonly attempt: AttemptOutcome;
  readonly spent: Spent;
}

/** What came of a whole reply: calls that it wrote as text are read, and every call gets its id. */
export function replyOutcome(
  context: RunContext,
  usedIds: Set<string>,
  state: RunState,
  { request, provider, reply: received, attempt, spent }: Answered,
): Extract<Outcome, { type: 'reply' }> {
  const { config } = context;
  const { hasStreamed } = attempt;
  const turn = state.turn + 1;
  const read = textCallsOf(config, state, request, received, provider);
  const asText = read && withUniqueIds(read, usedIds, turn);
  // Where a JSON answer is asked for, a whole one is first looked at as such.
  const mayAnswer = config.output !== undefined && received.finishReason !== 'length';
  const asCalls = asText !== undefined && mayAnswer ? { reply: asText, hasStreamed } : undefined;
  const reply = asText === undefined || asCalls !== undefined ? withUniqueIds(received, usedIds, turn) : asText;
  if (asText !== undefined && asCalls === undefined)
    for (const event of eventsOfTextCalls({ reply: asText, hasStreamed }, turn)) context.emit(event);
  if (context.wants('reply')) {
    context.emit({
      type: 'reply',
      turn,
      text: textOf(reply.content),
      toolCalls: reply.content.filter((part) => part.type === 'tool-call').length,
      finishReason: reply.finishReason,
      rawFinishReason: reply.rawFinishReason,
      usage: reply.usage,
      durationMs: attempt.durationMs,
      firstByteMs: attempt.firstByteMs,
      model: reply.model,
      responseId: reply.responseId,
    });
  }
  for (const message of reply.warnings ?? []) context.emit({ type: 'warning', turn, message });
  const mayRun = request.toolChoice !== 'none';
  return { type: 'reply', reply, issuer: provider.id, mayRun, asCalls, spent };
}

/** The reply with the calls that it wrote as text, if it did. */
function textCallsOf(
  config: RunContext['config'],
  state: RunState,
  request: ModelRequest,
  reply: ModelReply,
  provider: Provider,
): ModelReply | undefined {
  if (config.tools.size === 0) return undefined;
  // Who asks for no calls may want JSON about them; after a limit and for a structured answer it is us who ask for none.
  if (request.toolChoice === 'none' && !isTextOnly(state)) return undefined;
  const found = new Map<string, Tool | undefined>();
  const toolOf = (name: string): Tool | undefined => {
    if (!found.has(name)) found.set(name, findTool(name, config.tools).tool);
    return found.get(name);
  };
  return readTextCalls(reply, {
    toolOf,
    textCalls: provider.capabilities.textCalls ?? 'run',
    isAnswerJson: config.output !== undefined,
    hasCalled: state.toolCalls > 0,
    isExplained: (call) => {
      const tool = toolOf(call.name);
      if (tool?.options.effect !== 'read') return false;
      // Later in a run an example is an example, unless the model is known to be a small one. What has its result is quoted.
      if (config.slips !== 'rewind') return state.toolCalls === 0;
      const input = 'value' in call.arguments ? call.arguments.value : undefined;
      const key = isJsonObject(input) ? callKey(tool.name, input) : '';
      return !state.recentCalls.some((record) => !record.isError && record.key === key);
    },
  });
}

/** Chosen: calls of one reply beyond this share numbers with the next turn, and a free one is looked for. */
const MAX_CALLS_OF_TURN = 1000;

/** Every call gets an id that no other call of the run has; the vendor's own is kept where it can be. */
function withUniqueIds(reply: ModelReply, usedIds: Set<string>, turn: number): ModelReply {
  let index = 0;
  const content = reply.content.map((part) => {
    if (part.type !== 'tool-call') return part;
    index += 1;
    let { id } = part;
    if (id === undefined || id === '' || usedIds.has(id)) id = freeCallId(usedIds, turn * MAX_CALLS_OF_TURN + index);
    usedIds.add(id);
    return id === part.id ? part : ({ ...part, id } satisfies ReplyToolCall);
  });
  return index === 0 ? reply : { ...reply, content };
}
