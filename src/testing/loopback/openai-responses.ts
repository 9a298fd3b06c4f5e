import type { JsonObject } from '../../core/json.ts';
import { CREATED_AT_SECONDS, type Dialect, type Frame, type ResolvedReply, sseFrame, wordsOf } from './dialect.ts';
import { openaiErrorBody } from './openai-error.ts';

/** OpenAI Responses: https://platform.openai.com/docs/api-reference/responses-streaming. */
export const openaiResponses: Dialect = {
  streamType: 'text/event-stream',
  ping: ': ping\n\n',
  plain: (reply) => responseBody(reply, statusOf(reply), itemsOf(reply)),
  frames: streamFrames,
  errorBody: openaiErrorBody,
  errorFrame: (error) => {
    const { code, message } = openaiErrorBody(error)['error'] as JsonObject;
    const event = {
      type: 'error',
      code: code ?? 'server_error',
      message: message ?? '',
      param: null,
      sequence_number: 99,
    };
    return sseFrame(event, { isTight: false, event: 'error' });
  },
  eventFrame: (event) => sseFrame(event, { isTight: false }),
};

type Status = 'completed' | 'incomplete' | 'failed' | 'in_progress';

function statusOf(reply: ResolvedReply): Status {
  if (reply.finish === 'length' || reply.finish === 'max_output_tokens') return 'incomplete';
  if (reply.finish === 'content-filter' && reply.refusal === undefined) return 'incomplete';
  return reply.finish === 'error' ? 'failed' : 'completed';
}

function responseBody(reply: ResolvedReply, status: Status, output: readonly JsonObject[]): JsonObject {
  const isOver = status !== 'in_progress';
  const reason = reply.finish === 'content-filter' ? 'content_filter' : 'max_output_tokens';
  return {
    id: `resp_${reply.serial}`,
    object: 'response',
    created_at: CREATED_AT_SECONDS,
    status,
    error: status === 'failed' ? { code: 'server_error', message: 'The model failed to answer.' } : null,
    incomplete_details: status === 'incomplete' ? { reason } : null,
    instructions: null,
    metadata: {},
    model: reply.model,
    output,
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    usage: isOver && reply.usage !== null ? usageBody(reply) : null,
  };
}

function itemsOf(reply: ResolvedReply): JsonObject[] {
  const items: JsonObject[] = [];
  if (reply.reasoning !== '') items.push(reasoningItem(reply, [{ type: 'summary_text', text: reply.reasoning }]));
  const text = reply.textPieces.join('');
  const content: JsonObject[] = [];
  if (reply.textPieces.length > 0) content.push({ type: 'output_text', text, annotations: [], logprobs: [] });
  if (reply.refusal !== undefined) content.push({ type: 'refusal', refusal: reply.refusal });
  if (content.length > 0) items.push(messageItem(reply, 'completed', content));
  for (const index of reply.calls.keys()) items.push(callItem(reply, index, 'completed'));
  // Only the last item can have been cut.
  const last = items.at(-1);
  if (last && statusOf(reply) === 'incomplete') items[items.length - 1] = { ...last, status: 'incomplete' };
  return items;
}

function reasoningItem(reply: ResolvedReply, summary: readonly JsonObject[]): JsonObject {
  return { id: `rs_${reply.serial}`, type: 'reasoning', summary, encrypted_content: `sealed-${reply.serial}` };
}

function messageItem(reply: ResolvedReply, status: Status, content: readonly JsonObject[]): JsonObject {
  return { id: `msg_${reply.serial}`, type: 'message', role: 'assistant', status, content };
}

function callItem(reply: ResolvedReply, index: number, status: Status): JsonObject {
  const call = reply.calls[index];
  if (call === undefined) return {};
  const { quirks } = reply;
  return {
    id: `fc_${call.defaultId}`,
    type: 'function_call',
    status,
    name: call.name,
    ...(quirks.callIds === 'missing'
      ? {}
      : { call_id: quirks.callIds === 'empty' ? '' : (call.id ?? `call_${call.defaultId}`) }),
    arguments: status === 'in_progress' ? '' : quirks.callArguments === 'value' ? call.value : call.argumentsText,
  };
}

function streamFrames(reply: ResolvedReply): Frame[] {
  const frames: Frame[] = [];
  let sequence = 0;
  const push = (tags: Frame['tags'], event: JsonObject & { readonly type: string }): void => {
    const data = sseFrame({ ...event, sequence_number: sequence++ }, { isTight: reply.isTight, event: event.type });
    frames.push({ tags, data });
  };
  push([], { type: 'response.created', response: responseBody(reply, 'in_progress', []) });
  push([], { type: 'response.in_progress', response: responseBody(reply, 'in_progress', []) });

  const items = itemsOf(reply);
  let callIndex = 0;
  for (const [outputIndex, item] of items.entries()) {
    const at = { item_id: item['id'] ?? '', output_index: outputIndex };
    switch (item['type']) {
      case 'reasoning':
        push([], { type: 'response.output_item.added', output_index: outputIndex, item: reasoningItem(reply, []) });
        pushReasoning(reply, at, push);
        break;
      case 'message': {
        const opened = messageItem(reply, 'in_progress', []);
        push([], { type: 'response.output_item.added', output_index: outputIndex, item: opened });
        pushMessage(reply, at, push);
        break;
      }
      default:
        pushCall(reply, callIndex, at, push);
        callIndex += 1;
    }
    push([], { type: 'response.output_item.done', output_index: outputIndex, item });
  }
  if (reply.quirks.terminal === 'missing') return frames;
  const status = statusOf(reply);
  push(['finish'], { type: `response.${status}`, response: responseBody(reply, status, items) });
  return frames;
}

interface ItemPlace {
  readonly item_id: JsonObject[string];
  readonly output_index: number;
}
type Push = (tags: Frame['tags'], event: JsonObject & { readonly type: string }) => void;

function pushReasoning(reply: ResolvedReply, place: ItemPlace, push: Push): void {
  const at = { ...place, summary_index: 0 };
  push([], { type: 'response.reasoning_summary_part.added', ...at, part: { type: 'summary_text', text: '' } });
  for (const delta of wordsOf(reply.reasoning)) {
    push(['reasoning'], { type: 'response.reasoning_summary_text.delta', ...at, delta });
  }
  push([], { type: 'response.reasoning_summary_text.done', ...at, text: reply.reasoning });
  push([], {
    type: 'response.reasoning_summary_part.done',
    ...at,
    part: { type: 'summary_text', text: reply.reasoning },
  });
}

function pushMessage(reply: ResolvedReply, place: ItemPlace, push: Push): void {
  let contentIndex = 0;
  if (reply.textPieces.length > 0) {
    const at = { ...place, content_index: contentIndex++ };
    const text = reply.textPieces.join('');
    const part = { type: 'output_text', annotations: [], logprobs: [] };
    push([], { type: 'response.content_part.added', ...at, part: { ...part, text: '' } });
    for (const delta of reply.textPieces)
      push(['text'], { type: 'response.output_text.delta', ...at, delta, logprobs: [] });
    push([], { type: 'response.output_text.done', ...at, text, logprobs: [] });
    push([], { type: 'response.content_part.done', ...at, part: { ...part, text } });
  }
  if (reply.refusal === undefined) return;
  const at = { ...place, content_index: contentIndex };
  push([], { type: 'response.content_part.added', ...at, part: { type: 'refusal', refusal: '' } });
  for (const delta of wordsOf(reply.refusal)) push(['text'], { type: 'response.refusal.delta', ...at, delta });
  push([], { type: 'response.refusal.done', ...at, refusal: reply.refusal });
  push([], { type: 'response.content_part.done', ...at, part: { type: 'refusal', refusal: reply.refusal } });
}

function pushCall(reply: ResolvedReply, index: number, place: ItemPlace, push: Push): void {
  const call = reply.calls[index];
  if (call === undefined) return;
  const { output_index } = place;
  push(['call'], { type: 'response.output_item.added', output_index, item: callItem(reply, index, 'in_progress') });
  if (reply.quirks.callArguments !== 'whole') {
    for (const delta of call.argumentPieces) {
      push(['arguments'], { type: 'response.function_call_arguments.delta', ...place, delta });
    }
  }
  const { name, argumentsText } = call;
  push([], { type: 'response.function_call_arguments.done', ...place, name, arguments: argumentsText });
}

function usageBody({ usage }: ResolvedReply): JsonObject {
  const input = usage?.inputTokens ?? 0;
  const output = usage?.outputTokens ?? 0;
  return {
    input_tokens: input,
    // The Python client's strict check asks for both.
    input_tokens_details: { cached_tokens: usage?.cachedInputTokens ?? 0, cache_write_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: usage?.reasoningTokens ?? 0 },
    total_tokens: input + output,
  };
}
