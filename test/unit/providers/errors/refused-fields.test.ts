import { describe, expect, test } from 'vitest';
import { PLAIN } from '../../../../src/providers/dialect/dialect.ts';
import type { Dialect } from '../../../../src/providers/dialect/dialect.ts';
import { DialectMemory } from '../../../../src/providers/dialect/memory.ts';
import { vendorErrorOf } from '../../../../src/providers/errors/vendor-error.ts';

const SENT = [
  'model',
  'temperature',
  'top_p',
  'max_tokens',
  'stream_options',
  'parallel_tool_calls',
  'tool_choice',
  'response_format',
  'reasoning_effort',
  'presence_penalty',
  'think',
];

/** What a provider learns from a refusal. */
function learnt(message: string, param?: string): Partial<Dialect> | undefined {
  const memory = new DialectMemory(PLAIN, 'x');
  const error = vendorErrorOf({ error: { message, param, type: 'invalid_request_error' } }, (text) => text);
  const request = { system: '', messages: [], tools: [], toolChoice: 'auto' } as const;
  return memory.learn(error, request, SENT) ? memory.dialect : undefined;
}

describe('a field that a server refuses is left out', () => {
  test.each<{ readonly vendor: string; readonly field: string; readonly message: string; readonly param?: string }>([
    {
      vendor: 'OpenAI',
      field: 'temperature',
      message:
        "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
      param: 'temperature',
    },
    {
      vendor: 'OpenAI',
      field: 'temperature',
      message: "Unsupported parameter: 'temperature' is not supported with this model.",
      param: 'temperature',
    },
    { vendor: 'Anthropic', field: 'temperature', message: '`temperature` is deprecated for this model.' },
    {
      vendor: 'Anthropic',
      field: 'temperature',
      message: '`temperature` and `top_p` cannot both be specified for this model. Please use only one.',
    },
    {
      vendor: 'Anthropic, thinking',
      field: 'temperature',
      message: '`temperature` may only be set to 1 when thinking is enabled.',
    },
    { vendor: 'Kimi', field: 'temperature', message: 'invalid temperature: only 1 is allowed for this model' },
    {
      vendor: 'Bedrock',
      field: 'temperature',
      message: 'The model returned the following errors: `temperature` is deprecated for this model.',
    },
    {
      vendor: 'OpenAI',
      field: 'top_p',
      message: "Unsupported parameter: 'top_p' is not supported with this model.",
      param: 'top_p',
    },
    {
      vendor: 'Mistral',
      field: 'parallel_tool_calls',
      message: 'body.parallel_tool_calls: Extra inputs are not permitted',
    },
    {
      vendor: 'Gemini',
      field: 'parallel_tool_calls',
      message: 'Invalid JSON payload received. Unknown name "parallel_tool_calls": Cannot find field.',
    },
    { vendor: 'Azure', field: 'stream_options', message: 'Unrecognized request argument supplied: stream_options' },
    {
      vendor: 'Qwen',
      field: 'tool_choice',
      message: 'The tool_choice parameter does not support being set to required or object in thinking mode',
    },
    { vendor: 'DeepSeek', field: 'tool_choice', message: 'deepseek-reasoner does not support this tool_choice' },
    {
      vendor: 'Anthropic',
      field: 'tool_choice',
      message: 'Thinking may not be enabled when tool_choice forces tool use: it is not supported.',
    },
    {
      vendor: 'LM Studio',
      field: 'response_format',
      message: "'response_format.type' must be 'json_schema' or 'text'",
    },
    { vendor: 'DeepSeek', field: 'response_format', message: 'This response_format type is unavailable now' },
    {
      vendor: 'OpenAI',
      field: 'reasoning_effort',
      message: 'Unrecognized request argument supplied: reasoning_effort',
    },
    {
      vendor: 'xAI',
      field: 'presence_penalty',
      message: 'Argument not supported on this model: presencePenalty',
    },
    {
      vendor: 'xAI, newer',
      field: 'reasoning_effort',
      message: 'Model grok-4-latest does not support parameter reasoningEffort.',
    },
    {
      vendor: 'LM Studio, a named tool',
      field: 'tool_choice',
      message: "Invalid tool_choice type: 'object'. Supported string values: none, auto, required",
    },
    {
      vendor: 'Fireworks',
      field: 'stream_options',
      message: "Extra inputs are not permitted, field: 'stream_options', value: {'include_usage': True}",
    },
    {
      vendor: 'Cerebras',
      field: 'parallel_tool_calls',
      message: 'parallel_tool_calls=False is not supported by this model.',
      param: 'parallel_tool_calls',
    },
    {
      vendor: 'Cohere',
      field: 'parallel_tool_calls',
      message:
        "unknown field: parameter 'parallel_tool_calls' is not a valid field. For proper usage, please refer to https://docs.cohere.com/reference/chat",
    },
    {
      vendor: 'LiteLLM',
      field: 'parallel_tool_calls',
      message:
        "litellm.UnsupportedParamsError: anthropic does not support parameters: {'parallel_tool_calls': False}, for model=claude-3-5-sonnet-20241022. To drop these, set `litellm.drop_params=True`",
    },
    {
      vendor: 'Azure, reasoning models',
      field: 'parallel_tool_calls',
      message: "Unsupported parameter: 'parallel_tool_calls' is not supported with this model.",
      param: 'parallel_tool_calls',
    },
    {
      vendor: 'OpenRouter',
      field: 'tool_choice',
      message:
        "No endpoints found that support the provided 'tool_choice' value. To learn more about provider routing, visit: https://openrouter.ai/docs/provider-routing",
    },
    {
      vendor: 'Groq',
      field: 'reasoning_effort',
      message: '`reasoning_effort` is not supported with this model',
      param: 'reasoning_effort',
    },
    { vendor: 'Ollama', field: 'think', message: '"think" is not supported by this model' },
    {
      vendor: 'Vertex, Claude',
      field: 'tool_choice',
      message: 'Thinking may not be enabled when tool_choice forces tool use.',
    },
  ])('$vendor: $field', ({ field, message, param }) => {
    expect(learnt(message, param)).toEqual({ ...PLAIN, leftOut: [field] });
  });

  test('Hugging Face knows the older name only: the limit is sent under it', () => {
    const memory = new DialectMemory({ ...PLAIN, maxTokensField: 'max_completion_tokens' }, 'x');
    const error = vendorErrorOf(
      { error: 'unknown field `max_completion_tokens`, expected one of ...' },
      (text) => text,
    );
    const request = { system: '', messages: [], tools: [], toolChoice: 'auto' } as const;
    expect(memory.learn(error, request, ['max_completion_tokens'])).toBe(true);
    expect(memory.dialect.maxTokensField).toBe('max_tokens');
  });

  test('or sent under its other name', () => {
    expect(learnt("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")).toEqual({
      ...PLAIN,
      maxTokensField: 'max_completion_tokens',
    });
  });
});

describe('nothing is left out', () => {
  test.each([
    {
      name: 'for a value out of range',
      message: "Invalid 'temperature': decimal above maximum value. Expected a value <= 2",
    },
    {
      name: 'for a value that is too high',
      message: 'max_tokens: 100000 > 8192, which is the maximum allowed number of output tokens',
    },
    { name: 'for a range', message: 'temperature must be in the range of 0 to 1, other values are not supported' },
    { name: 'that was not sent', message: 'Unsupported parameter: seed' },
    { name: 'that only looks like it', message: 'Unsupported parameter: max_tokens_to_sample' },
    { name: 'for an error about something else', message: 'messages.0: unexpected role' },
  ])('$name', ({ message }) => {
    expect(learnt(message)).toBe(undefined);
  });
});
