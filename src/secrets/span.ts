/** Where a secret stands in a text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The text with `mask` in place of all spans. They may come in any order and lie over each other. */
export function maskSpans(text: string, spans: readonly Span[], mask: string): string {
  let result = '';
  let done = 0;
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    if (end <= done) continue;
    // What begins within the one before is one secret with it.
    if (start >= done) result += text.slice(done, start) + mask;
    done = end;
  }
  return done === 0 ? text : result + text.slice(done);
}
