/** What user code threw, in a developer's sentence, behind "threw". */
export function thrownWords(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return `${thrown.name}: ${thrown.message}`;
  } catch {
    // A proxy, or a getter of the error's own.
  }
  return 'something that is no error';
}

/** True for an error; false for what can't be looked at. */
export function isError(value: unknown): value is Error {
  try {
    return value instanceof Error;
  } catch {
    return false;
  }
}

/** The message of an error, where it has one that can be read. */
export function messageOfError(value: unknown): string | undefined {
  try {
    return value instanceof Error ? value.message : undefined;
  } catch {
    return undefined;
  }
}
