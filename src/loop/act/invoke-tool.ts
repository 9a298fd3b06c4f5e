import { Abort } from '../../core/abort.ts';
import type { Clock } from '../../core/clock.ts';
import { isError } from '../../core/thrown-words.ts';
import { isThenable } from '../../core/thenable.ts';
import type { ToolContext } from '../../core/tool.ts';
import type { CallSpending } from './spending.ts';

/** What one try of a tool gave. It is always one of these: whatever a tool does, `invokeTool` never rejects. */
export type Invocation =
  | { readonly status: 'value'; readonly value: unknown }
  | { readonly status: 'threw'; readonly error: unknown }
  | { readonly status: 'timeout' }
  | { readonly status: 'aborted'; readonly when: 'before-start' | 'in-flight' };

/** What a try needs beside the tool and its input. */
export interface InvocationContext {
  readonly runId: string;
  readonly toolCallId: string;
  readonly idempotencyKey: string;
  readonly attempt: number;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly abort: Abort;
  readonly spending: Pick<CallSpending, 'budget'>;
}

/**
 * Runs a tool once. Settles when the tool does, when its deadline passes or when the run is aborted, whichever is
 * first; a tool that ignores its signal and settles later, even with an error, harms nothing.
 */
export function invokeTool(
  run: (context: ToolContext) => unknown,
  { runId, toolCallId, idempotencyKey, attempt, timeoutMs, clock, abort, spending }: InvocationContext,
): Invocation | Promise<Invocation> {
  if (abort.aborted) return { status: 'aborted', when: 'before-start' };
  const own = new Abort();
  const context: ToolContext = {
    runId,
    toolCallId,
    idempotencyKey,
    attempt,
    // Made when the tool asks for it: most tools never do.
    get signal() {
      return own.signal;
    },
    get budget() {
      return spending.budget;
    },
  };
  // The signal must be live from the start for a tool that looks at it late, so the subscription comes first.
  let settleEarly: ((invocation: Invocation) => void) | undefined;
  const unsubscribe = abort.subscribe((reason) => {
    settleEarly?.({ status: 'aborted', when: 'in-flight' });
    own.abort(reason);
  });
  let returned: unknown;
  try {
    returned = run(context);
  } catch (error) {
    unsubscribe();
    return { status: 'threw', error };
  }
  const pending = asPromise(returned);
  if (pending === undefined) {
    unsubscribe();
    return settledWith(returned);
  }
  return new Promise((resolve) => {
    let isSettled = false;
    const settle = (invocation: Invocation): void => {
      if (isSettled) return;
      isSettled = true;
      cancelTimer();
      unsubscribe();
      resolve(invocation);
    };
    settleEarly = settle;
    const cancelTimer =
      timeoutMs === Infinity
        ? () => {}
        : clock.after(timeoutMs, () => {
            settle({ status: 'timeout' });
            own.abort(new Error(`The tool did not finish within ${timeoutMs} ms.`));
          });
    // A synchronous abort from within the tool came before there was anything to settle.
    if (abort.aborted) settle({ status: 'aborted', when: 'in-flight' });
    Promise.resolve(pending).then(
      (value: unknown) => settle(settledWith(value)),
      (error: unknown) => settle({ status: 'threw', error }),
    );
  });
}

/** The promise that a tool gave, if it is one. What can't be looked at is a value: the tool has run. */
function asPromise(returned: unknown): PromiseLike<unknown> | undefined {
  try {
    return isThenable(returned) ? returned : undefined;
  } catch {
    return undefined;
  }
}

/** An error that is returned has failed like one that is thrown: as a value it would read as an empty success. */
function settledWith(value: unknown): Invocation {
  return isError(value) ? { status: 'threw', error: value } : { status: 'value', value };
}
