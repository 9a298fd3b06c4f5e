import type { JsonObject } from '../../core/json.ts';
import { isRecord } from '../../core/json.ts';
import type { AssistantMessage, ImagePart, Message, ToolMessage, UserMessage } from '../../core/message.ts';
import { textOf } from '../../core/message.ts';
import type { ModelRequest } from '../../core/provider.ts';
import { withoutFields } from '../dialect/dialect.ts';
import type { Dialect } from '../dialect/dialect.ts';
import type { DialectMemory } from '../dialect/memory.ts';
import { errorText } from '../error-text.ts';
import { ToolTexts, withParameters, writeHead, writeItems } from '../request-body.ts';
import type { BodyWriter, ListState } from '../request-body.ts';
import type { OllamaSentCall, OllamaSentMessage, OllamaSentTool } from './wire.ts';

/** What the body is made of beside the conversation. */
export interface OllamaBodyOptions {
  readonly model: string;
  readonly stream: boolean;
  readonly body: JsonObject;
  readonly options: JsonObject;
  readonly imageResults: boolean;
  readonly issuer: string;
}

/** Writes bodies of Ollama's own chat wire. */
export function ollamaWriter(options: OllamaBodyOptions, memory: DialectMemory): BodyWriter<ListState> {
  const tools = new ToolTexts(({ name, description }, schemaJson) => {
    const tool: OllamaSentTool = { type: 'function', function: { name, description, parameters: {} } };
    return withParameters(tool, schemaJson);
  });
  return {
    head: (request) => headOf(request, options, memory.dialect, tools),
    begin: () => ({ isFirst: true }),
    add: (state, message) => writeItems(state, messagesOf(message, options)),
    end: () => ']}',
  };
}

function headOf(request: ModelRequest, options: OllamaBodyOptions, dialect: Dialect, tools: ToolTexts): string {
  // The wire has no field for the choice: a model that must not call is not told of the tools.
  const hasTools = request.tools.length > 0 && request.toolChoice !== 'none';
  const toolsField = hasTools ? tools.field(request.tools, undefined, dialect.schemas) : '';
  return writeHead(withoutFields(ollamaFields(options), dialect), toolsField, request.system);
}

/** The fields of a body beside the tools and the conversation. */
export function ollamaFields({ model, stream, body, options }: OllamaBodyOptions): Record<string, unknown> {
  // Ollama cuts a conversation that is longer than its context, tools first, and says nothing. Told not to (since 0.12), it
  // refuses: an overflow that can be seen. Older ones ignore the field.
  return { model, stream, truncate: false, ...(Object.keys(options).length === 0 ? {} : { options }), ...body };
}

function messagesOf(message: Message, options: OllamaBodyOptions): readonly OllamaSentMessage[] {
  switch (message.role) {
    case 'user':
      return [userMessage(message)];
    case 'assistant':
      return [assistantMessage(message, options)];
    case 'tool':
      return toolMessages(message, options);
  }
}

function userMessage({ content }: UserMessage): OllamaSentMessage {
  const images = content.filter((part) => part.type === 'image');
  const data = dataOf(images);
  const missing =
    images.length > data.length ? '\n[An image is not shown: this server takes no addresses of images.]' : '';
  const texts = content.filter((part) => part.type === 'text').map((part) => part.text);
  return { role: 'user', content: texts.join('\n') + missing, ...(data.length === 0 ? {} : { images: data }) };
}

function dataOf(images: readonly ImagePart[]): string[] {
  return images.map((image) => image.data).filter((data) => data !== undefined);
}

function assistantMessage({ content }: AssistantMessage, { issuer }: OllamaBodyOptions): OllamaSentMessage {
  let text = '';
  let thinking = '';
  const calls: OllamaSentCall[] = [];
  for (const part of content) {
    if (part.type === 'text') text += part.text;
    // Models that think between calls (gpt-oss, qwen3) read their own thoughts of the same turn.
    else if (part.type === 'reasoning') thinking += part.issuer === issuer ? part.text : '';
    else
      calls.push({
        id: part.toolCallId,
        function: { name: part.toolName, arguments: isRecord(part.input) ? part.input : {} },
      });
  }
  return {
    role: 'assistant',
    content: text,
    ...(thinking === '' ? {} : { thinking }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

function toolMessages({ content }: ToolMessage, { imageResults }: OllamaBodyOptions): readonly OllamaSentMessage[] {
  const shown: string[] = [];
  const messages = content.map((result): OllamaSentMessage => {
    const images = result.content.filter((part) => part.type === 'image');
    let text = textOf(result.content);
    if (images.length > 0) {
      const data = imageResults ? dataOf(images) : [];
      shown.push(...data);
      const note =
        data.length === images.length
          ? '[The image follows below.]'
          : '[An image is not shown: this server does not take it.]';
      text = text === '' ? note : `${text}\n${note}`;
    }
    return {
      role: 'tool',
      tool_name: result.toolName,
      tool_call_id: result.toolCallId,
      content: result.isError ? errorText(text) : text,
    };
  });
  if (shown.length > 0)
    messages.push({ role: 'user', content: 'The images of the tool results above:', images: shown });
  return messages;
}
