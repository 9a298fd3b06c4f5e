import type { Json, JsonObject } from '../../core/json.ts';
import { isRecord } from '../../core/json.ts';
import type { AssistantMessage, ImagePart, Message, TextPart, ToolResultPart } from '../../core/message.ts';
import type { ModelRequest, ToolChoice } from '../../core/provider.ts';
import { errorText } from '../error-text.ts';
import { ToolTexts, withParameters, writeItems } from '../request-body.ts';
import type { BodyWriter, ListState } from '../request-body.ts';
import { wellFormedJson } from '../well-formed.ts';
import type { SentFunctionTool, SentInputPart, SentItem, SentToolChoice } from './wire.ts';

/** What can be left out for a server that does not know it. */
export interface ResponsesDialect {
  hasEncryptedReasoning: boolean;
  hasParallelToolCalls: boolean;
}

/** What the body is made of beside the conversation. */
export interface ResponsesBodyOptions {
  readonly model: string;
  readonly stream: boolean;
  readonly body: JsonObject;
  readonly maxOutputTokens: number | undefined;
  readonly temperature: number | undefined;
  readonly issuer: string;
}

/**
 * Writes bodies of the Responses wire. The server keeps nothing (`store: false`): the whole conversation is sent each time, so that
 * a run can go on anywhere. `isReasoningSent` tells for the place of a message whether its reasoning is sent back.
 */
export function responsesWriter(
  options: ResponsesBodyOptions,
  dialect: ResponsesDialect,
  isReasoningSent: (index: number) => boolean,
): BodyWriter<ListState> {
  const tools = new ToolTexts(({ name, description }, schemaJson) => {
    const tool: SentFunctionTool = { type: 'function', name, description, strict: false, parameters: {} };
    return withParameters(tool, schemaJson);
  });
  return {
    head: (request) => headOf(request, options, dialect, tools),
    begin: () => ({ isFirst: true }),
    add: (state, message, index) => writeItems(state, itemsOf(message, options.issuer, isReasoningSent(index))),
    end: () => ']}',
  };
}

function headOf(
  request: ModelRequest,
  options: ResponsesBodyOptions,
  dialect: ResponsesDialect,
  tools: ToolTexts,
): string {
  const hasTools = request.tools.length > 0;
  const { tools: extraTools, ...extra } = options.body as JsonObject & { tools?: JsonObject };
  // What is undefined is not written.
  const fields = {
    model: options.model,
    stream: options.stream,
    store: false,
    include: dialect.hasEncryptedReasoning ? ['reasoning.encrypted_content'] : undefined,
    instructions: request.system === '' ? undefined : request.system,
    max_output_tokens: options.maxOutputTokens,
    temperature: options.temperature,
    tool_choice: hasTools && request.toolChoice !== 'auto' ? toolChoiceOf(request.toolChoice) : undefined,
    parallel_tool_calls: hasTools && dialect.hasParallelToolCalls ? request.parallelToolCalls : undefined,
    ...extra,
  };
  const toolsField = tools.field(hasTools ? request.tools : [], extraTools);
  return `${wellFormedJson(fields).slice(0, -1)}${toolsField},"input":[`;
}

function toolChoiceOf(choice: ToolChoice): SentToolChoice {
  return typeof choice === 'string' ? choice : { type: 'function', name: choice.toolName };
}

function itemsOf(message: Message, issuer: string, withReasoning: boolean): readonly (SentItem | Json)[] {
  switch (message.role) {
    case 'user':
      return [{ role: 'user', content: contentOf(message.content) }];
    case 'assistant':
      return assistantItems(message, issuer, withReasoning);
    case 'tool':
      return message.content.map(outputItem);
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
  withReasoning: boolean,
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
          call_id: part.toolCallId,
          name: part.toolName,
          arguments: wellFormedJson(part.input),
        });
        break;
      case 'reasoning':
        // Without its encrypted content an item means nothing to a server that keeps nothing.
        if (withReasoning && part.issuer === issuer && isRecord(part.data)) items.push(part.data);
        break;
    }
  }
  return items;
}

function outputItem({ toolCallId, content, isError }: ToolResultPart): SentItem {
  const output = contentOf(content);
  if (!isError) return { type: 'function_call_output', call_id: toolCallId, output };
  if (typeof output === 'string')
    return { type: 'function_call_output', call_id: toolCallId, output: errorText(output) };
  return { type: 'function_call_output', call_id: toolCallId, output: markFirst(output) };
}

/** Puts the mark of an error into the first text, or before everything where there is none. */
function markFirst(parts: readonly SentInputPart[]): SentInputPart[] {
  const at = parts.findIndex((part) => part.type === 'input_text');
  if (at < 0) return [{ type: 'input_text', text: 'Error:' }, ...parts];
  return parts.map((part, index) =>
    index === at && part.type === 'input_text' ? { ...part, text: errorText(part.text) } : part,
  );
}
