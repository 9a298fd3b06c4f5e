// How fast replies are read: megabytes of body a second, for each wire, streaming and plain, at three sizes.
import { table } from './measure.mjs';
import { sources } from './sources.mjs';

const { BodyReader, ChatAssembler, MessagesAssembler, OllamaAssembler, ResponsesAssembler, lineFraming } =
  await sources(
    'providers/body-reader',
    'providers/openai-chat/assembler',
    'providers/anthropic/assembler',
    'providers/ollama/assembler',
    'providers/openai-responses/assembler',
    'providers/ndjson',
  );

/** Chosen: what a socket hands over at a time. */
const CHUNK_BYTES = 65_536;

/** Deltas of the smallest reply; the others have ten and a hundred times as many. */
const DELTAS = 1000;

const sse = (values) =>
  values.map((value) => `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`).join('');
const lines = (values) => values.map((value) => `${JSON.stringify(value)}\n`).join('');
const repeat = (count, value) => Array.from({ length: count }, () => value);
const words = (count) => ' token'.repeat(count);

const chat = (delta, finish_reason = null) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1_700_000_000,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason }],
});
const messageStart = {
  type: 'message_start',
  message: { id: 'msg_1', model: 'm', content: [], usage: { input_tokens: 9 } },
};
const messageEnd = [
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } },
  { type: 'message_stop' },
];
const completed = { type: 'response.completed', response: { id: 'r', status: 'completed', output: [] } };

const replies = {
  'openai text': (n) => sse([...repeat(n, chat({ content: ' token' })), chat({}, 'stop'), '[DONE]']),
  'openai arguments': (n) =>
    sse([
      chat({ tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":"' } }] }),
      ...repeat(n, chat({ tool_calls: [{ index: 0, function: { arguments: ' token' } }] })),
      chat({ tool_calls: [{ index: 0, function: { arguments: '"}' } }] }, 'tool_calls'),
    ]),
  'openai plain': (n) => JSON.stringify({ choices: [{ message: { content: words(n * 20) }, finish_reason: 'stop' }] }),
  'openai one event': (n) => sse([chat({ content: words(n * 20) }, 'stop')]),
  'responses text': (n) =>
    sse([
      ...repeat(n, {
        type: 'response.output_text.delta',
        item_id: 'msg_1',
        output_index: 0,
        content_index: 0,
        delta: ' token',
      }),
      completed,
    ]),
  'anthropic text': (n) =>
    sse([
      messageStart,
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      ...repeat(n, { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: ' token' } }),
      ...messageEnd,
    ]),
  'anthropic arguments': (n) =>
    sse([
      messageStart,
      { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'a', name: 'f', input: {} } },
      ...repeat(n, { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '1' } }),
      ...messageEnd,
    ]),
  'ollama text': (n) =>
    lines([
      ...repeat(n, {
        model: 'm',
        created_at: '2026-11-30T00:00:00Z',
        message: { role: 'assistant', content: ' token' },
        done: false,
      }),
      { model: 'm', message: { role: 'assistant', content: '' }, done: true, done_reason: 'stop' },
    ]),
};

const silent = { text() {}, reasoning() {} };
const makers = {
  openai: () => new BodyReader(new ChatAssembler(silent, 'x')),
  responses: () => new BodyReader(new ResponsesAssembler(silent, 'x')),
  anthropic: () => new BodyReader(new MessagesAssembler(silent, 'x')),
  ollama: () => new BodyReader(new OllamaAssembler(silent, 'x'), lineFraming),
};

function read(make, chunks) {
  const reader = make();
  for (const chunk of chunks) if (reader.push(chunk) !== undefined) throw new Error('The reply has a problem.');
  if (reader.end().type !== 'reply') throw new Error('The reply is none.');
}

function reply(make, text) {
  const bytes = new TextEncoder().encode(text);
  const chunks = [];
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) chunks.push(bytes.subarray(at, at + CHUNK_BYTES));
  return { work: () => read(make, chunks), units: bytes.length };
}

const rows = Object.entries(replies).map(([name, write]) => {
  const make = makers[name.split(' ', 1)[0]];
  return [name, (factor) => reply(make, write(DELTAS * factor))];
});
table('reading replies', 'MB/s', rows, (nsOfByte) => 1000 / nsOfByte);
