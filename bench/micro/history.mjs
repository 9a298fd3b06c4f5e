// A history of 20, 200 and 2,000 messages: its repair, and the bodies of the requests that it grows by.
import { table } from './measure.mjs';
import { sources } from './sources.mjs';

const { RequestBodies, chatWriter, repairHistory } = await sources(
  'providers/request-body',
  'providers/openai-chat/request',
  'loop/history/history',
);

const text = (words) => [{ type: 'text', text: words }];
const call = (id) => ({ type: 'tool-call', toolCallId: id, toolName: 'look', input: { place: `place ${id}` } });
const result = (id) => ({
  type: 'tool-result',
  toolCallId: id,
  toolName: 'look',
  content: text('x'.repeat(300)),
  isError: false,
});

/** Ten messages of a run, again and again. */
function history(messages, change = (list) => list) {
  const list = [{ role: 'user', content: text('Look at everything.') }];
  for (let turn = 0; list.length < messages; turn += 1) {
    list.push({ role: 'assistant', content: [call(`c${turn}`)] });
    list.push({ role: 'tool', content: [result(`c${turn}`)] });
  }
  return change(list.slice(0, messages));
}

const withoutResults = (list) => list.filter((message, index) => message.role !== 'tool' || index % 4 !== 0);
const sameIds = (list) =>
  list.map((message) => ({
    ...message,
    content: message.content.map((part) => ('toolCallId' in part ? { ...part, toolCallId: 'same' } : part)),
  }));

const repair = (change) => (factor) => {
  const messages = history(20 * factor, change);
  return { work: () => repairHistory(messages), units: messages.length };
};

const dialect = {
  hasStreamOptions: true,
  hasParallelToolCalls: true,
  maxTokensField: 'max_tokens',
  hasSwappedMaxTokens: false,
};
const options = { model: 'm', stream: true, body: {}, imageResults: true, issuer: 'openai-chat' };

/** All requests of a run: each turn adds two messages, and all before them are there already. */
function bodies(factor) {
  const all = history(20 * factor);
  return {
    units: all.length,
    work: () => {
      const writer = new RequestBodies(chatWriter(options, dialect));
      const messages = [];
      const request = { system: 'Help.', messages, tools: [], toolChoice: 'auto' };
      for (const message of all) {
        messages.push(message);
        if (message.role !== 'assistant') writer.build(request);
      }
    },
  };
}

table('history of 20, 200, 2,000 messages', 'ns/message', [
  ['repair: nothing to do', repair()],
  ['repair: every second result is missing', repair(withoutResults)],
  ['repair: all ids are the same', repair(sameIds)],
  ['request bodies of a whole run', bodies],
]);
