// What a tool call costs beside the tool: its arguments read and checked, the guards, its output written down.
import { z } from 'zod';
import { table } from './measure.mjs';
import { sources } from './sources.mjs';

const { capText, checkRepetition, prepareInput, remember, serialise, tool } = await sources(
  'core/define-tool',
  'loop/input/prepare-input',
  'loop/call/record',
  'loop/call/repetition',
  'loop/output/serialise',
  'loop/output/cap',
);

const item = z.object({ id: z.string(), count: z.number(), state: z.enum(['open', 'closed']), note: z.string() });
const order = tool({
  name: 'order',
  description: 'Orders.',
  schema: z.object({ items: z.array(item) }),
  execute: () => 'ok',
});

const good = (index) => ({ id: `id_${index}`, count: index, state: 'open', note: 'as before, with a word or two' });
const forms = {
  'valid arguments': (list) => JSON.stringify({ items: list }),
  'numbers as texts, enums in capitals': (list) =>
    JSON.stringify({ items: list.map((one) => ({ ...one, count: String(one.count), state: 'OPEN' })) }),
  'a fence, single quotes, trailing commas': (list) =>
    `\`\`\`json\n${JSON.stringify({ items: list }).replaceAll('"', "'").replaceAll('}', ',}')}\n\`\`\``,
  'wrong: a key is missing everywhere': (list) => JSON.stringify({ items: list.map(({ note: _note, ...one }) => one) }),
  'wrong: cut in the middle': (list) => JSON.stringify({ items: list }).slice(0, -20),
};
const inputs = Object.entries(forms).map(([name, write]) => [
  name,
  (factor) => {
    const text = write(Array.from({ length: 5 * factor }, (_, index) => good(index)));
    const call = { type: 'tool-call', id: 'c', name: 'order', arguments: { text }, isComplete: true };
    return { work: () => prepareInput(order, call), units: text.length };
  },
]);
table('arguments of 0.4, 4, 40 KB', 'ns/char', inputs);

const limits = { sameCallFailures: 2, repeats: 4 };
const outcome = (index, isError) => ({
  callKey: `look {"place":${index}}`,
  content: [{ type: 'text', text: `place ${index}` }],
  isError,
  polls: false,
});
const guards = (period) => (factor) => {
  const outcomes = Array.from({ length: 100 * factor }, (_, index) => outcome(index % period, index % 3 === 0));
  return {
    units: outcomes.length,
    work: () => {
      let records = [];
      for (const one of outcomes) {
        checkRepetition(records, { key: one.callKey, before: () => [], polls: false }, limits);
        records = remember(records, [one]);
      }
    },
  };
};
table('guards over 100, 1,000, 10,000 calls', 'ns/call', [
  ['no call comes twice', guards(Infinity)],
  ['the same eight calls go round', guards(8)],
]);

const row = (index) => ({
  id: index,
  name: `Name of ${index}`,
  tags: ['a', 'b'],
  nested: { ok: true, ratio: index / 3 },
});
const outputs = {
  'plain data': (length) => Array.from({ length }, (_, index) => row(index)),
  'maps, dates, big numbers, cycles': (length) => {
    const list = Array.from(
      { length },
      (_, index) =>
        new Map([
          ['at', new Date(index)],
          ['big', BigInt(index)],
          ['row', row(index)],
        ]),
    );
    list.push(list);
    return list;
  },
};
table('outputs of 2, 20, 200 KB', 'ns/char', [
  ...Object.entries(outputs).map(([name, make]) => [
    name,
    (factor) => {
      const value = make(20 * factor);
      return { work: () => serialise(value), units: serialise(value).length };
    },
  ]),
  [
    'a text that is cut to 1,000 characters',
    (factor) => {
      const text = 'A line of output.\n'.repeat(120 * factor);
      return { work: () => capText(text, 1000), units: 1 };
    },
  ],
]);
