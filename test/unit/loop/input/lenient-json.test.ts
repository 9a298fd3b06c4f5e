import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cloneJson } from '../../../../src/loop/input/clone-json.ts';
import { readJson } from '../../../../src/loop/input/lenient-json.ts';

const plainObject = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 }), { maxKeys: 6 });

describe('what is mended', () => {
  test.each([
    { name: 'a fence', text: '```json\n{"a":1}\n```', value: { a: 1 } },
    { name: 'a fence that is not closed', text: '```\n{"a":1}', value: { a: 1 } },
    { name: 'tags', text: '<tool_call>\n{"a":1}\n</tool_call>', value: { a: 1 } },
    { name: 'words around', text: 'Sure! Here is the JSON: {"a":1} I hope it helps.', value: { a: 1 } },
    { name: 'a call around', text: 'get_weather({"a":1})', value: { a: 1 } },
    { name: 'an introduction', text: 'arguments: {"a":1}', value: { a: 1 } },
    { name: 'a trailing comma', text: '{"a":[1,2,],}', value: { a: [1, 2] } },
    { name: 'single quotes', text: `{'a':'x "y" z'}`, value: { a: 'x "y" z' } },
    { name: 'quotes around it all', text: `'{"a":1}'`, value: { a: 1 } },
    { name: 'keys without quotes', text: '{a: 1, b_c: "x"}', value: { a: 1, b_c: 'x' } },
    { name: 'words of Python', text: '{"a":True,"b":False,"c":None}', value: { a: true, b: false, c: null } },
    { name: 'comments', text: '{"a":1, // one\n /* two */ "b":2}', value: { a: 1, b: 2 } },
    { name: 'line breaks in a text', text: '{"a":"x\ny\tz"}', value: { a: 'x\ny\tz' } },
    {
      name: 'single backslashes of a path',
      text: String.raw`{"a":"C:\Users\ann\notes.txt"}`,
      value: { a: String.raw`C:\Users\ann\notes.txt` },
    },
    { name: 'single backslashes of a pattern', text: String.raw`{"a":"\d+\.\w"}`, value: { a: String.raw`\d+\.\w` } },
    { name: 'a needless backslash', text: String.raw`{"a":"don\'t"}`, value: { a: "don't" } },
    { name: 'doubled braces', text: '{{"a":{{"b":1}}}}', value: { a: { b: 1 } } },
    { name: 'a bracket too many', text: '{"a":1}}', value: { a: 1 } },
    { name: 'double encoding', text: JSON.stringify('{"a":"x\\n"}'), value: { a: 'x\n' } },
    { name: 'triple encoding', text: JSON.stringify(JSON.stringify('{"a":1}')), value: { a: 1 } },
    { name: 'Python in a JSON text', text: JSON.stringify("{'a': True}"), value: { a: true } },
    { name: 'a byte order mark', text: '\uFEFF{"a":1}', value: { a: 1 } },
    { name: 'braces in a text', text: "{'a':'} { x'}", value: { a: '} { x' } },
    { name: 'curly quotes', text: '{“a”: “it’s x”, "b": 1}', value: { a: 'it’s x', b: 1 } },
    { name: 'words with quotes behind it', text: '{"a":1} Here "a" is one.', value: { a: 1 } },
    { name: 'escapes in single quotes', text: String.raw`{'a':'\u00e9\n\\'}`, value: { a: 'é\n\\' } },
  ])('$name', ({ text, value }) => {
    const read = readJson(text);
    expect(read).toMatchObject({ ok: true, value });
    expect(read.ok && read.repairs.length).toBeGreaterThan(0);
  });

  test('a key __proto__ does not become a prototype', () => {
    const read = readJson('{"__proto__":{"polluted":1},"a":1,}');
    expect(read.ok && Object.getPrototypeOf(read.value)).toBe(Object.prototype);
    expect(read.ok && read.value).toEqual({ a: 1 });
  });
});

describe('what is refused', () => {
  test.each([
    { name: 'two objects', text: '{"a":1}{"b":2}', problem: /several objects/ },
    { name: 'the same object twice', text: '{"a":1}\n{"a":1}', problem: /several objects/ },
    { name: 'NaN', text: '{"a":NaN}', problem: /NaN/ },
    { name: 'minus Infinity', text: '{"a":-Infinity}', problem: /Infinity/ },
    { name: 'a number beyond all numbers', text: '{"a":1e999,}', problem: /too large/ },
    { name: 'a missing comma', text: '{"a":1 "b":2}', problem: /"," or "}"/ },
    { name: 'a missing colon', text: '{"a" 1}', problem: /":"/ },
    { name: 'a text without quotes', text: '{"a":London}', problem: /double quotes/ },
    { name: 'a quote inside single quotes', text: "{'a':'it's'}", problem: /"," or "}"/ },
    { name: 'a quote inside quotes', text: '{"a":"say "hi" now"}', problem: /"," or "}"/ },
    { name: 'missing outer braces', text: '"a": {"b":1}', problem: /outer braces/ },
    { name: 'missing outer braces, no quotes', text: 'filter: {"b":1}', problem: /outer braces/ },
    { name: 'an object closed too early', text: '{"a":1},"b":2', problem: /closed too early/ },
    { name: 'a quote and a brace inside a text', text: '{"text": "a"} b"}', problem: /closed too early/ },
    { name: 'a quote and a brace, more text and a list', text: '{"l": ["a"]} b"]}', problem: /closed too early/ },
    { name: 'a quote and a brace, quotes behind them', text: '{"text": "a"} say "b" c"}', problem: /closed too early/ },
    { name: 'a quote and a brace in single quotes', text: `{'text': 'a'} b'}`, problem: /closed too early/ },
    { name: 'a quote and a brace at the end', text: '{"text": "a"} b"', problem: /closed too early/ },
    { name: 'a quote inside curly quotes', text: '{“a”: “say “hi” now”}', problem: /double quotes/ },
    { name: 'a key twice', text: '{"amount":1,"amount":100000}', problem: /"amount" came twice/ },
    { name: 'a key twice, the second with an escape', text: '{"a":1,"\\u0061":2}', problem: /"a" came twice/ },
    { name: 'a key twice, deep inside', text: '{"x":[{"b":{"a":1,"c":"\\":","a":1}}]}', problem: /"a" came twice/ },
    { name: 'a key twice in a slip', text: "{'a':1,'a':2,}", problem: /"a" came twice/ },
    { name: 'a key twice in a text in a text', text: JSON.stringify('{"a":1,"a":2}'), problem: /"a" came twice/ },
    { name: 'a whole number that would be another one', text: '{"a":9007199254740993}', problem: /more digits/ },
    { name: 'the same in a list, negative', text: '{"a":[-1234567890123456789]}', problem: /more digits/ },
    { name: 'the same with a point', text: '{"a":1234567890123456789.0}', problem: /more digits/ },
    { name: 'the same with an exponent', text: '{"a":1.234567890123456789e18}', problem: /more digits/ },
    { name: 'the same in a slip', text: '{a:9007199254740993}', problem: /more digits/ },
    { name: 'a number beyond all numbers in real JSON', text: '{"a":1e400}', problem: /a number is too large/ },
    { name: 'leading zeros', text: '{"a":007}', problem: /neither a number nor/ },
    { name: 'hexadecimal', text: '{"a":0x1F}', problem: /neither a number nor/ },
    { name: 'undefined', text: '{"a":undefined}', problem: /double quotes/ },
    { name: 'backslashes that mean two things', text: String.raw`{"a":"\d\n"}`, problem: /backslash/ },
    { name: 'no object', text: 'London', problem: /no JSON object/ },
    { name: 'nothing', text: '  ', problem: /empty/ },
    { name: 'XML', text: '<city>London</city>', problem: /no JSON object/ },
    { name: 'a depth of thousands', text: `${'['.repeat(5000)}1,${']'.repeat(5000)}`, problem: /too deeply/ },
    { name: 'doubled braces closed once', text: '{{"a":1},"b":2}', problem: /doubled brace/ },
  ])('$name', ({ text, problem }) => {
    const read = readJson(text);
    expect(read).toMatchObject({ ok: false, isCut: false });
    expect(read.ok ? '' : read.problem).toMatch(problem);
    expect(read.ok ? 0 : read.near.length).toBeLessThanOrEqual(40);
  });

  test.each([
    '{"customer":"AC',
    '{"a":1',
    '{"a":1,',
    '{"a":',
    '{"a',
    '{',
    '{"a":tr',
    '{"a":-',
    '{"a":1.',
    '{"a":[1,2',
    "{'a':'x",
    '{"a":"x\\',
    '{"a":1 /* x',
    '```json\n{"a":{"b":1}',
    '{{"a":1}',
    '"{\\"a\\":1',
    '"{\\"a\\":1"',
    '[{"a":1}',
  ])('%s is cut, not mended', (text) => {
    expect(readJson(text)).toMatchObject({ ok: false, isCut: true });
  });
});

test.each([
  ['{"a":9007199254740992}', 9007199254740992],
  ['{"a":1152921504606846976}', 2 ** 60],
  ['{"a":1152921504606847000}', 2 ** 60],
  ['{"a":6.02214076e23}', 6.02214076e23],
  ['{"a":100000000000000000000}', 1e20],
  ['{"a":0.1234567890123456789}', 0.12345678901234568],
  ['{"a":"12345678901234567890"}', '12345678901234567890'],
  ['{"a":"1e999"}', '1e999'],
])('%s keeps its value', (text, value) => {
  expect(readJson(text)).toEqual({ ok: true, value: { a: value }, repairs: [] });
});

describe('properties', () => {
  test('real JSON is read as JSON.parse reads it, without repairs', () => {
    fc.assert(
      fc.property(plainObject, (value) => {
        const text = JSON.stringify(value);
        expect(readJson(text)).toEqual({ ok: true, value: JSON.parse(text), repairs: [] });
      }),
    );
  });

  test('no beginning of an object is ever taken for the whole', () => {
    fc.assert(
      fc.property(plainObject, fc.nat(), fc.boolean(), (value, cut, isIndented) => {
        const text = isIndented ? JSON.stringify(value, null, 2) : JSON.stringify(value);
        expect(readJson(text.slice(0, cut % text.length)).ok).toBe(false);
      }),
      { numRuns: 1000 },
    );
  });

  test('nothing throws, whatever the text', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      "'",
      ':',
      ',',
      '\\',
      'a',
      '1',
      '-',
      '.',
      'e',
      ' ',
      '\n',
      '/',
      '*',
      'True',
      '```',
      'null',
      '\ud83d',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const read = readJson(pieces.join(''));
        expect(read.ok || read.near.length <= 40).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });

  test('a text of two megabytes takes time in proportion', () => {
    const start = performance.now();
    expect(readJson(`{'text':'${'n\\n '.repeat(500_000)}',}`).ok).toBe(true);
    expect(readJson(`{"a":${'{"a":1},'.repeat(250_000)}}`).ok).toBe(false);
    expect(performance.now() - start).toBeLessThan(3000);
  });
});

describe('cloneJson', () => {
  test('a copy shares no object with the original and has no prototype key', () => {
    const original: unknown = JSON.parse('{"a":[{"b":1}],"__proto__":{"polluted":"yes"}}');
    const cloned = cloneJson(original);
    expect(cloned).toEqual({ ok: true, value: { a: [{ b: 1 }] } });
    const copy = cloned.ok ? (cloned.value as { a: object[]; polluted?: unknown }) : undefined;
    expect(copy?.a).not.toBe((original as { a: object[] }).a);
    expect(copy?.polluted).toBeUndefined();
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test('depth is bounded', () => {
    expect(cloneJson(JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)))).toEqual({
      ok: false,
      problem: 'too-deep',
    });
    const loop: Record<string, unknown> = {};
    loop['self'] = loop;
    expect(cloneJson(loop)).toEqual({ ok: false, problem: 'too-deep' });
  });

  test.each([[() => 1], [10n], [Number.NaN], [{ a: Infinity }], [Symbol('x')], [undefined]])(
    '%s is not JSON',
    (value) => {
      expect(cloneJson(value)).toEqual({ ok: false, problem: 'not-json' });
    },
  );

  test('what JSON leaves out is left out', () => {
    expect(cloneJson({ a: undefined, b: [undefined] })).toEqual({ ok: true, value: { b: [null] } });
  });
});
