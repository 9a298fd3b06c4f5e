import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { ProviderEvent } from '../../../src/index.ts';
import { openai } from '../../../src/index.ts';
import { nodeTransport } from '../../../src/providers/node-transport.ts';

const EVENTS = 300;
const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const event = (delta: object, reason: string | null = null): string =>
  chunk(`data: ${JSON.stringify({ choices: [{ delta, finish_reason: reason }] })}\n\n`);
const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';
const deltas = Array.from({ length: EVENTS }, (_, index) => event({ content: `${index} ` })).join('');
const wholeText = Array.from({ length: EVENTS }, (_, index) => `${index} `).join('');

/** The address of a server that answers the first question with one write, and then does `after`. */
async function serve(answer: string, after: (socket: Socket) => void = () => {}): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.write(answer, () => after(socket)));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

async function ask(baseURL: string): Promise<ProviderEvent[]> {
  const events: ProviderEvent[] = [];
  const request = {
    system: undefined,
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Count.' }] }],
    tools: [],
    toolChoice: 'auto',
  } as const;
  const provider = openai({ model: 'demo', baseURL });
  for await (const told of provider.stream(request, { signal: new AbortController().signal })) events.push(told);
  return events;
}

const textOfEvents = (events: readonly ProviderEvent[]): string =>
  events.map((told) => (told.type === 'text-delta' ? told.text : '')).join('');

const WHOLE = `${HEAD}${deltas}${event({}, 'stop')}${chunk('data: [DONE]\n\n')}0\r\n\r\n`;

describe('chunks of HTTP that come in one read of the socket', () => {
  test('are told together', async () => {
    const url = await serve(WHOLE);
    const calls: string[] = [];
    await new Promise<void>((resolve, reject) => {
      nodeTransport(
        { url, headers: {}, body: new Uint8Array() },
        {
          onHead: () => calls.push('head'),
          onChunk: () => calls.push('chunk'),
          onEnd: resolve,
          onError: ({ message }) => reject(new Error(message)),
        },
      );
    });
    expect(calls[0]).toBe('head');
    expect(calls.length).toBeLessThan(EVENTS / 10);
  });

  test('are told before the end', async () => {
    const events = await ask(await serve(WHOLE));
    expect(textOfEvents(events)).toBe(wholeText);
    expect(events.at(-1)).toMatchObject({ type: 'reply', reply: { content: [{ type: 'text', text: wholeText }] } });
  });

  test('are told before the failure of a connection that breaks behind them', async () => {
    const events = await ask(await serve(HEAD + deltas, (socket) => socket.end()));
    expect(textOfEvents(events)).toBe(wholeText);
    expect(events.at(-1)).toMatchObject({ type: 'failure', failure: { kind: 'network' } });
  });
});
