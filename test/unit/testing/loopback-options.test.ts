import { expect, test } from 'vitest';
import type { LoopbackServerOptions } from '../../../src/testing/index.ts';
import { startLoopbackServer } from '../../../src/testing/index.ts';

const script = [{ text: 'Hi.' }];

test.each<[string, unknown, string | RegExp]>([
  ['nothing', undefined, /^Expected the options of `startLoopbackServer` to be an object such as/],
  ['steps by another name', { steps: script }, 'There is no option `steps` of startLoopbackServer. Use `script`.'],
  ['no script', {}, /^Expected `script` to be an array of steps.*got undefined/],
  ['one step', { script: script[0] }, /^Expected `script` to be an array of steps.*got an object/],
  ['a step that is a text', { script: ['Hi.'] }, /^Expected `script\[0\]` to be an object such as.*got a string/],
  ['a vendor’s word', { script: [{ tool_calls: [] }] }, 'There is no option `tool_calls` of `script[0]`. Use `calls`.'],
  ['a misspelled step', { script: [{ txt: 'Hi.' }] }, /no option `txt` of `script\[0\]`. Did you mean `text`/],
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
