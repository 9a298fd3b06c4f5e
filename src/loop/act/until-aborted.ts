import type { Abort } from '../../core/abort.ts';
import type { StandardSchema } from '../../core/schema.ts';
import { isThenable } from '../../core/thenable.ts';

/**
 * Waits for code of the user's, but no longer than the run lasts: rejects at once with the reason of the abort. What is
 * left behind may settle as it likes, a late error is nobody's. What is there without a wait counts, abort or not.
 */
export function untilAborted<T>(given: T | Promise<T>, abort: Abort): T | Promise<T> {
  if (!isThenable(given)) return given;
  return new Promise((resolve, reject) => {
    const unsubscribe = abort.subscribe(reject);
    Promise.resolve(given).then(resolve, reject).finally(unsubscribe);
  });
}

/** The same schema, waited for no longer than the run lasts: an abort makes it reject as in {@link untilAborted}. */
export function schemaUntilAborted(schema: StandardSchema, abort: Abort): StandardSchema {
  const standard = schema['~standard'];
  return { '~standard': { ...standard, validate: (value) => untilAborted(standard.validate(value), abort) } };
}
