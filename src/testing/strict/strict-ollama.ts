import { isRecord } from '../../core/json.ts';
import { type Body, typeName, type Violations, shown } from './strict-json.ts';
import { toolSchemaViolations } from './strict-schema.ts';

const ROLES: readonly unknown[] = ['system', 'user', 'assistant', 'tool'];

/** Yields what Ollama answers with a 400: it is written in Go, and refuses what does not fit its types. */
export function* ollamaViolations(body: Body): Violations {
  if (typeof body['model'] !== 'string' || body['model'] === '') yield 'model is required';
  const stream = body['stream'];
  if (stream !== undefined && typeof stream !== 'boolean') yield wrongType(stream, 'stream', 'bool');
  const messages = body['messages'] ?? [];
  if (!Array.isArray(messages)) return yield wrongType(messages, 'messages', '[]api.Message');
  for (const message of messages) {
    if (!isRecord(message)) return yield wrongType(message, 'messages', 'api.Message');
    yield* messageViolations(message);
  }
  const tools = body['tools'] ?? [];
  if (!Array.isArray(tools)) return yield wrongType(tools, 'tools', 'api.Tools');
  for (const tool of tools) {
    const declared = isRecord(tool) ? tool['function'] : undefined;
    if (!isRecord(declared) || typeof declared['name'] !== 'string' || declared['name'] === '') {
      yield `invalid tool: a function with a name is required`;
    } else if (!isRecord(declared['parameters']) || declared['parameters']['type'] !== 'object') {
      yield `invalid tool '${declared['name']}': parameters of type object are required`;
    } else {
      for (const problem of toolSchemaViolations({ properties: {}, ...declared['parameters'] }))
        yield `invalid tool '${declared['name']}': ${problem}`;
    }
  }
}

function* messageViolations(message: Body): Violations {
  const role = message['role'];
  if (!ROLES.includes(role)) yield `invalid role: ${shown(role)}, must be one of ["system","user","assistant","tool"]`;
  for (const key of ['content', 'thinking', 'tool_name', 'tool_call_id']) {
    const value = message[key];
    if (value !== undefined && value !== null && typeof value !== 'string')
      yield wrongType(value, `messages.${key}`, 'string');
  }
  const images = message['images'] ?? [];
  if (!Array.isArray(images)) yield wrongType(images, 'messages.images', '[]api.ImageData');
  else if (images.some((image) => typeof image !== 'string' || image.startsWith('data:'))) {
    yield 'illegal base64 data at input byte 4';
  }
  const calls = message['tool_calls'] ?? [];
  if (!Array.isArray(calls)) return yield wrongType(calls, 'messages.tool_calls', '[]api.ToolCall');
  for (const call of calls) {
    const declared = isRecord(call) ? call['function'] : undefined;
    if (!isRecord(declared)) return yield wrongType(declared, 'messages.tool_calls.function', 'api.ToolCallFunction');
    if (typeof declared['name'] !== 'string')
      yield wrongType(declared['name'], 'messages.tool_calls.function.name', 'string');
    // Recorded with 0.17.4: arguments as text are not unpacked, they are an error.
    if (!isRecord(declared['arguments'])) yield `Value looks like object, but can't find closing '}' symbol`;
  }
}

function wrongType(value: unknown, field: string, type: string): string {
  return `json: cannot unmarshal ${typeName(value)} into Go struct field ChatRequest.${field} of type ${type}`;
}
