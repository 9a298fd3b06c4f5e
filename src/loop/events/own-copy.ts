import type { RunEvent } from '../../core/event.ts';
import { cloneJson } from '../tool-input/clone-json.ts';

/**
 * An event that shares nothing changeable with the run it tells of: whoever edits it changes neither what the model is
 * sent nor what others see. The result at the end is the one that the caller gets, and so is a failure's `cause`.
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
      return { ...event, failure: { ...event.failure } };
    default:
      // Nothing but words and figures: whoever keeps it copies it, the many pieces of a text are told as they are.
      return event;
  }
}

/** A copy of plain data. What is none, is nested too deeply or can't be looked at is given as it is. */
export function copyOf<T>(value: T): T {
  try {
    const copy = cloneJson(value);
    return copy.ok ? (copy.value as T) : value;
  } catch {
    // A getter or a proxy of the caller's own.
    return value;
  }
}
