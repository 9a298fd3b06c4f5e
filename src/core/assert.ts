import { OilcanError } from './error.ts';

/** For the default branch of a switch over a union: the compiler proves that it is never reached. */
export function assertNever(value: never): never {
  throw new OilcanError('internal', `Unreachable case: ${JSON.stringify(value)}.`);
}
