// What it costs to see whether a reply wrote calls as text: long answers that are none, and texts made to be slow.
import { table } from './measure.mjs';
import { sources } from './sources.mjs';

const { readTextCalls } = await sources('loop/text-calls/read-text-calls');

const tool = { name: 'look', inputSchema: { type: 'object', properties: {} }, options: { effect: 'read' } };
const rules = {
  toolOf: (name) => (name === 'look' ? tool : undefined),
  textCalls: 'run',
  isAnswerJson: false,
  hasCalled: false,
  isExplained: () => true,
};
const call = '{"name":"look","arguments":{"at":"door"}}';
const texts = {
  'an answer in Markdown, with code': (count) => 'Some words.\n```js\nlist[0] = { a: 1 };\n```\n'.repeat(count),
  'white space before an answer': (count) => `${' \n'.repeat(20 * count)}Done.`,
  'lines that open an object and never close it': (count) => '{ never closed\n'.repeat(3 * count),
  'calls one after the other': (count) => `${call}\n`.repeat(count),
  'calls in one pair of tags': (count) => `<tools>${call.repeat(count)}</tools>`,
  'marks that are none': (count) => '\n<|no|> <tool_call> [look'.repeat(2 * count),
};
table(
  'texts of 4, 40, 400 KB',
  'ns/char',
  Object.entries(texts).map(([name, write]) => [
    name,
    (factor) => {
      const text = write(100 * factor);
      const reply = { content: [{ type: 'text', text }], finishReason: 'stop', rawFinishReason: 'stop', usage: {} };
      return { work: () => readTextCalls(reply, rules), units: text.length };
    },
  ]),
);
