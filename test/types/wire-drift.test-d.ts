import type Anthropic from '@anthropic-ai/sdk';
import type * as Ollama from 'ollama';
import type OpenAI from 'openai';
import type * as ClaudeWire from '../../src/providers/anthropic/wire.ts';
import type * as OllamaWire from '../../src/providers/ollama/wire.ts';
import type * as ChatWire from '../../src/providers/openai-chat/wire.ts';
import type * as ResponsesWire from '../../src/providers/openai-responses/wire.ts';

// Checked by the compiler alone, against the vendors' own packages: a change of a wire is seen when they are updated. What is
// read must have a field of that name, and what is sent must be accepted. The packages are never part of the library.

declare global {
  /** The types of `ollama` want this name of the browser's. */
  type HeadersInit = NonNullable<RequestInit['headers']>;
}

/** Every key of every member of a union. */
type KeyOf<T> = T extends unknown ? keyof T : never;

/** The keys that are read and that the vendor does not know: none. */
type Unknown<Ours, Theirs> = Exclude<keyof Ours, KeyOf<Theirs>>;

const known = <_Unknown extends never>(): void => {};
const accepted = <Theirs>() => ({ sends: <_Ours extends Theirs>(): void => {} });

type Chunk = OpenAI.Chat.Completions.ChatCompletionChunk;
type Completion = OpenAI.Chat.Completions.ChatCompletion;
type ChunkDelta = Chunk['choices'][number]['delta'];
type ChunkCall = NonNullable<ChunkDelta['tool_calls']>[number];
type WholeCall = OpenAI.Chat.Completions.ChatCompletionMessageFunctionToolCall;

export function chatCompletions(): void {
  known<Unknown<ChatWire.ChatReply, Chunk>>();
  known<Unknown<ChatWire.ChatReply, Completion>>();
  known<Unknown<ChatWire.ChatChoice, Chunk['choices'][number] | Completion['choices'][number]>>();
  known<Unknown<ChatWire.ChatMessage, ChunkDelta>>();
  known<Unknown<ChatWire.ChatMessage, Completion['choices'][number]['message']>>();
  known<Unknown<ChatWire.ChatToolCall, ChunkCall>>();
  known<Exclude<Unknown<ChatWire.ChatToolCall, WholeCall>, 'index'>>();
  known<Unknown<ChatWire.ChatFunction, NonNullable<ChunkCall['function']>>>();
  known<Unknown<ChatWire.ChatUsage, NonNullable<Chunk['usage']>>>();
  accepted<OpenAI.Chat.Completions.ChatCompletionMessageParam>().sends<ChatWire.ChatSentMessage>();
  accepted<OpenAI.Chat.Completions.ChatCompletionTool>().sends<ChatWire.ChatSentTool>();
  accepted<OpenAI.Chat.Completions.ChatCompletionToolChoiceOption>().sends<ChatWire.ChatSentToolChoice>();
}

export function responses(): void {
  known<Unknown<ResponsesWire.ResponsesEvent, OpenAI.Responses.ResponseStreamEvent>>();
  known<Unknown<ResponsesWire.ResponsesReply, OpenAI.Responses.Response>>();
  known<Unknown<ResponsesWire.OutputItem, OpenAI.Responses.ResponseOutputItem>>();
  known<Unknown<ResponsesWire.ResponsesUsage, OpenAI.Responses.ResponseUsage>>();
  accepted<OpenAI.Responses.ResponseInputItem>().sends<ResponsesWire.SentItem>();
  accepted<OpenAI.Responses.Tool>().sends<ResponsesWire.SentFunctionTool>();
  accepted<OpenAI.Responses.ResponseCreateParams['tool_choice']>().sends<ResponsesWire.SentToolChoice>();
  type EventType = OpenAI.Responses.ResponseStreamEvent['type'];
  // The events that are read, by their names.
  accepted<EventType>().sends<
    | 'response.created'
    | 'response.in_progress'
    | 'response.completed'
    | 'response.incomplete'
    | 'response.failed'
    | 'error'
    | 'response.output_item.added'
    | 'response.output_item.done'
    | 'response.output_text.delta'
    | 'response.refusal.delta'
    | 'response.function_call_arguments.delta'
    | 'response.function_call_arguments.done'
    | 'response.reasoning_summary_text.delta'
    | 'response.reasoning_text.delta'
  >();
}

export function messages(): void {
  known<Unknown<ClaudeWire.MessageEvent, Anthropic.RawMessageStreamEvent>>();
  known<Unknown<ClaudeWire.MessageReply, Anthropic.Message>>();
  known<Unknown<ClaudeWire.ReplyBlock, Anthropic.ContentBlock>>();
  known<Unknown<ClaudeWire.BlockDelta, Anthropic.RawContentBlockDelta>>();
  known<Unknown<ClaudeWire.MessageUsage, Anthropic.Usage>>();
  accepted<Anthropic.ContentBlockParam>().sends<ClaudeWire.SentBlock>();
  accepted<Anthropic.Tool>().sends<ClaudeWire.SentTool>();
  accepted<Anthropic.ToolChoice>().sends<ClaudeWire.SentToolChoice>();
  accepted<Anthropic.RawMessageStreamEvent['type']>().sends<
    | 'message_start'
    | 'message_delta'
    | 'message_stop'
    | 'content_block_start'
    | 'content_block_delta'
    | 'content_block_stop'
  >();
  accepted<Anthropic.StopReason>().sends<
    'end_turn' | 'max_tokens' | 'stop_sequence' | 'tool_use' | 'pause_turn' | 'refusal'
  >();
}

export function ollama(): void {
  known<Unknown<OllamaWire.OllamaReply, Ollama.ChatResponse>>();
  known<Unknown<OllamaWire.OllamaMessage, Ollama.Message>>();
  known<Unknown<OllamaWire.OllamaToolCall, Ollama.ToolCall>>();
  known<Unknown<OllamaWire.OllamaFunction, Ollama.ToolCall['function']>>();
  accepted<Ollama.Message>().sends<OllamaWire.OllamaSentMessage>();
  // Their type of a schema knows fewer forms than the server does.
  accepted<Omit<Ollama.Tool, 'function'>>().sends<OllamaWire.OllamaSentTool>();
}
