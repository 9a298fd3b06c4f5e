import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { tool } from '../../../src/core/define-tool.ts';
import type { Failure } from '../../../src/core/failure.ts';
import type { Tool } from '../../../src/core/tool.ts';
import type { TextCallRules } from '../../../src/loop/text-calls/read-text-calls.ts';
import { readTextCalls } from '../../../src/loop/text-calls/read-text-calls.ts';
import { httpFailure } from '../../../src/providers/errors/vendor-failure.ts';
import type { Server } from '../../../src/providers/server.ts';
import { decode, summary } from './decode.ts';
import type { WireId } from './decode.ts';

// Exchanges recorded with real servers: see their README.
const folder = new URL('../traces/', import.meta.url);

interface Trace {
  readonly status: number;
  readonly body: string;
}

function read(file: string): Trace {
  const text = readFileSync(new URL(file, folder), 'utf8');
  const answer = text.slice(text.indexOf('\n<<< ') + 5);
  const end = answer.indexOf('\n\n');
  return { status: Number(answer.split(' ', 2)[1]), body: answer.slice(end + 2) };
}

const fence = (object: string): string => `"\`\`\`json\n${object}\n\`\`\`"`;
const call = '{\n  "name": "get_weather",\n  "arguments": {\n    "city": "Paris",\n    "units": "celsius"\n  }\n}';
const ollamaCall = call.replaceAll('  ', '    ');

const replies: readonly {
  readonly file: string;
  readonly wire: WireId;
  readonly is: string;
  readonly usage: object;
}[] = [
  {
    file: 'llama-text-plain.txt',
    wire: 'openai-chat',
    is: '"Hello" stop',
    usage: { inputTokens: 35, outputTokens: 2, cachedInputTokens: 34 },
  },
  {
    file: 'llama-text-stream.txt',
    wire: 'openai-chat',
    is: '"Hello" stop',
    usage: { inputTokens: 35, outputTokens: 2, cachedInputTokens: 5 },
  },
  {
    file: 'llama-bad-role.txt',
    wire: 'openai-chat',
    is: `"I'm here to help you. How can I assist you today?" stop`,
    usage: { inputTokens: 24, outputTokens: 15 },
  },
  {
    file: 'llama-orphan-result.txt',
    wire: 'openai-chat',
    is: '"40.1" stop',
    usage: { inputTokens: 55, outputTokens: 5 },
  },
  {
    file: 'llama-tool-auto-plain.txt',
    wire: 'openai-chat',
    is: `${fence(call)} stop`,
    usage: { inputTokens: 196, outputTokens: 37 },
  },
  { file: 'llama-tool-auto-stream.txt', wire: 'openai-chat', is: `${fence(call)} stop`, usage: {} },
  {
    file: 'llama-tool-bare-plain.txt',
    wire: 'openai-chat',
    is: '"{"name": "get_weather", "arguments": {"city": "Oslo", "units": "celsius"}}\n" stop',
    usage: { inputTokens: 262, outputTokens: 25 },
  },
  {
    file: 'llama-tool-bare-stream.txt',
    wire: 'openai-chat',
    is: '"{"name": "get_weather", "arguments": {"city": "Oslo", "units": "celsius"}}\n" stop',
    usage: {},
  },
  {
    file: 'llama-tool-cut-plain.txt',
    wire: 'openai-chat',
    is: '"```json\n{\n  "name": "get_weather",\n" length',
    usage: { inputTokens: 196, outputTokens: 12 },
  },
  {
    file: 'llama-tool-cut-stream.txt',
    wire: 'openai-chat',
    is: '"```json\n{\n  "name": "get_weather",\n" length',
    usage: {},
  },
  {
    file: 'llama-tool-required-plain.txt',
    wire: 'openai-chat',
    is: `${fence(call).slice(0, -1)}${'\n'.repeat(22)}" length`,
    usage: { inputTokens: 196, outputTokens: 80 },
  },
  {
    file: 'llama-tool-required-stream.txt',
    wire: 'openai-chat',
    is: `${fence(call).slice(0, -1)}${'\n'.repeat(22)}" length`,
    usage: {},
  },
  {
    file: 'ollama-v1-text-plain.txt',
    wire: 'openai-chat',
    is: '"Hello" stop',
    usage: { inputTokens: 14, outputTokens: 2 },
  },
  {
    file: 'ollama-v1-text-stream.txt',
    wire: 'openai-chat',
    is: '"Hello" stop',
    usage: { inputTokens: 14, outputTokens: 2 },
  },
  {
    file: 'ollama-v1-tool-plain.txt',
    wire: 'openai-chat',
    is: `${fence(ollamaCall)} stop`,
    usage: { inputTokens: 155, outputTokens: 37 },
  },
  { file: 'ollama-v1-tool-stream.txt', wire: 'openai-chat', is: `${fence(ollamaCall)} stop`, usage: {} },
  {
    file: 'ollama-chat-text-plain.txt',
    wire: 'ollama',
    is: '"To count from one to twenty, you" length',
    usage: { inputTokens: 14, outputTokens: 8 },
  },
  {
    file: 'ollama-chat-text-stream.txt',
    wire: 'ollama',
    is: '"To count from one to twenty, you" length',
    usage: { inputTokens: 14, outputTokens: 8 },
  },
  {
    file: 'ollama-chat-tool-plain.txt',
    wire: 'ollama',
    is: `${fence(ollamaCall)} stop`,
    usage: { inputTokens: 155, outputTokens: 37 },
  },
  { file: 'ollama-chat-tool-stream.txt', wire: 'ollama', is: `${fence(ollamaCall)} stop`, usage: { outputTokens: 37 } },
  {
    file: 'ollama-chat-result-plain.txt',
    wire: 'ollama',
    is: '"{"name": "get_weather", "arguments": {"city":"Paris","units":"celsius"}}" stop',
    usage: { inputTokens: 202, outputTokens: 21 },
  },
];

const errors: readonly { readonly file: string; readonly wire: WireId; readonly is: Partial<Failure> }[] = [
  { file: 'llama-bad-args.txt', wire: 'openai-chat', is: { kind: 'bad-request', status: 500 } },
  { file: 'llama-bad-json.txt', wire: 'openai-chat', is: { kind: 'bad-request', status: 400 } },
  {
    file: 'llama-no-messages.txt',
    wire: 'openai-chat',
    is: { kind: 'bad-request', message: "127.0.0.1:11434 answered 400: 'messages' is required" },
  },
  {
    file: 'llama-path.txt',
    wire: 'openai-chat',
    is: { kind: 'not-found', hint: expect.stringContaining('check `baseURL`') as string },
  },
  {
    file: 'llama-too-long.txt',
    wire: 'openai-chat',
    is: { kind: 'context-overflow', tokens: { needed: 6030, limit: 4096 } },
  },
  {
    file: 'ollama-no-model.txt',
    wire: 'ollama',
    is: { kind: 'not-found', hint: 'Get the model with: ollama pull nope' },
  },
  {
    file: 'ollama-v1-no-model.txt',
    wire: 'openai-chat',
    is: { kind: 'not-found', hint: 'Get the model with: ollama pull nope' },
  },
  {
    file: 'ollama-bad-json.txt',
    wire: 'ollama',
    is: { kind: 'bad-request', message: '127.0.0.1:11434 answered 400: unexpected EOF' },
  },
  { file: 'ollama-args-as-string.txt', wire: 'ollama', is: { kind: 'bad-request', status: 400 } },
  {
    file: 'ollama-path.txt',
    wire: 'ollama',
    is: { kind: 'not-found', message: '127.0.0.1:11434 answered 404: 404 page not found' },
  },
];

const toolOf = (name: string): Tool =>
  tool({ name, description: 'A tool.', schema: z.record(z.string(), z.unknown()), effect: 'write', execute: () => '' });

function rules(isTool: (name: string) => boolean): TextCallRules {
  return {
    toolOf: (name) => (isTool(name) ? toolOf(name) : undefined),
    textCalls: 'run',
    isAnswerJson: false,
    hasCalled: false,
    isExplained: () => false,
  };
}

describe('every recorded exchange is played back', () => {
  test.each(replies)('$file', ({ file, wire, is, usage }) => {
    const { status, body } = read(file);
    expect(status).toBe(200);
    const decoded = decode(wire, body);
    expect(summary(decoded)).toBe(is);
    expect(decoded.shownText).toBe(is.slice(1, is.lastIndexOf('"')));
    expect(decoded.assembled).toMatchObject({ reply: { usage } });
  });

  test.each(errors)('$file', ({ file, wire, is }) => {
    const { status, body } = read(file);
    const server: Server = {
      providerId: wire,
      url: 'http://127.0.0.1:11434/x',
      origin: 'http://127.0.0.1:11434',
      host: '127.0.0.1:11434',
      model: 'nope',
      keyVariable: undefined,
      secrets: [],
    };
    expect(httpFailure(server, status, () => undefined, body, 0)).toMatchObject(is);
  });

  test.each(replies.filter(({ file }) => file.includes('-tool-') || file.includes('-result-')))(
    '$file: the call that the model wrote as text is understood',
    ({ file, wire }) => {
      const { assembled } = decode(wire, read(file).body);
      if (assembled.type !== 'reply') throw new Error(`No reply but ${assembled.type}`);
      const calls =
        readTextCalls(
          assembled.reply,
          rules((name) => name === 'get_weather'),
        )?.content ?? [];
      if (file.includes('-cut-')) return expect(calls).toMatchObject([{ name: 'get_weather', isComplete: false }]);
      const city = file.includes('-bare-') ? 'Oslo' : 'Paris';
      return expect(calls).toMatchObject([
        { name: 'get_weather', arguments: { value: { city, units: 'celsius' } }, isComplete: true },
      ]);
    },
  );

  test.each(replies.filter(({ file }) => !file.includes('-tool-') && !file.includes('-result-')))(
    '$file: a text that is no call stays the answer',
    ({ file, wire }) => {
      const { assembled } = decode(wire, read(file).body);
      expect(
        assembled.type === 'reply' &&
          readTextCalls(
            assembled.reply,
            rules(() => true),
          ),
      ).toBe(undefined);
    },
  );

  test('and none is left out', () => {
    const played = [...replies, ...errors].map(({ file }) => file).sort();
    expect(
      readdirSync(folder)
        .filter((file) => file.endsWith('.txt'))
        .sort(),
    ).toEqual(played);
  });
});
