import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { splitThoughts, ThoughtStream } from '../../../../src/loop/text-calls/thoughts.ts';

describe('reasoning that came as text', () => {
  test.each([
    { name: 'think', text: '<think>Hm, {"a": 1}?</think>\n\nIt is 7.', reasoning: 'Hm, {"a": 1}?', left: 'It is 7.' },
    { name: 'empty think of Qwen 3', text: '<think>\n\n</think>\n\nIt is 7.', reasoning: '', left: 'It is 7.' },
    { name: 'thoughts in two parts', text: '<think>a</think>\n<think>b</think>7', reasoning: 'a\n\nb', left: '7' },
    { name: 'another tag', text: '<thinking>a</thinking>7', reasoning: 'a', left: '7' },
    { name: 'Seed-OSS', text: '<seed:think>a</seed:think>7', reasoning: 'a', left: '7' },
    { name: 'Magistral', text: '[THINK]a[/THINK]7', reasoning: 'a', left: '7' },
    { name: 'Kimi', text: '◁think▷a◁/think▷7', reasoning: 'a', left: '7' },
    { name: 'thoughts that never end', text: '<think>Hm, {"a": 1}?', reasoning: 'Hm, {"a": 1}?', left: '' },
    { name: 'thoughts that the template opened', text: 'Hm.\n</think>\n\n7', reasoning: 'Hm.', left: '7' },
    { name: 'the same before JSON', text: 'Hm.</think>{"a": 7}', reasoning: 'Hm.', left: '{"a": 7}' },
    {
      name: 'gpt-oss',
      text: '<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>7<|return|>',
      reasoning: 'Hm.',
      left: '7',
    },
    {
      name: 'gpt-oss without the end of its thoughts',
      text: '<|channel|>analysis<|message|>Hm.<|channel|>final <|constrain|>json<|message|>{"a": 7}',
      reasoning: 'Hm.',
      left: '{"a": 7}',
    },
    { name: 'gpt-oss, its answer alone', text: '<|channel|>final<|message|>7', reasoning: '', left: '7' },
    { name: 'gpt-oss, words and no call', text: '<|channel|>commentary<|message|>7<|end|>', reasoning: '', left: '7' },
    { name: 'gpt-oss without its tokens', text: 'analysisHm.assistantfinal7', reasoning: 'Hm.', left: '7' },
    {
      name: 'gpt-oss before a call',
      text: '<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>commentary to=functions.f<|message|>{}',
      reasoning: 'Hm.',
      left: '<|start|>assistant<|channel|>commentary to=functions.f<|message|>{}',
    },
    {
      name: 'Command-R',
      text: '<|START_THINKING|>Hm.<|END_THINKING|><|START_RESPONSE|>7<|END_RESPONSE|>',
      reasoning: 'Hm.',
      left: '7',
    },
  ])('$name', ({ text, reasoning, left }) => {
    expect(splitThoughts(text)).toEqual({ reasoning, text: left });
    // One character at a time and all at once, the same is shown; only what has no opening is found too late.
    if (/^(?:Hm|analysis)/.test(text)) return;
    for (const pieces of [[text], text.split('')]) {
      const stream = new ThoughtStream();
      const shown = [...pieces.flatMap((piece) => stream.push(piece)), ...stream.end()];
      const answer = shown.filter(({ type }) => type === 'text-delta').map((piece) => piece.text);
      expect(answer.join('')).toBe(left);
      const thought = shown.filter(({ type }) => type === 'reasoning-delta').map((piece) => piece.text);
      expect(thought.join('').trim().replace('ab', 'a\n\nb')).toBe(reasoning);
    }
  });

  test.each([
    'Models write <think>…</think> before an answer.',
    'The tag `</think>` ends it.\nSo it is.',
    'It is closed with </think> and then goes on.',
    '```\n<think>a</think>\n```',
    '{"a": "<think>b</think>"}',
    '<|im_start|>Hello.',
    'analysis of the data',
    '',
    '  Hello',
  ])('%j has none', (text) => {
    expect(splitThoughts(text)).toEqual({ reasoning: '', text });
  });

  test('a text without reasoning is shown as it comes, in whatever pieces', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (pieces) => {
        const stream = new ThoughtStream();
        const shown = [...pieces.flatMap((piece) => stream.push(piece)), ...stream.end()];
        expect(shown.map(({ text }) => text).join('')).toBe(pieces.join(''));
      }),
    );
  });

  test.each([
    '<think>',
    '<think></think>',
    '<|channel|>analysis<|message|>',
    '</think>',
    'analysisA',
    ' ',
    '<|start|>assistant',
  ])('a million characters of %j take no time to speak of', (piece) => {
    const text = piece.repeat(1_000_000 / piece.length);
    const began = performance.now();
    splitThoughts(text);
    const stream = new ThoughtStream();
    for (let at = 0; at < text.length; at += 20) stream.push(text.slice(at, at + 20));
    stream.end();
    expect(performance.now() - began).toBeLessThan(1500);
  });
});
