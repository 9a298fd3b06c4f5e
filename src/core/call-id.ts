/**
 * An id of ours that no other call has: nine letters and digits, the one form that every vendor takes (Mistral takes no other).
 * `from` numbers it; where that one is taken, the next free number counts.
 */
export function freeCallId(used: ReadonlySet<string>, from: number): string {
  for (let place = from; ; place += 1) {
    const id = `call${place.toString(36).padStart(5, '0')}`;
    if (!used.has(id)) return id;
  }
}
