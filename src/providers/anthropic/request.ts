import type { Json, JsonObject } from '../../core/json.ts';
import { isRecord } from '../../core/json.ts';
import type {
  AssistantMessage,
  ImagePart,
  Message,
  ReasoningPart,
  TextPart,
  ToolResultPart,
} from '../../core/message.ts';
import type { ModelRequest } from '../../core/provider.ts';
import { callIdIn } from '../dialect/call-id.ts';
import { withoutFields } from '../dialect/dialect.ts';
import type { Dialect } from '../dialect/dialect.ts';
import type { DialectMemory } from '../dialect/memory.ts';
import { ToolTexts, writeHead, writeItems } from '../request-body.ts';
import type { BodyWriter, ListState } from '../request-body.ts';
import { wellFormedJson } from '../well-formed.ts';
import type { ImageType, SentBlock, SentImage, SentTool, SentToolChoice } from './wire.ts';

/** What the body is made of beside the conversation. */
export interface MessagesBodyOptions {
  readonly model: string;
  readonly stream: boolean;
  readonly body: JsonObject;
  readonly maxOutputTokens: number;
  readonly temperature: number | undefined;
  readonly promptCaching: boolean;
  readonly issuer: string;
}

/** Messages of one role in a row are one: the last one stays open until another role comes. */
interface MessagesState extends ListState {
  openRole: 'user' | 'assistant' | undefined;
  /** The names of the tools that were called. */
  readonly calledNames: Set<string>;
}

/** The vendor wants the user to speak first: stands before a history that begins with the model's words. */
const FIRST_USER_MESSAGE =
  '{"role":"user","content":[{"type":"text","text":"(The beginning of this conversation is left out.)"}]},';

/** Writes bodies of the Messages wire. */
export function messagesWriter(options: MessagesBodyOptions, memory: DialectMemory): BodyWriter<MessagesState> {
  const tools = new ToolTexts(({ name, description }, schemaJson) => {
    const tool: Omit<SentTool, 'input_schema'> = { name, description };
    return `${wellFormedJson(tool).slice(0, -1)},"input_schema":${schemaJson}}`;
  });
  return {
    head: (request) => headOf(request, options, memory.dialect, tools),
    begin: () => ({ openRole: undefined, isFirst: true, calledNames: new Set() }),
    add: (state, message, index, { messages }) => {
      const blocks = blocksOf(message, options.issuer, memory.dialect, index >= memory.thoughtsFrom(messages));
      const pieces: string[] = [];
      if (blocks.length === 0) return pieces;
      for (const part of message.content) if (part.type === 'tool-call') state.calledNames.add(part.toolName);
      const role = message.role === 'assistant' ? 'assistant' : 'user';
      if (state.openRole !== role) {
        const before = state.openRole === undefined ? (role === 'assistant' ? FIRST_USER_MESSAGE : '') : ']},';
        pieces.push(`${before}{"role":"${role}","content":[`);
        state.openRole = role;
        state.isFirst = true;
      }
      pieces.push(...writeItems(state, blocks));
      return pieces;
    },
    end: (state, request) =>
      `${state.openRole === undefined ? ']' : ']}]'}${formerToolsField(state.calledNames, request, options.body)}}`,
  };
}

function headOf(request: ModelRequest, options: MessagesBodyOptions, dialect: Dialect, tools: ToolTexts): string {
  const { tools: extraTools } = options.body as JsonObject & { tools?: JsonObject };
  const toolsField = tools.field(request.tools, extraTools, dialect.schemas);
  return writeHead(withoutFields(messagesFields(request, options), dialect), toolsField);
}

/** The fields of a body beside the tools and the conversation. What is undefined is not written. */
export function messagesFields(request: ModelRequest, options: MessagesBodyOptions): Record<string, unknown> {
  const { tools: _tools, ...extra } = options.body as JsonObject & { tools?: JsonObject };
  const system = request.system ?? '';
  return {
    model: options.model,
    max_tokens: options.maxOutputTokens,
    stream: options.stream,
    temperature: options.temperature,
    // The vendor finds the longest prefix of the conversation that it knows by itself.
    cache_control: options.promptCaching ? { type: 'ephemeral' } : undefined,
    system: system.trim() === '' ? undefined : system,
    ...(request.tools.length > 0 ? toolChoiceField(request) : {}),
    ...extra,
  };
}

/**
 * The vendor refuses a conversation with calls where no tools are declared, whatever their names. So an agent without tools
 * that goes on with one declares those that were called, by their names alone, and that none may be called.
 */
function formerToolsField(calledNames: ReadonlySet<string>, { tools }: ModelRequest, body: JsonObject): string {
  const { tools: extraTools, tool_choice: extraChoice } = body;
  const hasTools = tools.length > 0 || (Array.isArray(extraTools) && extraTools.length > 0);
  if (hasTools || calledNames.size === 0) return '';
  const former: SentTool[] = [...calledNames].map((name) => ({
    name,
    description: 'Was called earlier in this conversation; can not be called any more.',
    input_schema: { type: 'object' },
  }));
  const none: SentToolChoice = { type: 'none' };
  return `,"tools":${wellFormedJson(former)}${extraChoice === undefined ? `,"tool_choice":${wellFormedJson(none)}` : ''}`;
}

function toolChoiceField({ toolChoice, parallelToolCalls }: ModelRequest): { tool_choice?: SentToolChoice } {
  const parallel = parallelToolCalls === undefined ? {} : { disable_parallel_tool_use: !parallelToolCalls };
  switch (toolChoice) {
    case 'auto':
      return parallelToolCalls === undefined ? {} : { tool_choice: { type: 'auto', ...parallel } };
    case 'required':
      return { tool_choice: { type: 'any', ...parallel } };
    case 'none':
      return { tool_choice: { type: 'none' } };
    default:
      return { tool_choice: { type: 'tool', name: toolChoice.toolName, ...parallel } };
  }
}

function blocksOf(message: Message, issuer: string, dialect: Dialect, withThoughts: boolean): (SentBlock | Json)[] {
  switch (message.role) {
    case 'user':
      return message.content.flatMap(contentBlock);
    case 'assistant':
      return assistantBlocks(message, issuer, dialect, withThoughts);
    case 'tool':
      return message.content.map(resultBlock);
  }
}

/** A text of nothing but white space is refused by the vendor, so it is left out. */
function contentBlock(part: TextPart | ImagePart): ({ type: 'text'; text: string } | SentImage)[] {
  if (part.type === 'image') return [imageBlock(part)];
  return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text }];
}

function assistantBlocks(
  { content }: AssistantMessage,
  issuer: string,
  { thoughtsIn }: Dialect,
  withThoughts: boolean,
): (SentBlock | Json)[] {
  const blocks: (SentBlock | Json)[] = [];
  let lastText: { type: 'text'; text: string } | undefined;
  for (const part of content) {
    switch (part.type) {
      case 'text':
        if (part.text.trim() === '') break;
        lastText = { type: 'text', text: part.text };
        blocks.push(lastText);
        break;
      case 'tool-call':
        blocks.push({
          type: 'tool_use',
          id: callIdIn('word', part.toolCallId),
          name: part.toolName,
          input: isRecord(part.input) ? part.input : {},
        });
        break;
      case 'reasoning': {
        const block = withThoughts && part.issuer === issuer ? reasoningBlock(part) : undefined;
        if (block !== undefined) blocks.push(block);
        break;
      }
    }
  }
  const hasThoughts = blocks.some(
    (block) => isRecord(block) && (block['type'] === 'thinking' || block['type'] === 'redacted_thinking'),
  );
  if (thoughtsIn !== undefined && !hasThoughts) blocks.unshift({ type: 'thinking', thinking: '', signature: '' });
  // At the end of a request the vendor refuses it: "final assistant content cannot end with trailing whitespace". It is left out
  // wherever a message ends, so that a message is written the same in every turn, and the vendor's cache knows it again.
  if (lastText !== undefined && blocks.at(-1) === lastText) lastText.text = lastText.text.trimEnd();
  return blocks;
}

/** What {@link ReasoningPart.data} holds here: the vendor's block without its text, or the whole of a block that we do not read. */
function reasoningBlock({ text, data }: ReasoningPart): SentBlock | Json | undefined {
  if (!isRecord(data)) return undefined;
  if (data['type'] !== 'thinking') return data;
  return {
    type: 'thinking',
    thinking: text,
    signature: typeof data['signature'] === 'string' ? data['signature'] : '',
  };
}

/** Chosen: what a result without any text says, since an error without content is refused. */
const NO_OUTPUT = '(no output)';

function resultBlock({ toolCallId, content, isError }: ToolResultPart): SentBlock {
  const blocks = content.flatMap(contentBlock);
  const [only] = blocks;
  const text = only === undefined ? NO_OUTPUT : blocks.length === 1 && only.type === 'text' ? only.text : undefined;
  return {
    type: 'tool_result',
    tool_use_id: callIdIn('word', toolCallId),
    content: text ?? blocks,
    ...(isError ? { is_error: true } : {}),
  };
}

function imageBlock({ data, url, mediaType }: ImagePart): SentImage {
  if (data === undefined) return { type: 'image', source: { type: 'url', url: url ?? '' } };
  return { type: 'image', source: { type: 'base64', media_type: (mediaType ?? 'image/png') as ImageType, data } };
}
