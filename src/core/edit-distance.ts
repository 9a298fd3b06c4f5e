/** How many letters have to be added, dropped or changed to make one word of the other (Levenshtein), or `limit + 1` where it is more. */
export function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const change = a[row - 1] === b[column - 1] ? 0 : 1;
      current.push(
        Math.min((previous[column - 1] ?? 0) + change, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1),
      );
    }
    if (Math.min(...current) > limit) return limit + 1;
    previous = current;
  }
  return previous[b.length] ?? limit + 1;
}
