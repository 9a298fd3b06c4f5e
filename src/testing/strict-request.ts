import { isRecord } from '../core/json.ts';
import type { LoopbackWire } from './loopback/wire.ts';
import { anthropicViolations } from './strict/strict-anthropic.ts';
import { loneSurrogatePath, type Violations } from './strict/strict-json.ts';
import { ollamaViolations } from './strict/strict-ollama.ts';
import { openaiChatViolations } from './strict/strict-openai-chat.ts';
import { openaiResponsesViolations } from './strict/strict-openai-responses.ts';

/** A request as it came: its body where that could be read, and why a strict vendor would refuse it. */
export interface CheckedRequest {
  readonly body: Readonly<Record<string, unknown>> | undefined;
  readonly violation: string | undefined;
}

/**
 * Why a strict vendor would answer this body with a 400, in the vendor's words; undefined where it would not.
 * As strict as the strictest server known for the wire, so that what passes here passes everywhere.
 */
export function requestViolation(wire: LoopbackWire, body: unknown): string | undefined {
  if (!isRecord(body)) return 'The request body must be a JSON object.';
  const surrogate = loneSurrogatePath(body);
  if (surrogate !== undefined)
    return `The request body is not valid JSON: no low surrogate in string (at ${surrogate.slice(0, 80)}).`;
  for (const violation of violationsOf(wire, body)) return violation;
  return undefined;
}

/** Reads the bytes of a request as a strict server does, UTF-8 and JSON included. */
export function checkRequest(wire: LoopbackWire, bytes: Uint8Array): CheckedRequest {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return { body: undefined, violation: 'The request body is not valid UTF-8.' };
  }
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return { body: undefined, violation: 'We could not parse the JSON body of your request. (It is not valid JSON.)' };
  }
  return { body: isRecord(body) ? body : undefined, violation: requestViolation(wire, body) };
}

function violationsOf(wire: LoopbackWire, body: Readonly<Record<string, unknown>>): Violations {
  switch (wire) {
    case 'openai':
      return openaiChatViolations(body);
    case 'openai-responses':
      return openaiResponsesViolations(body);
    case 'anthropic':
      return anthropicViolations(body);
    case 'ollama':
      return ollamaViolations(body);
  }
}
