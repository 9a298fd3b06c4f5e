/** A name space of tags: `minimax:`, `seed:`; DeepSeek's token. */
export const NAME_SPACE: string = String.raw`(?:[A-Za-z][\w.-]{0,20}:|｜DSML｜)?`;
/** Names of the tags that stand around calls. */
export const AROUND: string = String.raw`(?:longcat_)?tool_calls?|tools|function_calls?|TOOLCALL|tool_code|response`;
/** A control token: Llama, DeepSeek, Kimi, Granite, gpt-oss, Command-R ... */
export const TOKEN: string = String.raw`<[|｜][^|｜<>\s]{1,60}[|｜]>`;

/**
 * How the markups begin in which models write calls as text (at the begin of a line), where a server does not know the
 * template of its model. What follows is read by `Scanner`, whose patterns are made of the parts above. A markup that is no
 * row is never run: see `unreadableCall`.
 */
export const MARKUPS: readonly string[] = [
  // Hermes, Qwen, Granite, Nemotron: JSON in tags.
  `<${NAME_SPACE}(?:${AROUND})>`,
  // Qwen3-Coder, Seed-OSS, Llama (a function by its name); Anthropic, MiniMax M2, DeepSeek V3.2.
  `<${NAME_SPACE}(?:function=|invoke name=)`,
  // Llama 3, DeepSeek, Kimi, Granite, gpt-oss, Command-R, LFM2, Phi-4: control tokens.
  TOKEN,
  // FunctionGemma, Gemma 4.
  String.raw`<(?:start_function_call|\|tool_call)>`,
  // Mistral; Phi, FireFunction.
  String.raw`\[TOOL_CALLS\]|functools\[`,
  // Command-R, in words; Gemma, Gemini: Python in a fence.
  'Action:[ \\t]*```json|```tool_c(?:ode|all)\\b',
  // Llama 4, LFM2, xLAM, ToolACE: Python calls.
  String.raw`\[[\w.]{1,80}\(|print\((?=[\w.]{1,80}\()`,
];

/** One example of each row, and of what begins with a tool's name; `get_weather` with the city Paris. */
export const MARKUP_EXAMPLES: readonly (readonly [family: string, example: string])[] = [
  ['Hermes, Qwen 2.5, Qwen 3', '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>'],
  ['Nemotron', '<TOOLCALL>[{"name": "get_weather", "arguments": {"city": "Paris"}}]</TOOLCALL>'],
  [
    'Qwen3-Coder',
    '<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n</function>\n</tool_call>',
  ],
  [
    'Seed-OSS',
    '<seed:tool_call>\n<function=get_weather>\n<parameter=city>Paris</parameter>\n</function>\n</seed:tool_call>',
  ],
  ['GLM 4.5', '<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Paris</arg_value>\n</tool_call>'],
  [
    'LongCat',
    '<longcat_tool_call>get_weather\n<longcat_arg_key>city</longcat_arg_key>\n<longcat_arg_value>Paris</longcat_arg_value>\n</longcat_tool_call>',
  ],
  ['Hunyuan', '<tool_calls>\n<tool_call>get_weather\n```json\n{"city": "Paris"}\n```\n</tool_call>\n</tool_calls>'],
  [
    'Anthropic',
    '<function_calls>\n<invoke name="get_weather">\n<parameter name="city">Paris</parameter>\n</invoke>\n</function_calls>',
  ],
  [
    'MiniMax M2',
    '<minimax:tool_call>\n<invoke name="get_weather">\n<parameter name="city">Paris</parameter>\n</invoke>\n</minimax:tool_call>',
  ],
  [
    'DeepSeek V3.2',
    '<｜DSML｜function_calls>\n<｜DSML｜invoke name="get_weather">\n<｜DSML｜parameter name="city" string="true">Paris</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
  ],
  [
    'DeepSeek V3',
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{"city": "Paris"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  ],
  [
    'DeepSeek V3.1',
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{"city": "Paris"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  ],
  [
    'Step 3',
    '<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="get_weather"><steptml:parameter name="city">Paris</steptml:parameter></steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>',
  ],
  [
    'Kimi K2',
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"city": "Paris"}<|tool_call_end|><|tool_calls_section_end|>',
  ],
  ['Granite 3', '<|tool_call|>[{"name": "get_weather", "arguments": {"city": "Paris"}}]'],
  ['Phi-4 mini', '<|tool_call|>[{"name": "get_weather", "arguments": {"city": "Paris"}}]<|/tool_call|>'],
  ['Phi, FireFunction', 'functools[{"name": "get_weather", "arguments": {"city": "Paris"}}]'],
  ['Llama 3', '{"name": "get_weather", "parameters": {"city": "Paris"}}'],
  ['Llama 3, tool tag', '<|python_tag|>{"name": "get_weather", "parameters": {"city": "Paris"}}<|eom_id|>'],
  ['Llama 3, custom', '<function=get_weather>{"city": "Paris"}</function>'],
  ['gpt-oss', '<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city": "Paris"}<|call|>'],
  [
    'Command-R7B, Command-A',
    '<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "get_weather", "parameters": {"city": "Paris"}}]<|END_ACTION|>',
  ],
  ['Command-R', 'Action: ```json\n[{"tool_name": "get_weather", "parameters": {"city": "Paris"}}]\n```'],
  ['InternLM', '<|action_start|><|plugin|>{"name": "get_weather", "parameters": {"city": "Paris"}}<|action_end|>'],
  ['Apertus', '<|tools_prefix|>[{"get_weather": {"city": "Paris"}}]<|tools_suffix|>'],
  ['Functionary', '<|recipient|>get_weather\n<|content|>{"city": "Paris"}'],
  ['Mistral', '[TOOL_CALLS][{"name": "get_weather", "arguments": {"city": "Paris"}}]'],
  ['Mistral, newer', '[TOOL_CALLS]get_weather[ARGS]{"city": "Paris"}'],
  ['Gemma 3', '```tool_code\nprint(default_api.get_weather(city="Paris"))\n```'],
  ['FunctionGemma', '<start_function_call>call:get_weather{city:<escape>Paris<escape>}<end_function_call>'],
  ['Gemma 4', '<|tool_call>call:get_weather{city:<|"|>Paris<|"|>}<tool_call|>'],
  ['Llama 4, ToolACE', '[get_weather(city="Paris")]'],
  ['LFM2', '<|tool_call_start|>[get_weather(city="Paris")]<|tool_call_end|>'],
  ['Olmo 3', '<function_calls>\nget_weather(city="Paris")\n</function_calls>'],
  ['GLM-4', 'get_weather\n{"city": "Paris"}'],
  ['xLAM', '{"thought": "The weather.", "tool_calls": [{"name": "get_weather", "arguments": {"city": "Paris"}}]}'],
];
