import { describe, expect, test } from 'vitest';
import { createAgent } from '../../src/index.ts';
import { bodyOf, modes } from './providers/bodies.ts';
import type { Mode } from './providers/bodies.ts';
import { wireIds } from './providers/decode.ts';
import type { WireId } from './providers/decode.ts';
import { startRawServer } from './providers/raw-server.ts';
import { providersOn } from './providers-on.ts';
import { quick } from './run-on-wire.ts';

/** Asks a server that says `text` first and "Fine." then. */
async function ask(wire: WireId, mode: Mode, text: string): Promise<{ text: string | undefined; asked: number }> {
  await using server = await startRawServer((response, index) => {
    response.end(bodyOf(wire, mode, { text: index === 0 ? text : 'Fine.' }));
  });
  const agent = createAgent({ provider: providersOn[wire](server.origin, mode === 'stream'), retry: quick });
  const result = await agent.run('Hello?');
  return { text: result.text, asked: server.bodies.length };
}

const everywhere = wireIds.flatMap((wire) => modes.map((mode) => ({ wire, mode })));

describe.each(everywhere)('$wire, $mode', ({ wire, mode }) => {
  test.each([
    { name: 'a control token', text: '<|im_end|>' },
    { name: 'several control tokens', text: '<|eot_id|>\n</s><end_of_turn> <｜end▁of▁sentence｜>' },
    { name: 'control tokens in brackets', text: '[EOS]' },
    { name: 'thoughts alone', text: '<think>Hm, what was it?</think>\n' },
    { name: 'thoughts without an end', text: '<think>Hm, what was it?' },
    { name: 'control characters', text: '\u0000\u0001\u0007\u001b\u009f' },
    { name: 'a soft hyphen and marks of direction', text: '\u00ad\u200e\u200f\u202e\u061c' },
    { name: 'an invisible operator and joiners', text: '\u2061\u2064\u2060\ufeff\u200b\u200d' },
    { name: 'fillers of Hangul', text: '\u3164\u115f\u1160\uffa0' },
    { name: 'a blank of Braille', text: '\u2800\u2800' },
    { name: 'selectors and tags', text: '\ufe0f\u{e0020}\u{e007f}\u034f\u180e' },
    { name: 'replacement characters', text: '\ufffd\ufffd' },
    { name: 'the token that begins a turn, with its role', text: '<|im_start|>assistant\n' },
    { name: 'the same of Gemma', text: '<start_of_turn>model' },
    { name: 'colours of a terminal', text: '\u001b[31m\u001b[0m' },
    { name: 'tags without a call in them', text: '<tool_call>\n</tool_call>' },
    { name: 'a list without a call in it', text: '[TOOL_CALLS][]' },
    { name: 'the same in tags', text: '<TOOLCALL>[]</TOOLCALL>' },
  ])('$name is no answer', async ({ text }) => {
    expect(await ask(wire, mode, text)).toEqual({ text: 'Fine.', asked: 2 });
  });
});

test.each(['7', '.', '🙂', '❤️', '<b>', '<|', '日', '\u0301a', '[1]', '<s>struck</s>', '–'])(
  '%j is an answer',
  async (text) => {
    expect(await ask('openai-chat', 'stream', text)).toEqual({ text, asked: 1 });
  },
);
