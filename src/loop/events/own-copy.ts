import type { RunEvent } from '../../core/event.ts';
import type { RunResult } from '../../core/result.ts';
import { ownMessages } from './own-messages.ts';
import { copyOf } from '../input/clone-json.ts';

/**
 * An event that shares nothing changeable with the run it tells of: whoever edits it changes neither what the model is
 * sent nor what others see. An `output` and the reason of an abort are the caller's own values, and told as they are.
 */
export function ownCopy(event: RunEvent): RunEvent {
  switch (event.type) {
    case 'tool-start':
      return { ...event, input: copyOf(event.input) };
    case 'pending':
      return { ...event, request: copyOf(event.request) };
    case 'call-mended':
      return { ...event, mends: copyOf(event.mends) };
    case 'history-repaired':
      return { ...event, changes: copyOf(event.changes) };
    case 'reply':
      return { ...event, usage: { ...event.usage } };
    case 'failure':
    case 'retry':
    case 'fall-back':
    case 'tool-retry':
      return { ...event, failure: copyOf(event.failure) };
    case 'run-end':
      return { ...event, result: ownResult(event.result) };
    default:
      // Nothing but words and figures.
      return { ...event };
  }
}

function ownResult(result: RunResult<unknown>): RunResult<unknown> {
  const messages = ownMessages(result.messages);
  const own = { ...result, messages, usage: { ...result.usage }, failures: copyOf(result.failures) };
  if (own.status === 'failed') return { ...own, failure: copyOf(own.failure) };
  return own.status === 'suspended' ? { ...own, pending: copyOf(own.pending) } : own;
}
