import type { Json, JsonObject } from '../../core/json.ts';
import { isRecord } from '../../core/json.ts';
import type { AssistantMessage, ImagePart, Message, TextPart, ToolMessage, UserMessage } from '../../core/message.ts';
import { textOf } from '../../core/message.ts';
import type { ModelRequest, ToolChoice } from '../../core/provider.ts';
import { errorText } from '../error-text.ts';
import { ToolTexts, withParameters, writeHead, writeItems } from '../request-body.ts';
import type { BodyWriter, ListState } from '../request-body.ts';
import { wellFormed, wellFormedJson } from '../well-formed.ts';
import type { ChatContentPart, ChatSentMessage, ChatSentTool, ChatSentToolChoice } from './wire.ts';

/** What can be left out for a server that does not know it. Set by a 400 that names it, for as long as the provider lives. */
export interface ChatDialect {
  hasStreamOptions: boolean;
  hasParallelToolCalls: boolean;
  maxTokensField: 'max_tokens' | 'max_completion_tokens';
  /** True once the other name was tried: a server that refuses both is not asked a third time. */
  hasSwappedMaxTokens: boolean;
}

/** What the body is made of beside the conversation. */
export interface ChatBodyOptions {
  readonly model: string;
  readonly stream: boolean;
  readonly body: JsonObject;
  readonly maxOutputTokens: number | undefined;
  readonly temperature: number | undefined;
  readonly imageResults: boolean;
  /** Where reasoning is sent back, for servers that want it (DeepSeek, Kimi: `reasoning_content`). */
  readonly sendReasoningAs: 'reasoning_content' | 'reasoning' | undefined;
  readonly issuer: string;
  /** True: tools are left out of a request whose `toolChoice` is `none`. */
  readonly hidesToolsForNone: boolean;
}

/** What a message must know of those before it. */
interface ChatState extends ListState {
  /** Images of tool results, to be shown by a user message once all results of the turn stand there. */
  images: ChatContentPart[];
}

/** Writes bodies of the Chat Completions wire. */
export function chatWriter(options: ChatBodyOptions, dialect: ChatDialect): BodyWriter<ChatState> {
  const tools = new ToolTexts(({ name, description }, schemaJson) => {
    const tool: ChatSentTool = { type: 'function', function: { name, description, parameters: {} } };
    return withParameters(tool, schemaJson);
  });
  return {
    head: (request) => headOf(request, options, dialect, tools),
    begin: () => ({ isFirst: true, images: [] }),
    add: (state, message) => {
      const flushed = message.role === 'tool' ? [] : flushImages(state);
      return [...flushed, ...writeItems(state, messagesOf(message, options, state))];
    },
    // In a copy: the next messages may be further results of the same turn, and the images stand behind them.
    end: (state) => `${flushImages({ ...state }).join('')}]}`,
  };
}

function headOf(request: ModelRequest, options: ChatBodyOptions, dialect: ChatDialect, tools: ToolTexts): string {
  // Many imitators do not know the word `none`: there a model that may call nothing is shown nothing to call.
  const isHidden = request.toolChoice === 'none' && options.hidesToolsForNone;
  const hasTools = request.tools.length > 0 && !isHidden;
  const { tools: extraTools, ...extra } = options.body as JsonObject & { tools?: JsonObject };
  // What is undefined is not written.
  const fields = {
    model: options.model,
    stream: options.stream,
    stream_options: options.stream && dialect.hasStreamOptions ? { include_usage: true } : undefined,
    [dialect.maxTokensField]: options.maxOutputTokens,
    temperature: options.temperature,
    tool_choice: hasTools && request.toolChoice !== 'auto' ? toolChoiceOf(request.toolChoice) : undefined,
    parallel_tool_calls: hasTools && dialect.hasParallelToolCalls ? request.parallelToolCalls : undefined,
    ...extra,
  };
  const toolsField = tools.field(hasTools ? request.tools : [], extraTools);
  return writeHead(fields, toolsField, request.system);
}

function toolChoiceOf(choice: ToolChoice): ChatSentToolChoice {
  return typeof choice === 'string' ? choice : { type: 'function', function: { name: choice.toolName } };
}

/** The wire has no images in tool results: they follow, as from the user. */
function flushImages(state: ChatState): string[] {
  if (state.images.length === 0) return [];
  const content: ChatContentPart[] = [{ type: 'text', text: 'The images of the tool results above:' }, ...state.images];
  state.images = [];
  return writeItems(state, [{ role: 'user', content }]);
}

function messagesOf(message: Message, options: ChatBodyOptions, state: ChatState): readonly ChatSentMessage[] {
  switch (message.role) {
    case 'user':
      return [userMessage(message)];
    case 'assistant':
      return [assistantMessage(message, options)];
    case 'tool':
      return toolMessages(message, options, state);
  }
}

function userMessage({ content }: UserMessage): ChatSentMessage {
  const [only] = content;
  if (content.length === 1 && only?.type === 'text') return { role: 'user', content: only.text };
  const parts = content.filter((part) => part.type !== 'text' || part.text !== '').map(contentPart);
  return { role: 'user', content: parts.length > 0 ? parts : '' };
}

function contentPart(part: TextPart | ImagePart): ChatContentPart {
  return part.type === 'text' ? part : { type: 'image_url', image_url: { url: imageUrl(part) } };
}

function imageUrl({ url, data, mediaType }: ImagePart): string {
  return data === undefined ? (url ?? '') : `data:${mediaType ?? 'image/png'};base64,${data}`;
}

function assistantMessage({ content }: AssistantMessage, options: ChatBodyOptions): ChatSentMessage {
  let text = '';
  const calls = [];
  let extra: Record<string, unknown> | undefined;
  for (const part of content) {
    switch (part.type) {
      case 'text':
        text += part.text;
        break;
      case 'tool-call':
        calls.push({
          id: part.toolCallId,
          type: 'function' as const,
          // Without lone surrogates already here: inside a string their escapes would be escaped once more, out of reach of a later look.
          function: { name: part.toolName, arguments: wellFormedJson(part.input) },
          ...vendorDataOf(part.vendor?.data, options.issuer),
        });
        break;
      case 'reasoning':
        if (part.issuer !== options.issuer) break;
        if (part.data !== undefined) extra = { ...extra, ...(part.data as JsonObject) };
        if (options.sendReasoningAs !== undefined && part.text !== '')
          extra = { ...extra, [options.sendReasoningAs]: part.text };
        break;
    }
  }
  if (calls.length === 0) return { role: 'assistant', content: text, ...extra };
  return { role: 'assistant', content: text === '' ? null : text, tool_calls: calls, ...extra };
}

/** Fields of a call that came from this very server, as `ToolCallSlots` keeps them. */
function vendorDataOf(data: Json | undefined, issuer: string): JsonObject | undefined {
  if (!isRecord(data) || data['issuer'] !== issuer) return undefined;
  const { issuer: _issuer, ...fields } = data;
  return fields;
}

const NO_IMAGE = '[An image is not shown: this server takes none in tool results.]';

function toolMessages({ content }: ToolMessage, options: ChatBodyOptions, state: ChatState): ChatSentMessage[] {
  return content.map((result) => {
    let text = textOf(result.content);
    const images = result.content.filter((part) => part.type === 'image');
    if (images.length > 0) {
      if (options.imageResults) state.images = [...state.images, ...images.map(contentPart)];
      const note = options.imageResults ? '[The image follows below.]' : NO_IMAGE;
      text = text === '' ? note : `${text}\n${note}`;
    }
    return {
      role: 'tool',
      tool_call_id: wellFormed(result.toolCallId),
      content: result.isError ? errorText(text) : text,
    };
  });
}
