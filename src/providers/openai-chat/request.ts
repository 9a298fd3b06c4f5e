import type { Json, JsonObject } from '../../core/json.ts';
import { isRecord } from '../../core/json.ts';
import type { AssistantMessage, ImagePart, TextPart, ToolMessage } from '../../core/message.ts';
import { textOf } from '../../core/message.ts';
import type { ModelRequest, ToolChoice } from '../../core/provider.ts';
import { callIdIn } from '../dialect/call-id.ts';
import { withoutFields } from '../dialect/dialect.ts';
import type { Dialect } from '../dialect/dialect.ts';
import type { DialectMemory } from '../dialect/memory.ts';
import { errorText } from '../error-text.ts';
import { ToolTexts, withParameters, writeHead, writeItems } from '../request-body.ts';
import type { BodyWriter, ListState } from '../request-body.ts';
import { wellFormed, wellFormedJson } from '../well-formed.ts';
import type { ChatContentPart, ChatSentCall, ChatSentMessage, ChatSentTool, ChatSentToolChoice } from './wire.ts';

/** What the body is made of beside the conversation. */
export interface ChatBodyOptions {
  readonly model: string;
  readonly stream: boolean;
  readonly body: JsonObject;
  readonly maxOutputTokens: number | undefined;
  readonly temperature: number | undefined;
  readonly imageResults: boolean;
  readonly issuer: string;
  /** True: tools are left out of a request whose `toolChoice` is `none`. */
  readonly hidesToolsForNone: boolean;
}

/** What a message must know of those before it. */
interface ChatState extends ListState {
  /** The user's message that is still open: messages of the user in a row are one, since chat templates want roles to alternate. */
  user: ChatContentPart[];
  /** Images of tool results: the wire has none there, so they follow as from the user, once all results of the turn are written. */
  images: ChatContentPart[];
  /** True where a tool's result was written last. */
  isBehindTool: boolean;
}

/** Writes bodies of the Chat Completions wire. */
export function chatWriter(options: ChatBodyOptions, memory: DialectMemory): BodyWriter<ChatState> {
  const tools = new ToolTexts(({ name, description }, schemaJson) => {
    const tool: ChatSentTool = { type: 'function', function: { name, description, parameters: {} } };
    return withParameters(tool, schemaJson);
  });
  return {
    head: (request) => headOf(request, options, memory.dialect, tools),
    begin: () => ({ isFirst: true, user: [], images: [], isBehindTool: false }),
    add: (state, message, index, { messages }) => {
      if (message.role === 'user') {
        const shown = message.content.filter((part) => part.type !== 'text' || part.text !== '').map(contentPart);
        openUser(state).push(...(shown.length > 0 ? shown : [NOTHING]));
        return [];
      }
      const { dialect } = memory;
      const isOpening = state.isFirst && state.user.length === 0 && message.role === 'assistant' && dialect.userFirst;
      if (isOpening) state.user = [FIRST_WORD];
      const flushed = message.role === 'tool' ? [] : flushUser(state, dialect);
      state.isBehindTool = message.role === 'tool';
      const withThoughts = index >= memory.thoughtsFrom(messages);
      const sent =
        message.role === 'tool'
          ? toolMessages(message, options, dialect, state)
          : [assistantMessage(message, options.issuer, dialect, withThoughts)];
      return [...flushed, ...writeItems(state, sent)];
    },
    // In a copy: the next message may belong to the one that is open.
    end: (state) => `${flushUser({ ...state }, memory.dialect).join('')}]}`,
  };
}

function headOf(request: ModelRequest, options: ChatBodyOptions, dialect: Dialect, tools: ToolTexts): string {
  const hasTools = sendsTools(request, options);
  const { tools: extraTools } = options.body as JsonObject & { tools?: JsonObject };
  const toolsField = tools.field(hasTools ? request.tools : [], extraTools, dialect.schemas);
  return writeHead(withoutFields(chatFields(request, options, dialect), dialect), toolsField, request.system);
}

/** The fields of a body beside the tools and the conversation. What is undefined is not written. */
export function chatFields(request: ModelRequest, options: ChatBodyOptions, dialect: Dialect): Record<string, unknown> {
  const hasTools = sendsTools(request, options);
  const { tools: _tools, ...extra } = options.body as JsonObject & { tools?: JsonObject };
  return {
    model: options.model,
    stream: options.stream,
    stream_options: options.stream ? { include_usage: true } : undefined,
    [dialect.maxTokensField]: options.maxOutputTokens,
    temperature: options.temperature,
    tool_choice: hasTools && request.toolChoice !== 'auto' ? toolChoiceOf(request.toolChoice) : undefined,
    parallel_tool_calls: hasTools ? request.parallelToolCalls : undefined,
    ...extra,
  };
}

/** Many imitators do not know the word `none`: there a model that may call nothing is shown nothing to call. */
function sendsTools({ tools, toolChoice }: ModelRequest, { hidesToolsForNone }: ChatBodyOptions): boolean {
  return tools.length > 0 && !(toolChoice === 'none' && hidesToolsForNone);
}

function toolChoiceOf(choice: ToolChoice): ChatSentToolChoice {
  return typeof choice === 'string' ? choice : { type: 'function', function: { name: choice.toolName } };
}

/** Opens the message of the user: the images of the results before it come first. */
function openUser(state: ChatState): ChatContentPart[] {
  const shown = state.images;
  if (shown.length > 0)
    state.user = [...state.user, { type: 'text', text: 'The images of the tool results above:' }, ...shown];
  state.images = [];
  return state.user;
}

/** What the user says before a history that begins with the model, for servers that want somebody to. */
const FIRST_WORD: ChatContentPart = { type: 'text', text: '(The beginning of this conversation is left out.)' };

/** What an assistant says between a tool's result and a user, for servers that want somebody to. */
const BRIDGE: ChatSentMessage = { role: 'assistant', content: 'I have the results.' };

function flushUser(state: ChatState, { bridgesToolToUser }: Dialect): string[] {
  const parts = openUser(state);
  if (parts.length === 0) return [];
  state.user = [];
  const texts = parts.filter((part) => part.type === 'text');
  const message: ChatSentMessage = {
    role: 'user',
    // A plain text wherever it can be one: older servers take nothing else.
    content:
      texts.length === parts.length
        ? texts.flatMap(({ text }) => (text === '' ? [] : [text])).join('\n\n')
        : parts.filter((part) => part !== NOTHING),
  };
  const bridged = state.isBehindTool && bridgesToolToUser ? [BRIDGE, message] : [message];
  state.isBehindTool = false;
  return writeItems(state, bridged);
}

/** Stands for a message without words: the user has spoken all the same. */
const NOTHING: ChatContentPart = { type: 'text', text: '' };

function contentPart(part: TextPart | ImagePart): ChatContentPart {
  return part.type === 'text' ? part : { type: 'image_url', image_url: { url: imageUrl(part) } };
}

function imageUrl({ url, data, mediaType }: ImagePart): string {
  return data === undefined ? (url ?? '') : `data:${mediaType ?? 'image/png'};base64,${data}`;
}

function assistantMessage(
  { content }: AssistantMessage,
  issuer: string,
  dialect: Dialect,
  withThoughts: boolean,
): ChatSentMessage {
  let text = '';
  let thoughts = '';
  const calls: ChatSentCall[] = [];
  let extra: Record<string, unknown> = {};
  for (const part of content) {
    switch (part.type) {
      case 'text':
        text += part.text;
        break;
      case 'tool-call': {
        const vendorData = withThoughts ? vendorDataOf(part.vendor?.data, issuer) : undefined;
        const signature = dialect.signsCalls && calls.length === 0 ? PLACEHOLDER_SIGNATURE : undefined;
        calls.push({
          id: callIdIn(dialect.callIds, part.toolCallId),
          type: 'function' as const,
          // Without lone surrogates already here: inside a string their escapes would be escaped once more, out of reach of a later look.
          function: { name: part.toolName, arguments: wellFormedJson(part.input) },
          ...(vendorData ?? signature),
        });
        break;
      }
      case 'reasoning':
        if (part.issuer !== issuer || !withThoughts) break;
        if (part.data !== undefined) extra = { ...extra, ...(part.data as JsonObject) };
        thoughts += part.text;
        break;
    }
  }
  const { thoughtsIn } = dialect;
  if (thoughtsIn !== undefined) extra[thoughtsIn === 'thinking' ? 'reasoning_content' : thoughtsIn] = thoughts;
  if (calls.length === 0) return { role: 'assistant', content: text, ...extra };
  const said = text === '' && !dialect.emptyText ? null : text;
  return { role: 'assistant', content: said, tool_calls: calls, ...extra };
}

/** What Google documents for calls that no Gemini made (https://ai.google.dev/gemini-api/docs/thought-signatures). */
const PLACEHOLDER_SIGNATURE: JsonObject = {
  extra_content: { google: { thought_signature: 'skip_thought_signature_validator' } },
};

/** Fields of a call that came from this very server, as `ToolCallSlots` keeps them. */
function vendorDataOf(data: Json | undefined, issuer: string): JsonObject | undefined {
  if (!isRecord(data) || data['issuer'] !== issuer) return undefined;
  const { issuer: _issuer, ...fields } = data;
  return fields;
}

const NO_IMAGE = '[An image is not shown: this server takes none in tool results.]';

function toolMessages(
  { content }: ToolMessage,
  options: ChatBodyOptions,
  { callIds }: Dialect,
  state: ChatState,
): ChatSentMessage[] {
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
      tool_call_id: wellFormed(callIdIn(callIds, result.toolCallId)),
      content: result.isError ? errorText(text) : text,
    };
  });
}
