import type { Json, JsonObject } from '../../src/core/json.ts';
import { toolName } from './corpus.ts';
import type { CorpusCall } from './corpus.ts';

/** How a family of models writes calls, where its server passes them on as text. */
export interface Markup {
  readonly name: string;
  readonly write: (calls: readonly CorpusCall[]) => string;
  /** True where the markup holds one call at most. */
  readonly isSingle?: boolean;
}

const json = (value: Json): string => JSON.stringify(value);
const object = (call: CorpusCall, key = 'arguments'): JsonObject => ({ name: toolName(call.name), [key]: call.input });
const list = (calls: readonly CorpusCall[], key?: string): string => json(calls.map((call) => object(call, key)));
const raw = (value: Json): string => (typeof value === 'string' ? value : json(value));
const members = (call: CorpusCall): [string, Json][] => Object.entries(call.input);

/** A value as Python writes it. */
function python(value: Json): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(python).join(', ')}]`;
  if (typeof value !== 'object') return json(value);
  return `{${Object.entries(value as JsonObject)
    .map(([key, member]) => `${json(key)}: ${python(member)}`)
    .join(', ')}}`;
}
const pythonCall = (call: CorpusCall, space = ''): string =>
  `${space}${toolName(call.name)}(${members(call)
    .map(([key, value]) => `${key}=${python(value)}`)
    .join(', ')})`;
const invoke = (call: CorpusCall, dsml = ''): string => {
  const parameters = members(call).map(([key, value]) => {
    const type = dsml === '' ? '' : ` string="${typeof value === 'string'}"`;
    return `<${dsml}parameter name="${key}"${type}>${raw(value)}</${dsml}parameter>`;
  });
  return `<${dsml}invoke name="${toolName(call.name)}">\n${parameters.map((one) => `${one}\n`).join('')}</${dsml}invoke>`;
};
const qwen = (call: CorpusCall): string =>
  `<function=${toolName(call.name)}>\n${members(call)
    .map(([key, value]) => `<parameter=${key}>\n${raw(value)}\n</parameter>\n`)
    .join('')}</function>`;
const each =
  (write: (call: CorpusCall) => string, between = '\n') =>
  (calls: readonly CorpusCall[]): string =>
    calls.map(write).join(between);

/** The families, as their templates and model cards show them. */
export const MARKUPS: readonly Markup[] = [
  { name: 'bare JSON', write: each((call) => json(object(call))) },
  { name: 'JSON in a fence', write: each((call) => `\`\`\`json\n${json(object(call))}\n\`\`\``) },
  { name: 'a JSON list (xLAM)', write: list },
  { name: 'xLAM with a thought', write: (calls) => `{"thought": "I call it.", "tool_calls": ${list(calls)}}` },
  {
    name: "OpenAI's form",
    write: (calls) =>
      json({
        tool_calls: calls.map((call, index) => ({
          id: `call_${index}`,
          type: 'function',
          function: { name: toolName(call.name), arguments: json(call.input) },
        })),
      }),
  },
  { name: 'Hermes, Qwen', write: each((call) => `<tool_call>\n${json(object(call))}\n</tool_call>`) },
  { name: 'Mistral', write: (calls) => `[TOOL_CALLS]${list(calls)}` },
  {
    name: 'Mistral from version 11 on',
    write: each((call) => `[TOOL_CALLS]${toolName(call.name)}[ARGS]${json(call.input)}`, ''),
  },
  { name: 'Llama 3, with semicolons', write: each((call) => json(object(call, 'parameters')), '; ') },
  {
    name: 'Llama 3, python_tag',
    write: (calls) => `<|python_tag|>${each((call) => json(object(call, 'parameters')), '; ')(calls)}`,
  },
  {
    name: 'Llama 3, function tags',
    write: each((call) => `<function=${toolName(call.name)}>${json(call.input)}</function>`),
  },
  { name: 'Llama 4, Python', write: (calls) => `[${each((call) => pythonCall(call), ', ')(calls)}]` },
  {
    name: 'LFM2',
    write: (calls) => `<|tool_call_start|>[${each((call) => pythonCall(call), ', ')(calls)}]<|tool_call_end|>`,
  },
  {
    name: 'Olmo 3',
    write: (calls) => `<function_calls>\n${each((call) => pythonCall(call))(calls)}\n</function_calls>`,
  },
  {
    name: 'Gemma, print',
    write: (calls) => `\`\`\`tool_code\n${each((call) => `print(default_api.${pythonCall(call)})`)(calls)}\n\`\`\``,
  },
  { name: 'Gemma, plain', write: (calls) => `\`\`\`tool_code\n${each((call) => pythonCall(call))(calls)}\n\`\`\`` },
  { name: 'Qwen3-Coder', write: each((call) => `<tool_call>\n${qwen(call)}\n</tool_call>`) },
  { name: 'Seed-OSS', write: each((call) => `<seed:tool_call>\n${qwen(call)}\n</seed:tool_call>`) },
  {
    name: 'GLM-4.5',
    write: each(
      (call) =>
        `<tool_call>${toolName(call.name)}\n${members(call)
          .map(([key, value]) => `<arg_key>${key}</arg_key>\n<arg_value>${raw(value)}</arg_value>\n`)
          .join('')}</tool_call>`,
    ),
  },
  { name: 'GLM-4', write: each((call) => `${toolName(call.name)}\n${json(call.input)}`), isSingle: true },
  {
    name: 'DeepSeek V3',
    write: (calls) =>
      `<｜tool▁calls▁begin｜>${each((call) => `<｜tool▁call▁begin｜>function<｜tool▁sep｜>${toolName(call.name)}\n\`\`\`json\n${json(call.input)}\n\`\`\`<｜tool▁call▁end｜>`)(calls)}<｜tool▁calls▁end｜>`,
  },
  {
    name: 'DeepSeek V3.1',
    write: (calls) =>
      `<｜tool▁calls▁begin｜>${each((call) => `<｜tool▁call▁begin｜>${toolName(call.name)}<｜tool▁sep｜>${json(call.input)}<｜tool▁call▁end｜>`, '')(calls)}<｜tool▁calls▁end｜>`,
  },
  {
    name: 'DeepSeek V3.2',
    write: (calls) =>
      `<｜DSML｜function_calls>\n${each((call) => invoke(call, '｜DSML｜'))(calls)}\n</｜DSML｜function_calls>`,
  },
  {
    name: 'Anthropic, old',
    write: (calls) => `<function_calls>\n${each((call) => invoke(call))(calls)}\n</function_calls>`,
  },
  {
    name: 'MiniMax M2',
    write: (calls) => `<minimax:tool_call>\n${each((call) => invoke(call))(calls)}\n</minimax:tool_call>`,
  },
  {
    name: 'Kimi K2',
    write: (calls) =>
      `<|tool_calls_section_begin|>${calls.map((call, index) => `<|tool_call_begin|>functions.${toolName(call.name)}:${index}<|tool_call_argument_begin|>${json(call.input)}<|tool_call_end|>`).join('')}<|tool_calls_section_end|>`,
  },
  {
    name: 'gpt-oss (harmony)',
    write: each(
      (call) =>
        `<|channel|>commentary to=functions.${toolName(call.name)} <|constrain|>json<|message|>${json(call.input)}<|call|>`,
      '<|start|>assistant',
    ),
  },
  {
    name: 'gpt-oss with its analysis',
    write: (calls) =>
      `<|channel|>analysis<|message|>We need to call a function.<|end|><|start|>assistant${each((call) => `<|channel|>commentary to=functions.${toolName(call.name)} <|constrain|>json<|message|>${json(call.input)}<|call|>`, '<|start|>assistant')(calls)}`,
  },
  {
    name: 'Command-R',
    write: (calls) =>
      `Action: \`\`\`json\n${json(calls.map((call) => ({ tool_name: toolName(call.name), parameters: call.input })))}\n\`\`\``,
  },
  {
    name: 'Command-R7B, Command-A',
    write: (calls) =>
      `<|START_ACTION|>${json(calls.map((call, index) => ({ tool_call_id: String(index), tool_name: toolName(call.name), parameters: call.input })))}<|END_ACTION|>`,
  },
  { name: 'Nemotron', write: (calls) => `<TOOLCALL>${list(calls)}</TOOLCALL>` },
  { name: 'Granite', write: (calls) => `<|tool_call|>${list(calls)}` },
  { name: 'Phi-4', write: (calls) => `<|tool_call|>${list(calls)}<|/tool_call|>` },
  { name: 'functools (Phi, Firefunction)', write: (calls) => `functools${list(calls)}` },
  {
    name: 'InternLM',
    write: each((call) => `<|action_start|><|plugin|>\n${json(object(call, 'parameters'))}<|action_end|>`),
    isSingle: true,
  },
  { name: 'Jamba, Hunyuan', write: (calls) => `<tool_calls>${list(calls)}</tool_calls>` },
  {
    name: 'Apertus',
    write: (calls) =>
      `<|tools_prefix|>${json(calls.map((call) => ({ [toolName(call.name)]: call.input })))}<|tools_suffix|>`,
  },
  {
    name: 'ReAct',
    write: each((call) => `Action: ${toolName(call.name)}\nAction Input: ${json(call.input)}`),
    isSingle: true,
  },
];

/** Sentences about a tool that are answers. `{tool}` stands for its name, `{call}` for a call in JSON. */
export const ANSWERS: readonly string[] = [
  'You can use `{tool}` for that. It takes its arguments as JSON.',
  'The function {tool} is documented in the manual; I did not need it.',
  'A call would look like this: `{call}`. Shall I go on?',
  'I would write `<tool_call>{call}</tool_call>` in such a case, but here the answer is 42.',
  'Log line 17 says "[TOOL_CALLS] {tool}" and then nothing more.',
  'The page shows <function={tool}> in its source, which is an example for developers.',
];
