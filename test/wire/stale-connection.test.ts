import type { Socket } from 'node:net';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createAgent, openai } from '../../src/index.ts';
import { weather } from './run-on-wire.ts';

const reply = (message: object, finish: string): string => {
  const body = JSON.stringify({ choices: [{ index: 0, message, finish_reason: finish }] });
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
};
const callFor = (city: string): object => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id: city, type: 'function', function: { name: 'get_weather', arguments: JSON.stringify({ city }) } }],
});

test('a server that closes kept connections costs one attempt in a run, and no wait', async () => {
  let connections = 0;
  const sockets = new Set<Socket>();
  // Keeps the connection open after its first answer, and resets it when the next request comes over it.
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    let requests = 0;
    socket.on('error', () => {});
    socket.on('data', () => {
      requests += 1;
      if (requests > 1) socket.resetAndDestroy();
      else
        socket.write(
          connections < 4
            ? reply(callFor(`City ${connections}`), 'tool_calls')
            : reply({ role: 'assistant', content: 'It is mild.' }, 'stop'),
        );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const agent = createAgent({
      provider: openai({ model: 'demo', baseURL: `http://127.0.0.1:${port}/v1`, stream: false }),
      tools: [weather],
    });
    const delays: number[] = [];
    agent.on('retry', ({ delayMs }) => delays.push(delayMs));
    const { text, failures } = await agent.run('What is the weather in Rome?');
    expect(text).toBe('It is mild.');
    expect(failures).toMatchObject([{ kind: 'network', remedy: 'at-once' }]);
    expect(delays).toEqual([0]);
    expect(connections).toBe(4);
  } finally {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
});
