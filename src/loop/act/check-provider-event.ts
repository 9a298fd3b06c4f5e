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
  const { content, finishReason, usage, warnings } = reply;
  if (!Array.isArray(content))
    return `gave a reply whose \`content\` is ${describeValue(content)}, not an array of parts`;
  for (const part of content as readonly unknown[]) {
    const problem = problemOfPart(part);
    if (problem !== undefined) return problem;
  }
  if (typeof finishReason !== 'string') return "gave a reply without a `finishReason` ('stop', 'tool-calls', …)";
  if (!isRecord(usage)) return 'gave a reply without `usage`: {} where nothing is counted';
  const isFit = isMissing(warnings) || (Array.isArray(warnings) && warnings.every(isText));
  return isFit
    ? undefined
    : `gave a reply whose \`warnings\` are ${describeValue(warnings)}, not an array of sentences`;
}

function problemOfPart(part: unknown): string | undefined {
  if (isRecord(part) && part['type'] === 'tool-call' && isText(part['name'])) return problemOfCall(part);
  if (isRecord(part) && part['type'] !== 'tool-call' && isText(part['type']) && isText(part['text'])) return undefined;
  return 'gave a reply with a part that is none: { type: "text", text }, { type: "reasoning", text } or { type: "tool-call", id, name, arguments: { text } or { value }, isComplete }';
}

/** A call in another form would be run with no arguments at all, or taken for one that was cut. */
function problemOfCall(call: Readonly<Record<string, unknown>>): string | undefined {
  const { arguments: given, isComplete } = call;
  const isRead = isRecord(given) && ('text' in given ? isText(given['text']) : given['value'] !== undefined);
  if (!isRead)
    return 'gave a `tool-call` whose `arguments` are neither { text }, as the model wrote them, nor { value }, already parsed';
  return typeof isComplete === 'boolean'
    ? undefined
    : 'gave a `tool-call` without `isComplete`: true, or false where the reply was cut within it';
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** As `??` sees it. */
function isMissing(value: unknown): boolean {
  return value === undefined || value === null;
}
