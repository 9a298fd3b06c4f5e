import type { Json, JsonObject } from '../../core/json.ts';
import { isRecord } from '../../core/json.ts';
import type { AssistantMessage, ImagePart, Message, TextPart, ToolResultPart } from '../../core/message.ts';
import type { ModelRequest, ToolChoice } from '../../core/provider.ts';
import { callIdIn } from '../dialect/call-id.ts';
import { withoutFields } from '../dialect/dialect.ts';
import type { Dialect } from '../dialect/dialect.ts';
import type { DialectMemory } from '../dialect/memory.ts';
import { errorText } from '../error-text.ts';
import { ToolTexts, withParameters, writeItems } from '../request-body.ts';
import type { BodyWriter, ListState } from '../request-body.ts';
import { wellFormedJson } from '../well-formed.ts';
import type { SentFunctionTool, SentInputPart, SentItem, SentToolChoice } from './wire.ts';

/** What the body is made of beside the conversation. */
export interface ResponsesBodyOptions {
  readonly model: string;
  readonly stream: boolean;
  readonly body: JsonObject;
  readonly maxOutputTokens: number | undefined;
  readonly temperature: number | undefined;
  readonly issuer: string;
}

/** Writes bodies of the Responses wire. The server keeps nothing (`store: false`): the whole conversation is sent each time, so that a run can go on anywhere. */
export function responsesWriter(options: ResponsesBodyOptions, memory: DialectMemory): BodyWriter<ListState> {
  const tools = new ToolTexts(({ name, description }, schemaJson) => {
    const tool: SentFunctionTool = { type: 'function', name, description, strict: false, parameters: {} };
    return withParameters(tool, schemaJson);
  });
  return {
    head: (request) => headOf(request, options, memory.dialect, tools),
    begin: () => ({ isFirst: true }),
    add: (state, message, index, { messages }) =>
      writeItems(state, itemsOf(message, options.issuer, memory.dialect, index >= memory.thoughtsFrom(messages))),
    end: () => ']}',
  };
}

function headOf(request: ModelRequest, options: ResponsesBodyOptions, dialect: Dialect, tools: ToolTexts): string {
  const { tools: extraTools } = options.body as JsonObject & { tools?: JsonObject };
  const toolsField = tools.field(request.tools, extraTools, dialect.schemas);
  const fields = withoutFields(responsesFields(request, options), dialect);
  return `${wellFormedJson(fields).slice(0, -1)}${toolsField},"input":[`;
}

/** The fields of a body beside the tools and the conversation. What is undefined is not written. */
export function responsesFields(request: ModelRequest, options: ResponsesBodyOptions): Record<string, unknown> {
  const hasTools = request.tools.length > 0;
  const { tools: _tools, ...extra } = options.body as JsonObject & { tools?: JsonObject };
  return {
    model: options.model,
    stream: options.stream,
    store: false,
    include: ['reasoning.encrypted_content'],
    instructions: request.system === '' ? undefined : request.system,
    max_output_tokens: options.maxOutputTokens,
    temperature: options.temperature,
    tool_choice: hasTools && request.toolChoice !== 'auto' ? toolChoiceOf(request.toolChoice) : undefined,
    parallel_tool_calls: hasTools ? request.parallelToolCalls : undefined,
    ...extra,
  };
}

function toolChoiceOf(choice: ToolChoice): SentToolChoice {
  return typeof choice === 'string' ? choice : { type: 'function', name: choice.toolName };
}

function itemsOf(
  message: Message,
  issuer: string,
  dialect: Dialect,
  withThoughts: boolean,
): readonly (SentItem | Json)[] {
  switch (message.role) {
    case 'user':
      return [{ role: 'user', content: contentOf(message.content) }];
    case 'assistant':
      return assistantItems(message, issuer, dialect, withThoughts);
    case 'tool':
      return message.content.map((result) => outputItem(result, dialect));
  }
}

function contentOf(content: readonly (TextPart | ImagePart)[]): string | SentInputPart[] {
  const [only] = content;
  if (content.length === 1 && only?.type === 'text') return only.text;
  const parts = content.filter((part) => part.type !== 'text' || part.text !== '').map(inputPart);
  return parts.length === 0 ? '' : parts;
}

function inputPart(part: TextPart | ImagePart): SentInputPart {
  if (part.type === 'text') return { type: 'input_text', text: part.text };
  const url = part.data === undefined ? (part.url ?? '') : `data:${part.mediaType ?? 'image/png'};base64,${part.data}`;
  return { type: 'input_image', image_url: url, detail: 'auto' };
}

function assistantItems(
  { content }: AssistantMessage,
  issuer: string,
  { callIds }: Dialect,
  withThoughts: boolean,
): readonly (SentItem | Json)[] {
  const items: (SentItem | Json)[] = [];
  for (const part of content) {
    switch (part.type) {
      case 'text':
        if (part.text !== '') items.push({ role: 'assistant', content: part.text });
        break;
      case 'tool-call':
        items.push({
          type: 'function_call',
          call_id: callIdIn(callIds, part.toolCallId),
          name: part.toolName,
          arguments: wellFormedJson(part.input),
        });
        break;
      case 'reasoning':
        // Without its encrypted content an item means nothing to a server that keeps nothing.
        if (withThoughts && part.issuer === issuer && isRecord(part.data)) items.push(part.data);
        break;
    }
  }
  return items;
}

function outputItem({ toolCallId, content, isError }: ToolResultPart, { callIds }: Dialect): SentItem {
  const call_id = callIdIn(callIds, toolCallId);
  const output = contentOf(content);
  if (!isError) return { type: 'function_call_output', call_id, output };
  if (typeof output === 'string') return { type: 'function_call_output', call_id, output: errorText(output) };
  return { type: 'function_call_output', call_id, output: markFirst(output) };
}

/** Puts the mark of an error into the first text, or before everything where there is none. */
function markFirst(parts: readonly SentInputPart[]): SentInputPart[] {
  const at = parts.findIndex((part) => part.type === 'input_text');
  if (at < 0) return [{ type: 'input_text', text: 'Error:' }, ...parts];
  return parts.map((part, index) =>
    index === at && part.type === 'input_text' ? { ...part, text: errorText(part.text) } : part,
  );
}
