import { isOilcanError } from '../core/error.ts';

/** Something that the person at the command line has to do differently: shown as `error:` and `hint:`, never with a stack. */
export class UserError extends Error {
  override readonly name = 'UserError';
  /** The next command or step, without the word `hint`; one line for each way. */
  readonly hint: string | undefined;

  constructor(message: string, hint?: string, options: { cause?: unknown } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.hint = hint;
  }
}

/** True where the person at the command line can do something about an error; false for what may be a bug. */
export function isUserError(error: unknown): error is Error {
  return error instanceof UserError || (isOilcanError(error) && error.code === 'invalid-option');
}

/** What to do about an error, where that is known. */
export function hintOf(error: unknown): string | undefined {
  if (error instanceof UserError) return error.hint;
  return isUserError(error) ? undefined : 'this may be a bug in oilcan; run it again with --debug to see where';
}

/** A hint as it goes to standard error: its further lines stand below the first one. */
export function hintText(hint: string): string {
  return `hint: ${hint.replaceAll('\n', '\n      ')}`;
}

/** `error:` and `hint:` as they go to standard error; with `isDebug` also the stacks. */
export function errorText(error: unknown, isDebug: boolean): string {
  const message = error instanceof Error ? error.message : String(error);
  const hint = hintOf(error);
  const lines = [`error: ${message}`];
  if (hint !== undefined) lines.push(hintText(hint));
  // Of a run's failure the cause is data.
  for (let cause = isDebug ? error : undefined; isErrorLike(cause); cause = cause.cause) {
    lines.push(cause.stack ?? cause.message);
  }
  return lines.join('\n');
}

function isErrorLike(value: unknown): value is Pick<Error, 'message' | 'stack' | 'cause'> {
  return typeof value === 'object' && value !== null && 'message' in value && typeof value.message === 'string';
}
