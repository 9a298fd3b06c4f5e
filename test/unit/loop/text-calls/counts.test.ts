import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { tool } from '../../../../src/core/define-tool.ts';
import type { ModelReply } from '../../../../src/core/provider.ts';
import type { Tool } from '../../../../src/core/tool.ts';
import { MARKUP_EXAMPLES } from '../../../../src/loop/text-calls/markups.ts';
import { readTextCalls } from '../../../../src/loop/text-calls/read-text-calls.ts';
import { withoutThoughts } from '../../../../src/loop/text-calls/thoughts.ts';
import { findTool } from '../../../../src/loop/input/find-tool.ts';

function agentTools(effect: 'read' | 'write'): ReadonlyMap<string, Tool> {
  const schema = z.object({ city: z.string() });
  const weather = tool({ name: 'get_weather', description: 'Weather.', schema, effect, execute: () => '' });
  const search = tool({ name: 'search', description: 'Finds.', schema, effect, execute: () => '' });
  return new Map([weather, search].map((entry) => [entry.name, entry]));
}

/** What becomes of a text in the first turn of a run: `run`, `told` or `answer`. */
function fate(text: string, effect: 'read' | 'write', hasCalled = false): 'run' | 'told' | 'answer' {
  const tools = agentTools(effect);
  const content = [{ type: 'text', text } as const];
  const reply: ModelReply = { content, finishReason: 'stop', rawFinishReason: 'stop', usage: {} };
  const read = readTextCalls(withoutThoughts(reply, 'demo'), {
    toolOf: (name) => findTool(name, tools).tool,
    textCalls: 'run',
    isAnswerJson: false,
    hasCalled,
    isExplained: () => effect === 'read' && !hasCalled,
  });
  const calls = read?.content.filter((part) => part.type === 'tool-call') ?? [];
  if (calls.length === 0) return 'answer';
  return calls.every((call) => call.refusal === undefined && call.isComplete && 'value' in call.arguments)
    ? 'run'
    : 'told';
}

const json = '{"name": "get_weather", "arguments": {"city": "Paris"}}';

/** Markups that are no row of the table, or broken: none of them may be run, or pass for an answer. */
const unreadable: readonly string[] = [
  'Action: get_weather\nAction Input: {"city": "Paris"}',
  'Thought: I need the weather.\nAction: get_weather\nAction Input: Paris',
  'I need the weather.\nAction: get_weather\nAction Input: {"city": "Paris"}\nObservation: 18 degrees\nThought: I know it.\nFinal Answer: It is 18 degrees.',
  'Thought: The weather.\nAction: get_weather[Paris]',
  'Action: search[the weather in Paris]',
  '**Thought:** Hm.\n**Action:** get_weather\n**Action Input:** {"city": "Paris"}',
  '<function_calls>\n<invoke>\n<tool_name>get_weather</tool_name>\n<parameters>\n<city>Paris</city>\n</parameters>\n</invoke>\n</function_calls>',
  '<tool_use>\n<tool_name>get_weather</tool_name>\n<city>Paris</city>\n</tool_use>',
  '<get_weather>\n<city>Paris</city>\n</get_weather>',
  '<get_weather>{"city": "Paris"}</get_weather>',
  '<get_weather city="Paris"/>',
  '<tool name="get_weather"><param name="city">Paris</param></tool>',
  '<function name="get_weather">\n<param name="city">Paris</param>\n</function>',
  '<tool_call name="get_weather">{"city": "Paris"}</tool_call>',
  '<tool_call>\n{"name": "get_weather", "arguments": {"city": }}\n</tool_call>',
  '<tool_call>get_weather(city=Paris)</tool_call>',
  '<tool_call>get_weather: Paris</tool_call>',
  '<tool_call>\nget_weather\ncity: Paris\n</tool_call>',
  '<|tool_call|>get_weather city=Paris<|/tool_call|>',
  '<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0 Paris<|tool_call_end|><|tool_calls_section_end|>',
  '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\nParis<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  '<|channel|>commentary to=functions.get_weather<|message|>Paris<|call|>',
  '<|python_tag|>get_weather.call(city=Paris)',
  '<|python_tag|>search.call(query="weather")<|eom_id|>',
  '[TOOL_CALLS] get_weather Paris',
  '[TOOL_CALLS][{"name": "get_weather", "arguments": {"city": ]',
  '[TOOL_CALL]\n{tool => "get_weather", args => {--city "Paris"}}\n[/TOOL_CALL]',
  '[tool_call: get_weather for city "Paris"]',
  '[get_weather(city=Paris)]',
  '```tool_code\nget_weather(city=place)\n```',
  '```tool_call\nget_weather Paris\n```',
  '>>>get_weather\n{"city": "Paris"',
  'functools[get_weather Paris]',
  'call:get_weather{city:Paris}',
  '<invoke name="get_weather">Paris</invoke>',
  '<minimax:tool_call>\nget_weather Paris\n</minimax:tool_call>',
  '<｜DSML｜function_calls>\nget_weather Paris\n</｜DSML｜function_calls>',
  'Tool: get_weather\nInput: {"city": "Paris"}',
  'Function: get_weather\nArguments: {"city": "Paris"}',
  'Tool call: get_weather(city="Paris")',
  '<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n<parameter=city>\nRome\n</parameter>\n</function>\n</tool_call>',
  '[get_weather(city="Paris", city="Rome")]',
  '[get_weather("Paris", "Rome")]',
  `<tool_call>{"name": "get_weather", "arguments": {}, "city": "Paris"}</tool_call>`,
  `Let me see.\n<tool_call>\n${json.slice(0, -1)},,}\n</tool_call>`,
];

/** A call among words: of a tool with effects it may be a quotation. */
const quoted: readonly string[] = [
  `The page says an attacker would write this (do not do it):\n<tool_call>${json}</tool_call>`,
  `The page says:\n[TOOL_CALLS][${json}]`,
  'The page says:\n<function=get_weather>{"city": "Paris"}</function>',
  'The page says:\n<|channel|>commentary to=functions.get_weather<|message|>{"city": "Paris"}<|call|>',
  'The page says:\n[get_weather(city="Paris")]',
  `\`\`\`xml\n<tool_call>${json}</tool_call>\n\`\`\``,
  `\`\`\`\n<tool_call>${json}</tool_call>\n\`\`\``,
  `I do it now.\n\`\`\`json\n${json}\n\`\`\``,
  `\`\`\`json\n${json}\n\`\`\`\nThis gets the weather.`,
  `<tool_call>${json}</tool_call>\nDone.`,
  `Sure, let me look.\n<tool_call>${json}</tool_call>\nI will tell you in a moment.`,
  `<think>Hm.</think>The page says:\n<tool_call>${json}</tool_call>`,
];

const languages = ['xml', '', 'text', 'json', 'python'];
/** Texts that explain markups to a person. */
const explanations: readonly string[] = [
  ...MARKUP_EXAMPLES.flatMap(([family, example], index) => [
    `${family} writes a call like this:\n\n\`\`\`${languages[index % languages.length]}\n${example.replaceAll('```', '~~~')}\n\`\`\`\n\nThe server reads it and runs the function for you.`,
    `In the template of ${family} a call looks like this:\n\n${example}\n\nWhat stands in it is read by the server, and the result comes back.`,
    ...(example.includes('\n') ? [] : [`${family} writes \`${example}\` where it wants the weather.`]),
  ]),
  `You could call it like this: ${json}`,
  `A call looks like <tool_call>${json}</tool_call>, with the name in it.`,
  'The `get_weather` tool takes a city. It is a function of this server.',
  'ReAct has a line `Action: get_weather` and then a line `Action Input: …`. The agent runs it.',
  'ReAct prompts look like this:\n\n```\nThought: I need the weather.\nAction: get_weather\nAction Input: Paris\n```\n\nThe agent then adds the observation.',
  'A ReAct agent writes:\n\nThought: I need the weather.\nAction: get_weather\nAction Input: Paris\n\nThen the program adds the observation to the text.',
  '<tool_call> is the tag that Hermes puts around a call.',
  '[TOOL_CALLS] is a marker of Mistral.',
  'Use `[get_weather(city="Paris")]` in your prompt.',
  'Llama 4 writes calls in Python, such as [get_weather(city="Paris")], in a list.',
  '```python\nfrom tools import get_weather\n\nprint(get_weather(city="Paris"))\n```\nThis prints the weather.',
  'Here is the code:\n\n```python\nresult = get_weather(city="Paris")\nprint(result)\n```',
  '```ts\nconst weather = await get_weather({ city: "Paris" });\n```',
  'Action items:\n- search the docs\n- call the office',
  'Action: none is needed. Your search is finished.',
  'The search tool found [three pages](https://example.test/search).',
  'Function calls are written as <function=name> in that template.',
  '# Tools\n\n- get_weather: the weather of a city\n- search: finds pages',
  '| tool | effect |\n| --- | --- |\n| get_weather | read |\n| search | read |',
  'I have called get_weather. It is mild.',
  '{"city": "Paris", "degrees": 18}',
  '{"tools": ["get_weather", "search"]}',
  '[1, 2, 3]',
  'search for (a) the city and (b) the date',
  'The tag `<search>` is no HTML. It was made up by the author of the page.',
  'Tool use is described in the manual.',
  'See <https://example.test/get_weather> for more.',
  '> <tool_call>\n\nThat is what the page says, and no more.',
];

describe('what becomes of a text', () => {
  test('every markup of the table is a call', () => {
    const fates = MARKUP_EXAMPLES.map(([family, text]) => [family, fate(text, 'write')]);
    expect(fates.filter(([, is]) => is !== 'run')).toEqual([]);
  });

  test('no call passes for an answer, none that is quoted or can not be read has an effect, and no explanation is a call', () => {
    const calls = [...MARKUP_EXAMPLES.map(([, text]) => text), ...unreadable, ...quoted];
    const asAnswer = calls.filter((text) => fate(text, 'write') === 'answer');
    const asRead = calls.filter((text) => fate(text, 'read') === 'answer');
    const effects = [...unreadable, ...quoted].filter((text) => fate(text, 'write') === 'run');
    const alarms = explanations.filter((text) => fate(text, 'write', true) !== 'answer');
    process.stdout.write(
      `calls that pass for an answer: ${asAnswer.length} of ${calls.length}; explanations taken for a call: ${alarms.length} of ${explanations.length}\n`,
    );
    expect([...asAnswer, ...asRead, ...effects, ...alarms]).toEqual([]);
    expect([calls.length >= 81, explanations.length >= 100]).toEqual([true, true]);
  });

  test('before any call it is the same: no explanation of a tool with effects is a call', () => {
    expect(explanations.filter((text) => fate(text, 'write') !== 'answer')).toEqual([]);
  });
});
