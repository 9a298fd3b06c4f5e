import type { RecoveredBy } from '../../core/event.ts';
import type { EventBody } from './event-body.ts';
import type { OpenFailure, RunState } from './state.ts';

const BY_ACTION = {
  retry: 'retry',
  'fall-back': 'fall-back',
  compact: 'compact',
  'tell-model': 'model',
  stop: 'model',
} as const;

/**
 * Numbers the failures of a transition, and tells which earlier ones it has made good: a failure of the server by the next
 * reply, one of a tool by the next good result of the same tool.
 */
export function withRecovery(
  before: RunState,
  state: RunState,
  events: readonly EventBody[],
): { readonly state: RunState; readonly events: readonly EventBody[] } {
  if (before.openFailures.length === 0 && !events.some(({ type }) => type === 'failure')) return { state, events };
  let told = before.failuresTold;
  let open = before.openFailures;
  const all: EventBody[] = [];
  const close = (isClosed: (failure: OpenFailure) => boolean, turn: number, by?: RecoveredBy): void => {
    for (const failure of open.filter(isClosed)) {
      all.push({
        type: 'recovered',
        turn,
        number: failure.number,
        by: by ?? failure.by,
        tookMs: state.now - failure.at,
        tokens: state.tokensSpent - failure.tokens,
        costUsd: state.costUsd === undefined ? undefined : state.costUsd - (failure.costUsd ?? 0),
      });
    }
    open = open.filter((failure) => !isClosed(failure));
  };
  for (const event of events) {
    switch (event.type) {
      case 'failure': {
        told += 1;
        const { failure, toolCallId, action } = event;
        const { now: at, tokensSpent: tokens, costUsd } = state;
        const by = BY_ACTION[action];
        const toolName = toolCallId === undefined ? undefined : failure.toolName;
        if (action !== 'stop') open = [...open, { number: told, toolName, toolCallId, by, at, tokens, costUsd }];
        all.push({ ...event, number: told });
        break;
      }
      case 'retry':
      case 'fall-back':
      case 'tool-retry':
        all.push({ ...event, number: told });
        break;
      case 'reply':
        all.push(event);
        close(({ toolName }) => toolName === undefined, event.turn);
        break;
      case 'tool-end':
        all.push(event);
        if (!event.isError)
          close(({ toolName }) => toolName === event.toolName, event.turn, event.isCached ? 'cache' : undefined);
        break;
      default:
        all.push(event);
    }
  }
  return { state: { ...state, failuresTold: told, openFailures: open }, events: all };
}
