import type { Json, JsonObject } from '../../core/json.ts';
import type { Usage } from '../../core/usage.ts';
import type { LoopbackCall, LoopbackPoint, LoopbackQuirks, LoopbackReplyStep, LoopbackVendorError } from './step.ts';

/** One event or line of a stream, with what it carries, so that a script can say where a fault strikes. */
export interface Frame {
  readonly tags: readonly Exclude<LoopbackPoint['after'], 'start'>[];
  readonly data: string;
}

/** A scripted reply with every default filled in. */
export interface ResolvedReply {
  readonly textPieces: readonly string[];
  readonly reasoning: string;
  readonly refusal: string | undefined;
  readonly calls: readonly ResolvedCall[];
  /** Our word, or any other word that the script wants to be sent. */
  readonly finish: string;
  /** Null: the server says nothing. */
  readonly usage: Usage | null;
  readonly quirks: LoopbackQuirks;
  /** Unique in the server's life; ids of replies and items are made of it. */
  readonly serial: number;
  /** The model's name as the request gave it. */
  readonly model: string;
  /** The request asked for the usage of a stream (OpenAI's `stream_options`). */
  readonly streamsUsage: boolean;
  /** `data:` without a space. */
  readonly isTight: boolean;
}

/** A scripted call with every default filled in. */
export interface ResolvedCall {
  /** What the script said; each wire has its own default. */
  readonly id: string | undefined;
  readonly defaultId: string;
  readonly name: string;
  readonly argumentPieces: readonly string[];
  readonly argumentsText: string;
  /** The arguments as a value, or their text where that is not JSON. */
  readonly value: Json;
}

/** How one vendor writes replies and errors. */
export interface Dialect {
  readonly streamType: string;
  /** The whole reply as one body. */
  plain(reply: ResolvedReply): JsonObject;
  frames(reply: ResolvedReply): Frame[];
  errorBody(error: LoopbackVendorError & { readonly status: number }): JsonObject;
  /** The error as an event of a stream. */
  errorFrame(error: LoopbackVendorError & { readonly status: number }): string;
  /** Any value as an event of a stream. */
  eventFrame(event: Json): string;
  /** A sign of life without content. */
  readonly ping: string;
}

/** Date of everything that the server makes up: 2025-10-09, chosen so that two runs give the same bytes. */
export const CREATED_AT_SECONDS = 1_760_000_000;

/** Longest default piece of streamed arguments: chosen short, so that most calls come in several. */
const ARGUMENT_PIECE_CHARS = 7;

/** From this length on, pieces are large: chosen so that megabytes do not become a million events. */
const LARGE_TEXT_CHARS = 4_000;
const LARGE_PIECE_CHARS = 16_000;

/** Fills in the defaults of a scripted reply. */
export function resolveReply(
  step: LoopbackReplyStep,
  request: { readonly serial: number; readonly model: string; readonly streamsUsage: boolean },
): ResolvedReply {
  const calls = (step.calls ?? []).map((call, index) => resolveCall(call, `${request.serial}_${index + 1}`));
  return {
    textPieces: typeof step.text === 'string' ? wordsOf(step.text) : (step.text ?? []),
    reasoning: step.reasoning ?? '',
    refusal: step.refusal,
    calls,
    finish: step.finish ?? (calls.length > 0 ? 'tool-calls' : step.refusal === undefined ? 'stop' : 'content-filter'),
    usage: step.usage === undefined ? { inputTokens: 120, outputTokens: 20 } : step.usage,
    quirks: step.quirks ?? {},
    serial: request.serial,
    model: request.model,
    streamsUsage: request.streamsUsage,
    isTight: step.tightData ?? false,
  };
}

function resolveCall(call: LoopbackCall, defaultId: string): ResolvedCall {
  const raw = call.rawArguments ?? JSON.stringify(call.input ?? {});
  const argumentsText = typeof raw === 'string' ? raw : raw.join('');
  return {
    id: call.id,
    defaultId,
    name: call.name,
    argumentPieces: typeof raw === 'string' ? piecesOf(raw, ARGUMENT_PIECE_CHARS) : raw,
    argumentsText,
    value: call.rawArguments === undefined ? (call.input ?? {}) : valueOrText(argumentsText),
  };
}

function valueOrText(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/** A text in pieces of one word each, or of many where it is long. */
export function wordsOf(text: string): string[] {
  return text.length > LARGE_TEXT_CHARS ? piecesOf(text, LARGE_PIECE_CHARS) : (text.match(/\S+\s*|\s+/gu) ?? []);
}

/** A text in pieces of about `size`, never cut inside a surrogate pair. */
export function piecesOf(text: string, size: number): string[] {
  const step = text.length > LARGE_TEXT_CHARS ? LARGE_PIECE_CHARS : size;
  const pieces: string[] = [];
  for (let start = 0; start < text.length;) {
    const end = start + step;
    // A high surrogate just before the cut takes its partner along.
    const last = text.charCodeAt(end - 1);
    const isPairSplit = last >= 0xd800 && last <= 0xdbff && end < text.length;
    pieces.push(text.slice(start, isPairSplit ? end + 1 : end));
    start = isPairSplit ? end + 1 : end;
  }
  return pieces;
}

/** One server-sent event. */
export function sseFrame(
  value: unknown,
  options: { readonly isTight: boolean; readonly event?: string | undefined },
): string {
  const name = options.event === undefined ? '' : `event: ${options.event}\n`;
  return `${name}data:${options.isTight ? '' : ' '}${JSON.stringify(value)}\n\n`;
}

/** The vendor's word for a finish reason; a word that is not ours is sent as it is. */
export function finishWord(finish: string, words: Readonly<Record<string, string>>): string {
  return words[finish] ?? finish;
}
