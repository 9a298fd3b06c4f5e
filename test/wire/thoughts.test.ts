import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createAgent, scripted } from '../../src/index.ts';
import { askWeather, runOnWire } from './run-on-wire.ts';

const answer = { text: '<think>Maybe {"a": 1}? No.</think>\n\nIt is mild.' };

describe('reasoning that a server passes on as text', () => {
  test.each([{ stream: true }, { stream: false }])('is no part of the answer: %j', async ({ stream }) => {
    const { result, events } = await runOnWire({ script: [askWeather, answer], stream });
    expect(result).toMatchObject({ status: 'completed', text: 'It is mild.' });
    expect(result.messages.at(-1)).toMatchObject({
      content: [
        { type: 'reasoning', text: 'Maybe {"a": 1}? No.' },
        { type: 'text', text: 'It is mild.' },
      ],
    });
    const shown = (type: string): string =>
      events.map((event) => (event.type === type && 'text' in event ? event.text : '')).join('');
    if (!stream) return;
    expect([shown('text-delta'), shown('reasoning-delta')]).toEqual(['It is mild.', 'Maybe {"a": 1}? No.']);
  });

  test('alone is no answer: the model is asked again', async () => {
    const { result, requests } = await runOnWire({ script: [{ text: '<think>Hm.</think>' }, { text: 'Mild.' }] });
    expect(result).toMatchObject({ status: 'completed', text: 'Mild.' });
    expect(result.failures).toMatchObject([{ kind: 'empty-reply' }]);
    expect(requests).toHaveLength(2);
  });

  test('is no structured answer either', async () => {
    const provider = scripted([{ text: '<think>Maybe {"a": 1}? No, 7.</think>{"a": 7}' }]);
    const result = await createAgent({ provider }).run('How many?', { output: z.object({ a: z.number() }) });
    expect(result).toMatchObject({ status: 'completed', output: { a: 7 } });
  });
});
