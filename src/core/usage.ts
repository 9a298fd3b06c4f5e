/** Tokens of one reply or of a run. What the server did not say is `undefined`, never 0. */
export interface Usage {
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  /** Part of `inputTokens` that the server read from its cache. */
  readonly cachedInputTokens?: number | undefined;
  /** Part of `outputTokens` that the model spent on reasoning. */
  readonly reasoningTokens?: number | undefined;
}

/** Adds two usages. A figure that only one side knows is kept: the sum of what is known. */
export function addUsage(a: Usage, b: Usage): Usage {
  return {
    inputTokens: add(a.inputTokens, b.inputTokens),
    outputTokens: add(a.outputTokens, b.outputTokens),
    cachedInputTokens: add(a.cachedInputTokens, b.cachedInputTokens),
    reasoningTokens: add(a.reasoningTokens, b.reasoningTokens),
  };
}

function add(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined) return b;
  return b === undefined ? a : a + b;
}

/** The value where it can be a count: a finite number from 0 on. What a server or a tool did not say stays unknown. */
export function countOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}
