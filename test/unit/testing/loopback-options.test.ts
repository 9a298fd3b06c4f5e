import { expect, test } from 'vitest';
import type { LoopbackServerOptions } from '../../../src/testing/index.ts';
import { startLoopbackServer } from '../../../src/testing/index.ts';

const script = [{ text: 'Hi.' }];
const only = (step: unknown): unknown => ({ script: [step] });

test.each<[string, unknown, string | RegExp]>([
  ['nothing', undefined, /^Expected the options of `startLoopbackServer` to be an object such as/],
  ['steps by another name', { steps: script }, 'There is no option `steps` of startLoopbackServer. Use `script`.'],
  ['no script', {}, /^Expected `script` to be an array of steps.*got undefined/],
  ['one step', { script: script[0] }, /^Expected `script` to be an array of steps.*got an object/],
  ['a step that is a text', { script: ['Hi.'] }, /^Expected `script\[0\]` to be an object such as.*got a string/],
  ['a vendor’s word', { script: [{ tool_calls: [] }] }, 'There is no option `tool_calls` of `script[0]`. Use `calls`.'],
  ['a misspelled step', { script: [{ txt: 'Hi.' }] }, /no option `txt` of `script\[0\]`. Did you mean `text`/],
  ['a hole in the script', { script: Array(1) }, /^Expected `script\[0\]` to be an object such as.*got undefined/],
  [
    'a misspelled fault',
    only({ fault: 'rest' }),
    "Expected `fault` of `script[0]` to be 'reset', 'hang' or 'refuse', got \"rest\".",
  ],
  [
    'a fault and a text',
    only({ fault: 'hang', text: 'Hi.' }),
    /no option `text` of `script\[0\]`. Options are fault, delayMs, forMs/,
  ],
  [
    'an error with a text',
    only({ status: 503, text: 'Hi.' }),
    /no option `text` of `script\[0\]`. Use `message` or `body`/,
  ],
  [
    'a status in words',
    only({ status: '503' }),
    'Expected `status` of `script[0]` to be an integer from 200 to 999, got "503".',
  ],
  [
    'a failure',
    only({ failure: { kind: 'network' } }),
    /no option `failure` of `script\[0\]`. Use `status`, `fault` or `errorEvent`/,
  ],
  [
    'bytes that are none',
    only({ raw: 3 }),
    'Expected `raw` of `script[0]` to be a string, bytes or an array of strings, got 3.',
  ],
  ['a text of figures', only({ text: [1] }), /^Expected `text` of `script\[0\]` to be a string or an array of strings/],
  ['one call', only({ calls: { name: 'look' } }), 'Expected `calls` of `script[0]` to be an array, got an object.'],
  [
    'a call in the words of a vendor',
    only({ calls: [{ name: 'look', args: {} }] }),
    'There is no option `args` of `calls[0]` of `script[0]`. Use `input`.',
  ],
  [
    'a call of nobody',
    only({ calls: [{ input: {} }] }),
    'Expected `calls[0].name` of `script[0]` to be a string, got undefined.',
  ],
  [
    'an input that is no JSON',
    only({ calls: [{ name: 'look', input: 1n }] }),
    /^Expected `calls\[0\].input` of .* JSON can hold/,
  ],
  [
    'a misspelled cut',
    only({ text: 'Hi.', cut: { after: 'text', how: 'rset' } }),
    "Expected `cut.how` of `script[0]` to be 'reset', 'end' or 'drop', got \"rset\".",
  ],
  [
    'a cut in a word',
    only({ text: 'Hi.', cut: 'reset' }),
    /^Expected `cut` of `script\[0\]` to be an object such as .*got a string/,
  ],
  [
    'a cut at a misspelled place',
    only({ cut: { afer: 'text' } }),
    'There is no option `afer` of `cut` of `script[0]`. Did you mean `after`?',
  ],
  [
    'a cut at an unknown place',
    only({ cut: { after: 'tool', how: 'end' } }),
    /^Expected `cut.after` of `script\[0\]` to be 'start', /,
  ],
  ['a stall nowhere', only({ stall: {} }), /^Expected `stall.after` of `script\[0\]` to be 'start', .*got undefined/],
  [
    'an error in no words',
    only({ errorEvent: { after: 'text', message: 5 } }),
    /^Expected `errorEvent.message` of .* to be a string, got 5/,
  ],
  [
    'a cut and a stall',
    only({ cut: { after: 'text', how: 'end' }, stall: { after: 'text' } }),
    /^Only one of `cut` and `stall` can strike in `script\[0\]`/,
  ],
  [
    'an unknown quirk',
    only({ quirks: { callId: 'none' } }),
    /no option `callId` of `quirks` of `script\[0\]`. Did you mean `callIds`/,
  ],
  [
    'usage in the words of a vendor',
    only({ usage: { inputToken: 5 } }),
    /no option `inputToken` of `usage` of .*Did you mean `inputTokens`/,
  ],
  [
    'a delay in words',
    only({ text: 'Hi.', delayMs: '5' }),
    'Expected `delayMs` of `script[0]` to be a number >= 0, got "5".',
  ],
  [
    'a header that is a figure',
    only({ status: 429, headers: { 'retry-after': 7 } }),
    /^Expected `headers` of `script\[0\]` to be an object of strings/,
  ],
  ['an unknown wire', { script, wire: 'gemini' }, /^Expected `wire` to be 'auto' or one of openai, .*got "gemini"/],
  ['a port beyond the last', { script, port: 70_000 }, 'Expected `port` to be an integer from 0 to 65535, got 70000.'],
  ['a port in words', { script, port: '80' }, /^Expected `port` to be an integer/],
  ['a key that is none', { script, apiKey: true }, 'Expected `apiKey` to be a text, got a boolean.'],
  ['one model', { script, models: 'demo' }, 'Expected `models` to be an array of names, got a string.'],
  ['a word for a no', { script, strict: 'no' }, 'Expected `strict` to be true or false, got "no".'],
])('%s is refused before the server listens', async (_name, options, message) => {
  // A server that listened would be left open by a rejection that comes later.
  await expect(startLoopbackServer(options as LoopbackServerOptions)).rejects.toMatchObject({
    code: 'invalid-option',
    message: expect.stringMatching(typeof message === 'string' ? exactly(message) : message),
  });
});

function exactly(text: string): RegExp {
  return new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`);
}
