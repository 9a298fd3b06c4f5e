import type { JsonObject } from '../../core/json.ts';
import {
  type Dialect,
  finishWord,
  type Frame,
  type ResolvedCall,
  type ResolvedReply,
  sseFrame,
  wordsOf,
} from './dialect.ts';
import type { LoopbackVendorError } from './step.ts';

/** Anthropic's stop reasons: https://docs.claude.com/en/api/messages. */
const FINISH_WORDS = {
  stop: 'end_turn',
  length: 'max_tokens',
  'tool-calls': 'tool_use',
  'content-filter': 'refusal',
  pause: 'pause_turn',
};

/** Anthropic's error types: https://docs.claude.com/en/api/errors. */
const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  503: 'overloaded_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

/** Anthropic Messages. */
export const anthropicMessages: Dialect = {
  streamType: 'text/event-stream',
  ping: 'event: ping\ndata: {"type": "ping"}\n\n',
  plain: plainBody,
  frames: streamFrames,
  errorBody,
  errorFrame: (error) => sseFrame(errorBody(error), { isTight: false, event: 'error' }),
  eventFrame: (event) => sseFrame(event, { isTight: false }),
};

function plainBody(reply: ResolvedReply): JsonObject {
  const { quirks } = reply;
  const content: JsonObject[] = [];
  if (reply.reasoning !== '') {
    content.push({ type: 'thinking', thinking: reply.reasoning, signature: `signed-${reply.serial}` });
  }
  const text = textOf(reply).join('');
  if (text !== '') content.push({ type: 'text', text });
  for (const call of reply.calls)
    content.push({ type: 'tool_use', ...idOf(call, reply), name: call.name, input: call.value });
  const stopReason = quirks.terminal === 'missing' ? null : finishWord(reply.finish, FINISH_WORDS);
  return {
    ...emptyMessage(reply),
    content,
    stop_reason: stopReason,
    ...(reply.usage === null ? {} : { usage: { ...inputUsage(reply), output_tokens: reply.usage.outputTokens ?? 0 } }),
  };
}

function streamFrames(reply: ResolvedReply): Frame[] {
  const frames: Frame[] = [];
  const push = (tags: Frame['tags'], event: JsonObject & { readonly type: string }): void => {
    frames.push({ tags, data: sseFrame(event, { isTight: reply.isTight, event: event.type }) });
  };
  const startUsage = reply.usage === null ? {} : { usage: { ...inputUsage(reply), output_tokens: 1 } };
  push([], { type: 'message_start', message: { ...emptyMessage(reply), ...startUsage } });

  let index = 0;
  if (reply.reasoning !== '') {
    push([], { type: 'content_block_start', index, content_block: { type: 'thinking', thinking: '', signature: '' } });
    for (const thinking of wordsOf(reply.reasoning)) {
      push(['reasoning'], { type: 'content_block_delta', index, delta: { type: 'thinking_delta', thinking } });
    }
    const signature = `signed-${reply.serial}`;
    push([], { type: 'content_block_delta', index, delta: { type: 'signature_delta', signature } });
    push([], { type: 'content_block_stop', index: index++ });
  }
  const textPieces = textOf(reply);
  if (textPieces.length > 0) {
    push([], { type: 'content_block_start', index, content_block: { type: 'text', text: '' } });
    push([], { type: 'ping' });
    for (const text of textPieces) {
      push(['text'], { type: 'content_block_delta', index, delta: { type: 'text_delta', text } });
    }
    push([], { type: 'content_block_stop', index: index++ });
  }
  for (const call of reply.calls) {
    const isWhole = reply.quirks.callArguments === 'whole' || reply.quirks.callArguments === 'value';
    const input = isWhole ? call.value : {};
    const block = { type: 'tool_use', ...idOf(call, reply), name: call.name, input };
    push(['call'], { type: 'content_block_start', index, content_block: block });
    for (const partial_json of isWhole ? [] : call.argumentPieces) {
      push(['arguments'], { type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json } });
    }
    push([], { type: 'content_block_stop', index: index++ });
  }
  if (reply.quirks.terminal === 'missing') return frames;
  const delta = { stop_reason: finishWord(reply.finish, FINISH_WORDS), stop_sequence: null };
  const usage = reply.usage === null ? {} : { usage: { output_tokens: reply.usage.outputTokens ?? 0 } };
  push(['finish'], { type: 'message_delta', delta, ...usage });
  if (reply.quirks.terminal !== 'no-done') push([], { type: 'message_stop' });
  return frames;
}

/** Anthropic has no field for a refusal: it is text, and the stop reason says what it is. */
function textOf(reply: ResolvedReply): readonly string[] {
  return reply.refusal === undefined ? reply.textPieces : [...reply.textPieces, ...wordsOf(reply.refusal)];
}

function emptyMessage(reply: ResolvedReply): JsonObject {
  const head = { id: `msg_${reply.serial}`, type: 'message', role: 'assistant', model: reply.model };
  return { ...head, content: [], stop_reason: null, stop_sequence: null };
}

function idOf(call: ResolvedCall, reply: ResolvedReply): { id?: string } {
  if (reply.quirks.callIds === 'missing') return {};
  return { id: reply.quirks.callIds === 'empty' ? '' : (call.id ?? `toolu_${call.defaultId}`) };
}

/** Anthropic counts what came from its cache apart from the rest of the input. */
function inputUsage({ usage }: ResolvedReply): JsonObject {
  const cached = usage?.cachedInputTokens ?? 0;
  return {
    input_tokens: (usage?.inputTokens ?? 0) - cached,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
  };
}

function errorBody(error: LoopbackVendorError & { readonly status: number }): JsonObject {
  const type = error.type ?? ERROR_TYPES[error.status] ?? 'api_error';
  const message =
    error.message ?? (type === 'overloaded_error' ? 'Overloaded' : `The server answered ${error.status}.`);
  return { type: 'error', error: { type, message }, request_id: 'req_loopback' };
}
