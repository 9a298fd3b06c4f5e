import type { Failure } from '../../core/failure.ts';

/** What a provider remembers of its requests. */
export interface RequestSizes {
  /** The longest request that the server answered, in bytes. */
  longestAnswered: number;
}

/** Chosen: every context holds this much (4,096 tokens are about as many bytes four times over). */
const MIN_BYTES = 16 * 1024;

/** Statuses of a request that the server does not take. */
const REFUSING: ReadonlySet<number | undefined> = new Set([400, 413, 422]);

/**
 * A refusal that does not say why, of a request that is longer than any that the server took: the context may be full. Without any
 * words (Cerebras) it is taken for that; with words that are not known it stays what it is, and the hint says how to have it so.
 */
export function suspectSize(
  failure: Failure,
  sentBytes: number,
  { longestAnswered }: RequestSizes,
  isSilent: boolean,
): Failure {
  if (failure.kind !== 'bad-request' || failure.hint !== undefined || !REFUSING.has(failure.status)) return failure;
  if (longestAnswered === 0 || sentBytes <= Math.max(longestAnswered, MIN_BYTES)) return failure;
  const sizes = `This request has ${sentBytes} bytes; the longest that the server answered had ${longestAnswered}.`;
  return isSilent
    ? {
        ...failure,
        kind: 'context-overflow',
        hint: `${sizes} Its context is probably full: shorten the conversation (\`compact\`).`,
      }
    : {
        ...failure,
        hint: `${sizes} If its context is full, say so: \`failures: { 'bad-request': { remedy: 'compact' } }\`, with \`compact\`.`,
      };
}
