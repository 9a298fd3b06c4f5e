import { isJsonObject } from '../../core/json.ts';
import type { ModelReply, ModelRequest, Provider } from '../../core/provider.ts';
import type { Tool } from '../../core/tool.ts';
import { isTextOnly } from './build-request.ts';
import { callKey } from '../input/canonical.ts';
import type { CallIds } from './call-ids.ts';
import type { RunContext } from './context.ts';
import type { Spent } from '../run/spent.ts';
import type { AttemptFigures, ReplyOutcome, RunState } from '../run/state.ts';
import { readTextCalls } from '../text-calls/read-text-calls.ts';
import { findTool } from '../input/find-tool.ts';

/** A whole reply, and what was asked for it. */
export interface Answered {
  readonly request: ModelRequest;
  readonly provider: Provider;
  readonly reply: ModelReply;
  readonly attempt: AttemptFigures;
  readonly spent: Spent;
}

/** What came of a whole reply: calls that it wrote as text are read, and every call gets its id. */
export function replyOutcome(
  { config }: RunContext,
  ids: CallIds,
  state: RunState,
  { request, provider, reply: received, attempt, spent }: Answered,
): ReplyOutcome {
  const { hasStreamed } = attempt;
  const turn = state.turn + 1;
  const withIds = (reply: ModelReply): ModelReply => ids.unique(reply, state.transcript, turn);
  const read = textCallsOf(config, state, request, received, provider);
  const asText = read && withIds(read);
  // Where a JSON answer is asked for, a whole one is first looked at as such.
  const mayAnswer = config.output !== undefined && received.finishReason !== 'length' && received.isRepeating !== true;
  const asCalls = asText !== undefined && mayAnswer ? { reply: asText, hasStreamed } : undefined;
  const isFromText = asText !== undefined && asCalls === undefined;
  return {
    type: 'reply',
    reply: isFromText ? asText : withIds(received),
    issuer: provider.id,
    mayRun: request.toolChoice !== 'none',
    asCalls,
    isFromText,
    spent,
    attempt,
  };
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
