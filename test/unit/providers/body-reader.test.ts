import { describe, expect, test } from 'vitest';
import { MessagesAssembler } from '../../../src/providers/anthropic/assembler.ts';
import type { Assembled, Assembler, DeltaSink } from '../../../src/providers/assembler.ts';
import { BodyReader } from '../../../src/providers/body-reader.ts';
import { lineFraming } from '../../../src/providers/ndjson.ts';
import { OllamaAssembler } from '../../../src/providers/ollama/assembler.ts';
import { ChatAssembler } from '../../../src/providers/openai-chat/assembler.ts';

const silent: DeltaSink = { text: () => {}, reasoning: () => {}, call: () => {} };

interface Wire {
  readonly name: string;
  readonly make: () => Assembler;
  readonly body: string;
}

const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const chunk = (delta: object, finish: string | null = null): string =>
  data({ choices: [{ delta, finish_reason: finish }] });
const chat = chunk({ content: 'Good.' }) + chunk({}, 'stop');
const messages =
  data({ type: 'message_start', message: { content: [] } }) +
  data({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Good.' } }) +
  data({ type: 'message_delta', delta: { stop_reason: 'end_turn' } });

const WIRES: readonly Wire[] = [
  { name: 'OpenAI', make: () => new ChatAssembler(silent, 'x'), body: `${chat}data: [DONE]\n\n` },
  {
    name: 'Anthropic',
    make: () => new MessagesAssembler(silent, 'x'),
    body: messages + data({ type: 'message_stop' }),
  },
  {
    name: 'Ollama',
    make: () => new OllamaAssembler(silent, 'x'),
    body: '{"message":{"content":"Good."},"done":true}\n',
  },
];

/** What becomes of a body that comes in one chunk and of the same in single characters. */
function read({ make, name }: Wire, body: string): [Assembled, Assembled] {
  const readPieces = (pieces: Iterable<string>): Assembled => {
    const reader = new BodyReader(make(), name === 'Ollama' ? lineFraming : undefined);
    for (const piece of pieces) {
      const problem = reader.push(new TextEncoder().encode(piece));
      if (problem !== undefined) return problem;
    }
    return reader.end();
  };
  return [readPieces([body]), readPieces(Array.from(body))];
}

function textOf(assembled: Assembled): string {
  if (assembled.type !== 'reply') return assembled.type;
  return assembled.reply.content.map((part) => (part.type === 'text' ? part.text : part.type)).join('');
}

describe.each(WIRES)('behind the last word of a reply on the wire of $name', (wire) => {
  test.each([
    { name: 'an event that is not JSON', rest: 'data: {"broken\n\n{"broken\n' },
    { name: 'one that breaks off', rest: 'data: {"choi' },
    { name: 'a page', rest: '<html>\n' },
    { name: 'more text', rest: wire.body.replace('Good.', ' More.') },
    { name: 'an error', rest: 'data: {"error":{"message":"late"}}\n\n{"error":"late"}\n' },
  ])('$name changes nothing', ({ rest }) => {
    for (const assembled of read(wire, wire.body + rest)) expect(textOf(assembled)).toBe('Good.');
  });
});

test.each([
  { name: 'in lower case', end: 'data: [done]\n\n' },
  { name: 'behind two spaces', end: 'data:  [DONE]\n\n' },
])('an end marker $name is one', ({ end }) => {
  const [wire] = WIRES;
  if (wire === undefined) throw new Error('There is no wire.');
  for (const assembled of read(wire, chunk({ content: 'Good.' }) + end)) expect(textOf(assembled)).toBe('Good.');
});

test('figures that break off after the finish reason do not take the reply back; broken text before it does', () => {
  const [wire] = WIRES;
  if (wire === undefined) throw new Error('There is no wire.');
  for (const assembled of read(wire, `${chat}data: {"usage":{"prompt_`)) expect(textOf(assembled)).toBe('Good.');
  for (const assembled of read(wire, `${chunk({ content: 'Good.' })}data: {"usage":{"prompt_`))
    expect(textOf(assembled)).toBe('malformed');
});
