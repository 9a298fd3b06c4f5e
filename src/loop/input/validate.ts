import { isRecord } from '../../core/json.ts';
import type { StandardIssue, StandardResult, StandardSchema } from '../../core/schema.ts';
import { isThenable } from '../../core/thenable.ts';
import { cloneJson } from './clone-json.ts';

/** What a schema says to a value. */
export type Validation =
  | { readonly status: 'valid'; readonly value: unknown }
  | { readonly status: 'invalid'; readonly issues: readonly StandardIssue[] }
  /** The validator itself threw: a bug in the user's code, not the model's doing. */
  | { readonly status: 'bug'; readonly error: unknown };

/** Validates with any Standard Schema. A promise only where the schema gives one; never throws or rejects. */
export function validate(schema: StandardSchema, value: unknown): Validation | Promise<Validation> {
  let result: StandardResult<unknown> | Promise<StandardResult<unknown>>;
  try {
    result = schema['~standard'].validate(value);
    if (!isThenable(result)) return read(result);
  } catch (error) {
    return { status: 'bug', error };
  }
  return Promise.resolve(result)
    .then(read)
    .catch((error: unknown): Validation => ({ status: 'bug', error }));
}

/** Validates a copy: a validator may hand its input on, or change it, and a tool can do no harm to the history. */
export function validateCopy(schema: StandardSchema, value: unknown): Validation | Promise<Validation> {
  const copy = cloneJson(value);
  if (!copy.ok) return { status: 'invalid', issues: [{ message: 'The arguments are nested too deeply' }] };
  return validate(schema, copy.value);
}

/** Calls `next` at once where `value` is there, else when it comes: synchronous work stays synchronous. */
export function whenReady<T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}

const NEITHER = 'The schema gave neither a value nor issues.';

function read(result: StandardResult<unknown>): Validation {
  // ArkType's issues are an array with properties, so this asks for any object.
  if (typeof result !== 'object' || result === null) {
    return { status: 'bug', error: new TypeError(NEITHER) };
  }
  const issues: unknown = result.issues;
  if (issues === undefined || issues === null) {
    // Without a value nothing was checked: an error that was returned, or nothing at all.
    return 'value' in result
      ? { status: 'valid', value: result.value }
      : { status: 'bug', error: new TypeError(NEITHER) };
  }
  const isTelling = isIssues(issues) && issues.length > 0;
  return { status: 'invalid', issues: isTelling ? issues : [{ message: 'the arguments are not valid' }] };
}

function isIssues(value: unknown): value is readonly StandardIssue[] {
  return Array.isArray(value) && value.every((issue) => isRecord(issue) && typeof issue['message'] === 'string');
}
