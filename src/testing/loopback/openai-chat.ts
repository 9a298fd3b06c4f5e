import type { Json, JsonObject } from '../../core/json.ts';
import {
  CREATED_AT_SECONDS,
  type Dialect,
  finishWord,
  type Frame,
  type ResolvedCall,
  type ResolvedReply,
  sseFrame,
  wordsOf,
} from './dialect.ts';
import { openaiErrorBody } from './openai-error.ts';

/** OpenAI's finish reasons: https://platform.openai.com/docs/api-reference/chat/object. */
const FINISH_WORDS = { 'tool-calls': 'tool_calls', 'content-filter': 'content_filter', pause: 'stop' };

/** OpenAI Chat Completions, and with `quirks` its many imitators. */
export const openaiChat: Dialect = {
  streamType: 'text/event-stream',
  ping: ': ping\n\n',
  plain: plainBody,
  frames: streamFrames,
  errorBody: openaiErrorBody,
  errorFrame: (error) => sseFrame(openaiErrorBody(error), { isTight: false }),
  eventFrame: (event) => sseFrame(event, { isTight: false }),
};

function plainBody(reply: ResolvedReply): JsonObject {
  const { quirks } = reply;
  const hasText = reply.textPieces.length > 0;
  return {
    id: `chatcmpl-${reply.serial}`,
    object: 'chat.completion',
    created: CREATED_AT_SECONDS,
    model: reply.model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: hasText ? reply.textPieces.join('') : null,
          refusal: reply.refusal ?? null,
          ...(reply.reasoning === '' ? {} : { [quirks.reasoningField ?? 'reasoning_content']: reply.reasoning }),
          ...(reply.calls.length === 0 ? {} : { tool_calls: reply.calls.map((call) => plainCall(call, reply)) }),
        },
        logprobs: null,
        finish_reason: quirks.terminal === 'missing' ? null : finishWord(reply.finish, FINISH_WORDS),
      },
    ],
    ...(reply.usage === null ? {} : { usage: usageBody(reply) }),
  };
}

function plainCall(call: ResolvedCall, reply: ResolvedReply): Json {
  const argumentsJson = reply.quirks.callArguments === 'value' ? call.value : call.argumentsText;
  return { ...idOf(call, reply), type: 'function', function: { name: call.name, arguments: argumentsJson } };
}

function streamFrames(reply: ResolvedReply): Frame[] {
  const { quirks } = reply;
  const frames: Frame[] = [];
  const base = {
    id: `chatcmpl-${reply.serial}`,
    object: 'chat.completion.chunk',
    created: CREATED_AT_SECONDS,
    model: reply.model,
  };
  // As OpenAI does it: who asks for the usage gets `usage: null` in every chunk but the last.
  const nullUsage = reply.streamsUsage && reply.usage !== null ? { usage: null } : {};
  const push = (tags: Frame['tags'], delta: JsonObject, finish: string | null = null): void => {
    const choices = [{ index: 0, delta, logprobs: null, finish_reason: finish }];
    frames.push({ tags, data: sseFrame({ ...base, choices, ...nullUsage }, reply) });
  };

  push([], { role: 'assistant', content: reply.calls.length > 0 && reply.textPieces.length === 0 ? null : '' });
  for (const piece of wordsOf(reply.reasoning)) {
    push(['reasoning'], { [quirks.reasoningField ?? 'reasoning_content']: piece });
  }
  for (const piece of reply.textPieces) push(['text'], { content: piece });
  for (const piece of wordsOf(reply.refusal ?? '')) push(['text'], { refusal: piece });
  for (const piece of callPieces(reply)) push([piece.tag], { tool_calls: [piece.delta] });
  if (quirks.terminal === 'missing') return frames;
  push(['finish'], {}, finishWord(reply.finish, FINISH_WORDS));
  if (reply.streamsUsage && reply.usage !== null) {
    frames.push({ tags: [], data: sseFrame({ ...base, choices: [], usage: usageBody(reply) }, reply) });
  }
  if (quirks.terminal !== 'no-done') frames.push({ tags: [], data: 'data: [DONE]\n\n' });
  return frames;
}

interface CallPiece {
  readonly tag: 'call' | 'arguments';
  readonly delta: JsonObject;
}

function callPieces(reply: ResolvedReply): CallPiece[] {
  const lists = reply.calls.map((call, index) => piecesOfCall(call, index, reply));
  if (!reply.quirks.interleaved) return lists.flat();
  const longest = Math.max(0, ...lists.map((list) => list.length));
  const rounds = Array.from({ length: longest }, (_, round) => lists.flatMap((list) => list[round] ?? []));
  return rounds.flat();
}

function piecesOfCall(call: ResolvedCall, position: number, reply: ResolvedReply): CallPiece[] {
  const { quirks } = reply;
  const index = quirks.callIndex === 'missing' ? {} : { index: quirks.callIndex === 'zero' ? 0 : position };
  const id = idOf(call, reply);
  const first = { ...index, ...id, type: 'function' };
  if (quirks.callArguments === 'whole' || quirks.callArguments === 'value') {
    const argumentsJson = quirks.callArguments === 'value' ? call.value : call.argumentsText;
    return [{ tag: 'call', delta: { ...first, function: { name: call.name, arguments: argumentsJson } } }];
  }

  const later = { ...index, ...(quirks.callIds === 'every-piece' ? id : {}) };
  const nameLater = quirks.callNames === 'every-piece' ? { name: call.name } : {};
  const half = Math.ceil(call.name.length / 2);
  const firstName =
    quirks.callNames === 'last' ? {} : { name: quirks.callNames === 'split' ? call.name.slice(0, half) : call.name };
  const pieces: CallPiece[] = [{ tag: 'call', delta: { ...first, function: { ...firstName, arguments: '' } } }];
  if (quirks.callNames === 'split') {
    pieces.push({ tag: 'call', delta: { ...later, function: { name: call.name.slice(half), arguments: '' } } });
  }
  for (const piece of argumentPieces(call, quirks.callArguments)) {
    pieces.push({ tag: 'arguments', delta: { ...later, function: { ...nameLater, arguments: piece } } });
  }
  if (quirks.callNames === 'last') pieces.push({ tag: 'call', delta: { ...later, function: { name: call.name } } });
  return pieces;
}

function argumentPieces(call: ResolvedCall, quirk: ResolvedReply['quirks']['callArguments']): readonly string[] {
  if (quirk === 'again-at-end') return [...call.argumentPieces, call.argumentsText];
  if (quirk !== 'cumulative') return call.argumentPieces;
  let sum = '';
  return call.argumentPieces.map((piece) => (sum += piece));
}

function idOf(call: ResolvedCall, reply: ResolvedReply): { id?: string } {
  if (reply.quirks.callIds === 'missing') return {};
  return { id: reply.quirks.callIds === 'empty' ? '' : (call.id ?? `call_${call.defaultId}`) };
}

function usageBody({ usage }: ResolvedReply): JsonObject {
  const input = usage?.inputTokens ?? 0;
  const output = usage?.outputTokens ?? 0;
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: usage?.cachedInputTokens ?? 0 },
    completion_tokens_details: { reasoning_tokens: usage?.reasoningTokens ?? 0 },
  };
}
