/** What user code threw, in a developer's sentence, behind "threw". */
export function thrownWords(thrown: unknown): string {
  return thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : 'something that is no error';
}
