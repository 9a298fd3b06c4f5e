import type { FailureKind } from '../../core/failure.ts';
import { isRecord } from '../../core/json.ts';
import { describeValue, didYouMean } from '../../core/option-check.ts';

/**
 * What is wrong with an event of a provider, or undefined. The wires' own are right by their types; one that was written
 * in JavaScript may give anything, and whoever wrote it has to read more than a TypeError from inside the loop.
 */
export function problemOfEvent(event: unknown, kinds: Readonly<Record<FailureKind, unknown>>): string | undefined {
  if (!isRecord(event)) return `gave ${describeValue(event)} for an event`;
  if (event['type'] === 'failure') return problemOfFailure(event['failure'], kinds);
  if (event['type'] === 'reply') return problemOfReply(event['reply']);
  const isDelta = event['type'] === 'text-delta' || event['type'] === 'reasoning-delta';
  return isDelta && typeof event['text'] !== 'string' ? `gave a ${String(event['type'])} without a text` : undefined;
}

function problemOfFailure(failure: unknown, kinds: Readonly<Record<string, unknown>>): string | undefined {
  if (!isRecord(failure)) return 'gave a `failure` event without a failure';
  const { kind, message } = failure;
  if (typeof kind !== 'string' || !Object.hasOwn(kinds, kind)) {
    const fix = didYouMean(String(kind), Object.keys(kinds), (names) => `Kinds are ${names}.`);
    return `gave a failure of unknown kind ${describeValue(kind)}. ${fix}`;
  }
  return typeof message === 'string' ? undefined : `gave a failure \`${kind}\` without a message`;
}

function problemOfReply(reply: unknown): string | undefined {
  if (!isRecord(reply)) return 'gave a `reply` event without a reply';
  const { content, finishReason, usage } = reply;
  if (!Array.isArray(content))
    return `gave a reply whose \`content\` is ${describeValue(content)}, not an array of parts`;
  if (!content.every(isPart))
    return 'gave a reply with a part that is none: { type: "text", text }, { type: "reasoning", text } or { type: "tool-call", name, arguments: { text } or { value } }';
  if (typeof finishReason !== 'string') return "gave a reply without a `finishReason` ('stop', 'tool-calls', …)";
  return isRecord(usage) ? undefined : 'gave a reply without `usage`: {} where nothing is counted';
}

function isPart(part: unknown): boolean {
  if (!isRecord(part)) return false;
  if (part['type'] !== 'tool-call') return typeof part['type'] === 'string' && typeof part['text'] === 'string';
  return typeof part['name'] === 'string' && isRecord(part['arguments']);
}
