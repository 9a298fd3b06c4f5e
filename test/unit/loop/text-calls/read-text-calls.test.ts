import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { ModelReply } from '../../../../src/core/provider.ts';
import type { TextCallRules } from '../../../../src/loop/text-calls/read-text-calls.ts';
import type { Tool } from '../../../../src/core/tool.ts';
import { withoutThoughts } from '../../../../src/loop/text-calls/thoughts.ts';
import { tool } from '../../../../src/core/define-tool.ts';
import { findTool } from '../../../../src/loop/input/find-tool.ts';
import { readTextCalls } from '../../../../src/loop/text-calls/read-text-calls.ts';

const weather = tool({
  name: 'get_weather',
  description: 'Weather of a city.',
  schema: z.object({ city: z.string(), days: z.number().optional(), note: z.any().optional() }),
  effect: 'write',
  execute: () => '',
});
const time = tool({ name: 'get_time', description: 'Time.', schema: z.object({}), effect: 'write', execute: () => '' });
const tools = new Map([weather, time].map((entry) => [entry.name, entry]));
const toolOf = (name: string): Tool | undefined => findTool(name, tools).tool;
const rules: TextCallRules = {
  toolOf,
  textCalls: 'run',
  isAnswerJson: false,
  hasCalled: true,
  isExplained: () => false,
};
/** As in a first turn, with tools that only read. */
const reading = new Map([...tools.values()].map((entry) => [entry.name, tool({ ...entry.options, effect: 'read' })]));
const readRules: TextCallRules = {
  ...rules,
  toolOf: (name) => findTool(name, reading).tool,
  hasCalled: false,
  isExplained: () => true,
};

function reply(text: string, finishReason: ModelReply['finishReason'] = 'stop'): ModelReply {
  const content = [{ type: 'text', text } as const];
  return withoutThoughts({ content, finishReason, rawFinishReason: finishReason, usage: {} }, 'demo');
}

/** The calls that are read, shortened: name, arguments, and `cut` where the call is not whole. */
function read(text: string, finishReason?: ModelReply['finishReason'], given: TextCallRules = rules): unknown {
  const calls = readTextCalls(reply(text, finishReason), given);
  return calls?.content.map((part) =>
    part.type === 'tool-call'
      ? [part.name, part.refusal !== undefined ? 'told' : part.isComplete ? part.arguments : 'cut']
      : part.type,
  );
}

const paris = '{"name": "get_weather", "arguments": {"city": "Paris"}}';
const oslo = '{"name": "get_weather", "arguments": {"city": "Oslo"}}';
const parisCall = ['get_weather', { value: { city: 'Paris' } }];
const osloCall = ['get_weather', { value: { city: 'Oslo' } }];

describe('a text that is nothing but calls', () => {
  test.each([
    { name: 'bare JSON', text: paris },
    { name: 'a fence', text: `\`\`\`json\n${paris}\n\`\`\`` },
    { name: 'a fence without a language', text: `\`\`\`\n${paris}\n\`\`\`` },
    { name: 'tags', text: `<tool_call>\n${paris}\n</tool_call>` },
    { name: 'tags that are never closed', text: `<tool_call>\n${paris}` },
    { name: 'other tags', text: `<function_call>${paris}</function_call>` },
    { name: 'the marker of Mistral', text: `[TOOL_CALLS][${paris}]` },
    { name: 'a list', text: `[${paris}]` },
    { name: 'bare JSON behind what a server left of a tag', text: `>${paris}` },
    { name: "Phi's list", text: `functools[${paris}]` },
    { name: 'bare JSON behind another such rest', text: `=${paris}` },
    {
      name: 'an OpenAI-like object',
      text: '{"type": "function", "function": {"name": "get_weather", "arguments": {"city": "Paris"}}}',
    },
    { name: 'parameters for arguments', text: '{"name": "get_weather", "parameters": {"city": "Paris"}}' },
    { name: 'white space to the limit', text: `${paris}${'\n'.repeat(50)}` },
    { name: 'the same call again and again', text: `${paris}\n`.repeat(30) },
    { name: 'the same call until the limit cuts one', text: `${`${paris}\n`.repeat(30)}{"name": "get_wea` },
  ])('$name is a call', ({ name, text }) => {
    expect(read(text)).toEqual([parisCall]);
    // Whatever follows it, the limit may have fallen into the last call. White space says that it did not.
    const isPadded = /repeat|again|until|white/.test(name);
    expect(read(text, 'length')).toEqual([isPadded ? parisCall : ['get_weather', 'cut']]);
    expect(read(`${text}${' '.repeat(16)}`, 'length')).toEqual([parisCall]);
  });

  test.each([
    { name: 'two objects', text: `${paris}\n${oslo}` },
    { name: 'two in one pair of tags', text: `<tool_call>\n${paris}\n${oslo}\n</tool_call>` },
    { name: 'two pairs of tags', text: `<tool_call>${paris}</tool_call>\n<tool_call>${oslo}</tool_call>` },
    { name: 'a list of two', text: `[${paris}, ${oslo}]` },
  ])('$name are two calls, in order', ({ text }) => {
    expect(read(text)).toEqual([parisCall, osloCall]);
  });

  test('the call alone is a call although no tool has its name: the model has to hear so', () => {
    expect(read('{"name": "get_currency", "arguments": {"amount": 50}}')).toEqual([
      ['get_currency', { value: { amount: 50 } }],
    ]);
  });

  test('what a model makes up as the answer of the tool is void', () => {
    expect(read(`${paris}\n{"response": "18 degrees"}`)).toEqual([parisCall]);
    expect(read(`${paris}\n<tool_response>\n18 degrees\n</tool_response>\nIt is mild.`)).toEqual([parisCall]);
  });

  test('what begins as a call and is no JSON is a call that can not be read', () => {
    const text = '```json\n{"name": "get_weather", "arguments": {"London", "{}"}}\n```';
    expect(readTextCalls(reply(text), rules)?.content).toMatchObject([
      {
        name: 'get_weather',
        isComplete: true,
        arguments: { text: text.slice(8, -4) },
      },
    ]);
  });

  test.each([
    { name: 'behind it', text: `\`\`\`json\n${paris}\n\`\`\`\nThis calls the tool for Paris.` },
    { name: 'before it', text: `The tool takes a city. It is 40 degrees.\n\n${paris}` },
    { name: 'before it and a fence that was never opened', text: `Here is the JSON object:\n\n${paris}\n\`\`\`` },
    {
      name: 'on both sides, with an example of something else',
      text: `It gives\n{"degrees": 40}\nfor\n\`\`\`json\n${paris}\n\`\`\`\nand so on.`,
    },
  ])('a call with an explanation $name is one where its tool only reads: it may be an example', ({ text }) => {
    const readIt = (isRead: boolean): unknown =>
      readTextCalls(reply(text), isRead ? readRules : rules)?.content.map((part) =>
        part.type === 'tool-call' ? part.arguments : part.type,
      );
    expect([readIt(true), readIt(false)]).toEqual([[{ value: { city: 'Paris' } }], undefined]);
  });

  test.each([
    { name: 'in the middle of a line', text: `It takes ${paris}, for example.` },
    { name: 'that names no tool', text: 'For example:\n{"name": "get_tide", "arguments": {}}' },
    { name: 'behind many others', text: `${'{"degrees": 40}\n'.repeat(8)}${paris}\nThat is all.` },
  ])('an object $name is part of an answer', ({ text }) => {
    expect(readTextCalls(reply(text), readRules)).toBeUndefined();
  });

  test('arguments written as text stay text, to be read like all others', () => {
    expect(read('{"name": "get_weather", "arguments": "{\\"city\\": \\"Paris\\"}"}')).toEqual([
      ['get_weather', { text: '{"city": "Paris"}' }],
    ]);
  });

  test('a call that the limit cut is a cut call, and what was said whole before it counts', () => {
    expect(read('```json\n{\n  "name": "get_weather",\n', 'length')).toEqual([['get_weather', 'cut']]);
    expect(read(`${oslo}\n{"name": "get_weather", "arguments": {"ci`, 'length')).toEqual([
      osloCall,
      ['get_weather', 'cut'],
    ]);
  });
});

describe('a call that may not be whole, or not be meant', () => {
  test.each([
    { name: 'the name of a function', text: '<tool_call>\n<function=get_weather>\n' },
    {
      name: 'one parameter, its function still open',
      text: '<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n',
    },
    {
      name: 'one parameter, its invoke still open',
      text: '<invoke name="get_weather">\n<parameter name="city">Paris</parameter>\n',
    },
    { name: 'a pair of GLM', text: '<tool_call>get_weather\n<arg_key>city</arg_key><arg_value>Paris</arg_value>' },
    { name: 'an argument of a Python call', text: '[get_weather(city="Paris"' },
    { name: 'half an argument of a Python call', text: '[get_weather(city="Par' },
  ])('is cut after $name', ({ text }) => {
    expect(read(text, 'stop')).toEqual([['get_weather', 'cut']]);
  });

  test('is cut in the middle, also where its tool does not exist', () => {
    expect(read('{"name": "get_tide", "arguments": {"port": ')).toEqual([['get_tide', 'cut']]);
    expect(read('{"name": "Ana", "age": ')).toBeUndefined();
  });

  test.each([
    { name: 'is only thought of', text: `<think>I could call\n<tool_call>${paris}</tool_call>`, isRead: true },
    {
      name: 'is quoted in a fence',
      text: `I would call:\n\n\`\`\`xml\n<tool_call>${paris}</tool_call>\n\`\`\``,
      isRead: false,
    },
    { name: 'is quoted as Python', text: 'In Python:\n```python\n[get_weather(city="Paris")]\n```', isRead: false },
    { name: 'has a key that calls do not have', text: `{"risk": "low", ${paris.slice(1)}`, isRead: false },
  ])('$name', ({ text, isRead }) => {
    expect(read(text)).toBeUndefined();
    const asRead = readTextCalls(reply(text), readRules);
    // Where running it can do no harm, what is quoted counts.
    expect(asRead?.content.at(-1)?.type).toBe(isRead ? undefined : 'tool-call');
  });

  test('a fence around the markup quotes it: what only reads is run', () => {
    const fenced = `\`\`\`xml\n<tool_call>${paris}</tool_call>\n\`\`\``;
    expect(read(fenced)).toEqual([['get_weather', 'told']]);
    expect(read(fenced, 'stop', readRules)).toEqual([parisCall]);
  });
});

describe('a call in the markup of a template that the server does not know', () => {
  test.each([
    {
      name: 'a Qwen function',
      text: '<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n</function>\n</tool_call>',
    },
    { name: 'a Llama function', text: '<function=get_weather>{"city": "Paris"}</function>' },
    {
      name: 'a GLM call',
      text: '<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Paris</arg_value>\n</tool_call>',
    },
    {
      name: 'an Anthropic block',
      text: '<function_calls>\n<invoke name="get_weather">\n<parameter name="city">Paris</parameter>\n</invoke>\n</function_calls>',
    },
    {
      name: 'the python tag of Llama',
      text: '<|python_tag|>{"name": "get_weather", "parameters": {"city": "Paris"}}<|eom_id|>',
    },
    { name: 'a Granite list', text: `<|tool_call|>[${paris}]` },
    { name: 'a Mistral name', text: '[TOOL_CALLS]get_weather{"city": "Paris"}' },
    { name: 'a Mistral name with an id', text: '[TOOL_CALLS]get_weather[CALL_ID]a1B2c3D4e[ARGS]{"city": "Paris"}' },
    {
      name: 'a DeepSeek call',
      text: '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{"city": "Paris"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    },
    {
      name: 'a Kimi call',
      text: '<|tool_calls_section_begin|><|tool_call_begin|>get_weather<|tool_call_argument_begin|>{"city": "Paris"}<|tool_call_end|><|tool_calls_section_end|>',
    },
    {
      name: 'a gpt-oss call',
      text: '<|channel|>commentary to=get_weather <|constrain|>json<|message|>{"city":"Paris"}<|call|>',
    },
    { name: 'a Python call', text: '[get_weather(city="Paris")]' },
    {
      name: 'a Python call between control tokens',
      text: "<|tool_call_start|>[get_weather(city='Paris')]<|tool_call_end|>",
    },
    { name: 'a Gemma block', text: '```tool_code\nget_weather(city="Paris")\n```' },
    { name: 'a whole OpenAI message', text: `{"tool_calls": [{"type": "function", "function": ${paris}}]}` },
    {
      name: 'tags behind thoughts',
      text: `<think>\nThe weather, then.\n</think>\n\n<tool_call>\n${paris}\n</tool_call>`,
    },
    { name: 'bare JSON with the token that ends a turn', text: `${paris}<|im_end|>` },
    {
      name: 'JSON with a slip in tags',
      text: '<tool_call>\n{\'name\': \'get_weather\', "arguments": {"city": "Paris",}}\n</tool_call></s>',
    },
  ])('$name is a call', ({ text }) => {
    const calls = readTextCalls(reply(text), rules)?.content.filter((part) => part.type === 'tool-call');
    expect(calls?.map((call) => [call.name, call.arguments])).toEqual([parisCall]);
  });

  const made = 'functions.get_weather';
  const toParis = '{"city": "Paris"}';
  test.each([
    `<|channel|>commentary to=${made} <|constrain|>json<|message|>${toParis}<|call|>`,
    `<|start|>assistant<|channel|>commentary to=${made} <|constrain|>json<|message|>${toParis}<|call|>`,
    `<|start|>assistant to=${made}<|channel|>commentary json<|message|>${toParis}<|call|>`,
    `<|start|>assistant<|channel|>commentary to=${made} code<|message|>${toParis}`,
    `<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>commentary to=${made}<|message|>${toParis}<|call|>`,
    `<|channel|>analysis<|message|>Hm.<|start|>assistant<|channel|>commentary to=${made}<|message|>${toParis}<|call|>`,
    `<|channel|>analysis<|message|>Hm.<|channel|>commentary to=${made} <|constrain|>json<|message|>${toParis}`,
    `<|channel|>analysis to=${made} <|constrain|>json<|message|>${toParis}<|call|>`,
    `<|channel|>commentary<|message|>I look.<|end|><|start|>assistant<|channel|>commentary to=${made}<|message|>${toParis}<|call|>`,
    `<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>commentary<|message|>I look.<|end|><|start|>assistant<|channel|>commentary to=${made}<|message|>${toParis}<|call|>`,
    `<|channel|>commentary to=${made}<|message|>${toParis}<|call|><|start|>${made} to=assistant<|channel|>commentary<|message|>{"degrees": 18}<|end|><|start|>assistant<|channel|>final<|message|>It is 18.`,
    `<|channel|>commentary to=${made}<|message|>${toParis}<|call|><|start|>assistant<|channel|>final<|message|>It is 18.`,
    `analysisWe look.assistantcommentary to=${made} json${toParis}`,
    `commentary to=${made} json${toParis}`,
  ])("gpt-oss's %j is a call", (text) => {
    const calls = readTextCalls(reply(text), rules)?.content.filter((part) => part.type === 'tool-call');
    expect(calls).toMatchObject([{ arguments: { value: { city: 'Paris' } }, isComplete: true }]);
    expect(calls?.[0]?.refusal).toBeUndefined();
  });

  test('several calls come in order, with and without arguments', () => {
    expect(
      read(
        '<tool_call>\n<function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n</function>\n</tool_call>\n<tool_call>\n<function=get_time>\n</function>\n</tool_call>',
      ),
    ).toEqual([osloCall, ['get_time', { value: {} }]]);
    expect(read('[get_weather(city="Paris"), get_time(), get_time()]')).toEqual([
      parisCall,
      ['get_time', { value: {} }],
    ]);
  });

  test('a tool that does not exist, and arguments that can not be read, are told to the model instead of being the answer', () => {
    expect(read('<tool_call>\n{"name": "look_up", "arguments": {"city": "Paris"}}\n</tool_call>')).toEqual([
      ['look_up', { value: { city: 'Paris' } }],
    ]);
    expect(read('<tool_call>\n{"name": "get_weather", "arguments": {"city": }}\n</tool_call>')).toEqual([
      ['get_weather', { text: '{"city": }}' }],
    ]);
  });

  test('a call that the limit cut is a cut call', () => {
    expect(read('<function=get_weather>\n<parameter=city>\nPar', 'length')).toEqual([['get_weather', 'cut']]);
    expect(read('[TOOL_CALLS]get_weather{"city": "Par', 'length')).toEqual([['get_weather', 'cut']]);
  });

  test('words before the mark stay, where it begins a line of its own and the rest is calls of tools', () => {
    const looked = `I will look it up.\n\n<tool_call>\n${paris}\n</tool_call>`;
    expect(read(looked, 'stop', readRules)).toEqual(['text', parisCall]);
    expect(read(looked)).toEqual(['text', ['get_weather', 'told']]);
    expect(read(`A call looks like <tool_call>${paris}</tool_call>`)).toBeUndefined();
    expect(read(`A call looks like this:\n<tool_call>${paris}</tool_call>\nDo you see?`)).toBeUndefined();
    expect(read('So they wrote:\n<tool_call>{"name": "look_up", "arguments": {}}</tool_call>')).toBeUndefined();
  });

  test.each([
    '<|im_start|>Hello.',
    '<tool_call>hello</tool_call>',
    '[TOOL_CALLS] is a marker of Mistral.',
    '[get_weather](https://example.test)',
    '[sum(a=1)]',
    '<tool_call></tool_call>',
    '<|note|>get_weather is a tool',
  ])('%j is an answer', (text) => {
    expect(read(text)).toBeUndefined();
  });
});

describe('a text that is an answer', () => {
  test.each([
    'It is mild in Paris.',
    `You could call it like this: ${paris}`,
    `${paris}\nThat is how a call looks.`,
    '{"city": "Paris", "degrees": 18}',
    '{"name": "Ann", "age": 4}',
    '{"name": "unknown_tool", "input": {}}',
    '{"name": "unknown_tool", "arguments": {}, "why": "an example"}',
    '{"name": "Ann Smith", "arguments": {}}',
    '```python\nprint("get_weather")\n```',
    '[1, 2, 3]',
    '<b>bold</b>',
    '{"name": "get_weather", "note": "is a tool"}',
    '',
  ])('%j stays one', (text) => {
    expect(read(text)).toBeUndefined();
  });

  test('no text whatever makes it throw, and none without the name of a tool is a call', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.string({
            unit: fc.constantFrom(
              '<tool_call>',
              '<function=',
              '[TOOL_CALLS]',
              '<|',
              '|>',
              '</',
              '{',
              '}',
              '[',
              ']',
              '"',
              '`',
              '<',
              '>',
              '/',
              'a',
              ':',
              ',',
              '\\',
              '\n',
            ),
          }),
        ),
        (text) => {
          const calls = read(text);
          // In explicit markup any word may be the name of a tool that does not exist; the letter `a` is the only one here.
          if (!text.includes('get_') && !/<function=a|TOOL_CALLS\]a|[|>]a/.test(text)) expect(calls).toBeUndefined();
        },
      ),
      { numRuns: 500 },
    );
  });
});

test('a reply that has a call already is left alone', () => {
  const withCall: ModelReply = {
    ...reply(paris),
    content: [
      { type: 'text', text: paris },
      { type: 'tool-call', id: 'a', name: 'get_time', arguments: { text: '{}' }, isComplete: true },
    ],
  };
  expect(readTextCalls(withCall, rules)).toBeUndefined();
});

describe('values between tags', () => {
  const schema = z.object({
    text: z.string(),
    count: z.number(),
    list: z.array(z.number()),
    either: z.union([z.string(), z.number()]),
    any: z.any(),
    flag: z.boolean().nullable(),
  });
  const write = tool({ name: 'write', description: 'Writes.', schema, effect: 'write', execute: () => '' });
  const valueOf = (key: string, written: string): unknown => {
    const text = `<invoke name="write">\n<parameter name="${key}">${written}</parameter>\n</invoke>`;
    const read = readTextCalls(reply(text), { ...rules, toolOf: (name) => (name === 'write' ? write : undefined) });
    const call = read?.content.find((part) => part.type === 'tool-call');
    return call !== undefined && 'value' in call.arguments
      ? (call.arguments.value as Record<string, unknown>)[key]
      : read;
  };

  test.each([
    { key: 'text', written: '5', value: '5' },
    { key: 'text', written: '\n5\n', value: '\n5\n' },
    { key: 'text', written: '{"a": 1}', value: '{"a": 1}' },
    { key: 'text', written: 'a </parameter> b', value: 'a </parameter> b' },
    { key: 'text', written: 'say "hi"', value: 'say "hi"' },
    { key: 'count', written: ' 5 ', value: 5 },
    { key: 'count', written: 'five', value: 'five' },
    { key: 'list', written: '[1, 2,]', value: [1, 2] },
    { key: 'either', written: '5', value: '5' },
    { key: 'any', written: '{"a": [1]}', value: { a: [1] } },
    { key: 'any', written: '5', value: 5 },
    { key: 'any', written: '{a: 1}', value: '{a: 1}' },
    { key: 'any', written: 'null', value: 'null' },
    { key: 'flag', written: 'null', value: null },
    { key: 'flag', written: 'True', value: true },
    { key: 'undeclared', written: '[5]', value: [5] },
  ])('$written is $value for $key', ({ key, written, value }) => {
    expect(valueOf(key, written)).toEqual(value);
  });
});

describe('a Python call', () => {
  test.each([
    { name: 'positional arguments', text: '[get_weather("Paris", 3)]', value: { city: 'Paris', days: 3 } },
    { name: 'triple quotes', text: "[get_weather(city='''Par\"is\n''')]", value: { city: 'Par"is\n' } },
    {
      name: 'raw strings',
      text: String.raw`[get_weather(city=r"C:\new", days=1)]`,
      value: { city: String.raw`C:\new`, days: 1 },
    },
    { name: 'escapes', text: String.raw`[get_weather(city='\x41\u00e9\'\n')]`, value: { city: "Aé'\n" } },
    { name: 'strings side by side', text: '[get_weather(city="Pa" \'ris\')]', value: { city: 'Paris' } },
    {
      name: 'a dictionary',
      text: '[get_weather(city="a", note={"a": (1, None), 2: True})]',
      value: { city: 'a', note: { a: [1, null], 2: true } },
    },
    { name: 'spread arguments', text: '[get_weather(**{"city": "Paris"})]', value: { city: 'Paris' } },
    {
      name: 'numbers',
      text: '[get_weather(city="a", days=1_000, note=[0x1F, -.5, 1e3, +2])]',
      value: { city: 'a', days: 1000, note: [31, -0.5, 1000, 2] },
    },
    { name: 'an f-string without a hole', text: '[get_weather(city=f"Paris")]', value: { city: 'Paris' } },
    {
      name: 'lines and comments',
      text: '```tool_code\nget_weather(\n  city="Paris",  # the city\n)\n```',
      value: { city: 'Paris' },
    },
    {
      name: 'print and a name space',
      text: '```tool_code\nprint(default_api.get_weather(city="Paris"))\n```',
      value: { city: 'Paris' },
    },
  ])('may have $name', ({ text, value }) => {
    expect(read(text)).toEqual([[expect.stringMatching(/get_weather$/), { value }]]);
  });

  test.each([
    { name: 'a variable', text: '[get_weather(city=place)]' },
    { name: 'an expression', text: '[get_weather(city="a" + "b")]' },
    { name: 'an f-string with a hole', text: '[get_weather(city=f"{place}")]' },
    { name: 'a key twice', text: '[get_weather(city="a", city="b")]' },
    { name: 'a key that has its value by its place', text: '[get_weather("a", city="b")]' },
    { name: 'too many values', text: '[get_weather("a", 1, 2, 3)]' },
    { name: 'an inner quote', text: '[get_weather(city="say "hi" to me")]' },
    { name: 'a number that loses digits', text: '[get_weather(city="a", days=12345678901234567890)]' },
  ])('with $name is told', ({ text }) => {
    expect(read(text)).toEqual([['get_weather', 'told']]);
  });
});

test('a key beside the arguments is told, not dropped', () => {
  const text = '<tool_call>{"name": "get_weather", "arguments": {"city": "Paris"}, "days": 3}</tool_call>';
  expect(read(text)).toEqual([['get_weather', 'told']]);
  expect(read(text.replace(/<[^>]*>/g, ''))).toEqual([['get_weather', 'told']]);
});

test.each([paris, '[get_weather(city="Paris")]', `[TOOL_CALLS][${paris}]`])(
  '%s in a line that is quoted is not run',
  (text) => {
    expect(read(`> ${text}`)).toBeUndefined();
  },
);

describe('what stands before a call and is not seen', () => {
  test.each(['\u200b', '\u2060', '\u0000', '<s>', '</s>\n', '<end_of_turn>'])('%j changes nothing', (before) => {
    expect(read(`${before}<TOOLCALL>[${paris}]</TOOLCALL>`)).toEqual([parisCall]);
  });
});

describe('a markup right behind a sentence', () => {
  const markups = [
    `<tool_call>${paris}</tool_call>`,
    `<TOOLCALL>[${paris}]</TOOLCALL>`,
    `[TOOL_CALLS][${paris}]`,
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{"city": "Paris"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    '<|tool_calls_section_begin|><|tool_call_begin|>get_weather<|tool_call_argument_begin|>{"city": "Paris"}<|tool_call_end|><|tool_calls_section_end|>',
  ];
  test.each(markups)('is a call, and no answer: %s', (markup) => {
    for (const lead of ['I look it up.', 'Sure! ']) {
      expect(read(lead + markup, 'stop', { ...readRules, hasCalled: true })).toEqual(['text', parisCall]);
      expect(read(lead + markup)).toEqual(['text', ['get_weather', 'told']]);
    }
  });

  test.each(markups)('is a call behind the end of thoughts that were opened elsewhere: %s', (markup) => {
    expect(read(`I look it up.</think>${markup}`)).toEqual(['reasoning', parisCall]);
  });

  test.each(markups)('is an answer with words behind it, and in a sentence: %s', (markup) => {
    expect(read(`It is written so. ${markup} is how it looks.`)).toBeUndefined();
    expect(read(`It is written as ${markup}`)).toBeUndefined();
    expect(read(`It is written so. "${markup}"`)).toBeUndefined();
  });
});

test('a call with two sets of arguments is told, in whatever form', () => {
  const twice = `{"name": "get_weather", "arguments": {"city": "Paris"}, "parameters": {"city": "Oslo"}}`;
  for (const text of [twice, `<tool_call>${twice}</tool_call>`, `{"function": ${twice}}`])
    expect(read(text)).toEqual([['get_weather', 'told']]);
});
