import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, createGzip, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Provider, ProviderEvent } from '../../../src/core/provider.ts';
import type { FetchResponse } from '../../../src/providers/fetch-transport.ts';
import { nodeTransport } from '../../../src/providers/node-transport.ts';
import { openai } from '../../../src/providers/openai-chat/index.ts';
import { sse } from './decode.ts';
import { eventsOf, exchange, failureOf, question, replyOf, shownText } from './question.ts';
import { startRawServer } from './raw-server.ts';

const delta = (content: string): object => ({ choices: [{ index: 0, delta: { content } }] });
const end = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
const good = sse(delta('Hello '), delta('there.'), end, '[DONE]');
const plain = JSON.stringify({ choices: [{ message: { content: 'Hello there.' }, finish_reason: 'stop' }] });

/** Both ways to the network. */
const ways: readonly { readonly way: string; readonly ask: (origin: string) => Provider }[] = [
  { way: 'node:http', ask: (origin) => openai({ model: 'm', baseURL: `${origin}/v1` }) },
  {
    way: 'fetch',
    ask: (origin) => openai({ model: 'm', baseURL: `${origin}/v1`, fetch: (url, init) => fetch(url, init) }),
  },
];

describe.each(ways)('over $way', ({ way, ask }) => {
  test('a stream is read', async () => {
    await using server = await startRawServer((response) => response.end(good));
    const events = await eventsOf(ask(server.origin));
    expect(shownText(events)).toBe('Hello there.');
    expect(events.at(-1)).toMatchObject({
      type: 'reply',
      reply: { content: [{ type: 'text', text: 'Hello there.' }] },
    });
    expect(server.headers[0]).toMatchObject({
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(server.bodies[0] ?? '')),
    });
  });

  test('the connection is used again', async () => {
    await using server = await startRawServer((response) => response.end(good));
    const provider = ask(server.origin);
    for (let turn = 0; turn < 3; turn++) await replyOf(provider);
    // `fetch` keeps pools of its own and may open one more.
    expect(server.connections).toBeLessThan(3);
  });

  test.each([
    { name: 'gzip', encoding: 'gzip', body: gzipSync(plain) },
    { name: 'Brotli', encoding: 'br', body: brotliCompressSync(plain) },
    { name: 'deflate', encoding: 'deflate', body: deflateSync(plain) },
    { name: 'deflate without its header', encoding: 'deflate', body: deflateRawSync(plain) },
  ])('a body in $name is read', async ({ encoding, body }) => {
    await using server = await startRawServer((response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end(body),
    );
    expect(await replyOf(ask(server.origin))).toMatchObject({ content: [{ text: 'Hello there.' }] });
  });

  test('a gzip stream is read as it comes', async () => {
    let more = (): void => {};
    await using server = await startRawServer((response) => {
      const zip = createGzip();
      zip.pipe(response.writeHead(200, { 'content-encoding': 'gzip' }));
      zip.write(sse(delta('Hello ')));
      zip.flush(() => {
        more = () => zip.end(sse(delta('there.'), end));
      });
    });
    const seen: string[] = [];
    for await (const event of ask(server.origin).stream(question(), { signal: new AbortController().signal })) {
      if (event.type === 'text-delta') seen.push(event.text);
      if (seen.length === 1 && event.type === 'text-delta') more();
    }
    expect(seen).toEqual(['Hello ', 'there.']);
  });

  test('a gzip body that breaks off is a failure', async () => {
    const whole = gzipSync(plain);
    await using server = await startRawServer((response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(whole.subarray(0, whole.length - 12)),
    );
    // Node's `fetch` takes a cut compression for its end; then what it gave is no whole JSON.
    expect(await failureOf(ask(server.origin))).toMatchObject({
      kind: way === 'node:http' ? 'network' : 'malformed-reply',
    });
  });

  test('a body shorter than its length is a failure of the network', async () => {
    await using server = await startRawServer((response, _index, socket) => {
      response.writeHead(200, { 'content-length': plain.length }).write(plain.slice(0, 20));
      setImmediate(() => socket.end());
    });
    expect(await failureOf(ask(server.origin))).toMatchObject({ kind: 'network' });
  });

  test('an unfinished chunked body is a failure of the network, though all that came was good', async () => {
    await using server = await startRawServer((response, _index, socket) => {
      response.write(sse(delta('Hello ')));
      setImmediate(() => socket.end());
    });
    const failure = await failureOf(ask(server.origin));
    expect(failure).toMatchObject({ kind: 'network' });
    expect(failure.message).toContain('broke off in the middle of the reply');
  });

  test('a reset after the last word of a reply does not take it back', async () => {
    await using server = await startRawServer((response, _index, socket) => {
      response.write(sse(delta('Hello there.'), end), () => setImmediate(() => socket.resetAndDestroy()));
    });
    expect(await replyOf(ask(server.origin))).toMatchObject({
      content: [{ text: 'Hello there.' }],
      finishReason: 'stop',
    });
  });

  test('a reset before any answer is a failure of the network', async () => {
    await using server = await startRawServer((_response, _index, socket) => socket.resetAndDestroy());
    expect(await failureOf(ask(server.origin))).toMatchObject({ kind: 'network' });
  });

  test('a refused connection says so', async () => {
    const origin = await closedPort();
    expect(await failureOf(ask(origin))).toMatchObject({
      kind: 'network',
      vendorCode: 'ECONNREFUSED',
      hint: `Is the server running at ${origin}?`,
    });
  });

  test('a server that resets after an error status has still answered', async () => {
    await using server = await startRawServer((response, _index, socket) => {
      response
        .writeHead(503, { 'content-length': 500 })
        .write('{"error":{"mess', () => setImmediate(() => socket.resetAndDestroy()));
    });
    expect(await failureOf(ask(server.origin))).toMatchObject({ kind: 'overloaded', status: 503 });
  });

  test('a redirect is not followed', async () => {
    await using server = await startRawServer((response) =>
      response.writeHead(307, { location: 'http://127.0.0.1:1/elsewhere' }).end(),
    );
    expect(await failureOf(ask(server.origin))).toMatchObject({
      kind: 'bad-request',
      status: 307,
      hint: expect.stringContaining('baseURL') as string,
    });
    expect(server.bodies).toHaveLength(1);
  });

  test('an abort before the headers frees the connection and ends the events', async () => {
    await using server = await startRawServer(() => controller.abort());
    const controller = new AbortController();
    expect(await eventsOf(ask(server.origin), question(), controller.signal)).toEqual([]);
    await until(() => server.left === 1);
  });

  test('an abort in the middle frees the connection and ends the events', async () => {
    await using server = await startRawServer((response) => response.write(sse(delta('Hello '))));
    const controller = new AbortController();
    const events: ProviderEvent[] = [];
    for await (const event of ask(server.origin).stream(question(), { signal: controller.signal })) {
      events.push(event);
      if (event.type === 'text-delta') controller.abort();
    }
    expect(events.map(({ type }) => type)).toEqual(['progress', 'text-delta']);
    await until(() => server.left === 1);
  });

  test('a consumer that leaves frees the connection', async () => {
    await using server = await startRawServer((response) => response.write(sse(delta('Hello '))));
    for await (const event of ask(server.origin).stream(question(), { signal: new AbortController().signal }))
      if (event.type === 'text-delta') break;
    await until(() => server.left === 1);
  });

  test('a signal that is already aborted sends nothing', async () => {
    await using server = await startRawServer((response) => response.end(good));
    expect(await eventsOf(ask(server.origin), question(), AbortSignal.abort())).toEqual([]);
    expect(server.connections).toBe(0);
  });

  test('no listener stays on the signal', async () => {
    await using server = await startRawServer((response) => response.end(good));
    const counter = countingSignal();
    await eventsOf(ask(server.origin), question(), counter.signal);
    expect(counter.listeners()).toBe(0);
  });

  test('a stream that never closes after [DONE] is a reply all the same, and its connection is given up', async () => {
    await using server = await startRawServer((response) => response.write(good));
    expect(await replyOf(ask(server.origin))).toMatchObject({ finishReason: 'stop' });
    await until(() => server.left === 1);
  });

  test('a consumer that is slow holds the server back, and gets everything', async () => {
    const line = sse(delta('x'.repeat(64_000)));
    const count = 400;
    let written = 0;
    await using server = await startRawServer((response) => {
      const write = (): void => {
        while (written < count) {
          written++;
          if (!response.write(line)) {
            response.once('drain', write);
            return;
          }
        }
        response.end(sse(end));
      };
      write();
    });
    const iterator = ask(server.origin)
      .stream(question(), { signal: new AbortController().signal })
      [Symbol.asyncIterator]();
    await iterator.next();
    // Until nothing has moved for many turns of the event loop.
    for (let still = 0, before = -1; still < 2000; still++) {
      if (before !== written) still = 0;
      before = written;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(written).toBeLessThan(count);
    let length = 0;
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next())
      if (next.value.type === 'text-delta') length += next.value.text.length;
    expect(length).toBe(64_000 * count);
  });
});

describe('over node:http', () => {
  const ask = (origin: string): Provider => openai({ model: 'm', baseURL: `${origin}/v1` });

  test('the connection is used again', async () => {
    await using server = await startRawServer((response) => response.end(good));
    const provider = ask(server.origin);
    for (let turn = 0; turn < 5; turn++) await replyOf(provider);
    expect(server.connections).toBe(1);
  });

  test('a kept connection that the server has closed meanwhile is a failure of the network, or a new connection', async () => {
    await using server = await startRawServer((response, index, socket) => {
      if (index === 0) response.end(good, () => setImmediate(() => socket.destroy()));
      else response.end(good);
    });
    const provider = ask(server.origin);
    await replyOf(provider);
    const last = (await eventsOf(provider)).at(-1);
    expect(last?.type === 'reply' || (last?.type === 'failure' && last.failure.kind === 'network')).toBe(true);
    expect(await replyOf(provider)).toMatchObject({ finishReason: 'stop' });
  });

  test.each([
    { name: 'plain', headers: {}, body: Buffer.alloc(16_000_000, 'x') },
    // Not made smaller, so that as much is on its way.
    {
      name: 'gzip',
      headers: { 'content-encoding': 'gzip' },
      body: gzipSync(Buffer.alloc(16_000_000, 'x'), { level: 0 }),
    },
  ])('a $name body that is paused stands still, and goes on', async ({ headers, body }) => {
    await using server = await startRawServer((response) => response.writeHead(200, headers).end(body));
    let length = 0;
    await new Promise<void>((resolve, reject) => {
      const request = { url: server.origin, headers: {}, body: new Uint8Array() };
      const running = nodeTransport(request, {
        onHead: () => {},
        onChunk: (bytes) => {
          if (length === 0) goOnLater().catch(reject);
          length += bytes.length;
        },
        onEnd: resolve,
        onError: ({ message }) => reject(new Error(message)),
      });
      const goOnLater = async (): Promise<void> => {
        running.pause();
        for (let still = 0, before = -1; still < 2000; still++) {
          if (before !== length) still = 0;
          before = length;
          await new Promise((next) => setImmediate(next));
        }
        expect(length).toBeLessThan(1_000_000);
        running.resume();
      };
    });
    expect(length).toBe(16_000_000);
  });

  test('a server that does not speak HTTP is a failure of the network', async () => {
    const server = createServer((socket) => socket.end('SSH-2.0-OpenSSH\r\n'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(await failureOf(ask(origin))).toMatchObject({
      kind: 'network',
      vendorCode: expect.stringContaining('HPE_') as string,
    });
    server.close();
  });

  test('TLS to a server without it is not tried again', async () => {
    await using server = await startRawServer((response) => response.end(good));
    const failure = await failureOf(ask(server.origin.replace('http:', 'https:')));
    expect(failure).toMatchObject({
      kind: 'network',
      remedy: 'never',
      hint: expect.stringContaining('http://') as string,
    });
    // OpenSSL's own words are a line of its source, with a line break.
    expect(failure.message).toMatch(/^127\.0\.0\.1:\d+ could not be reached \(EPROTO: [a-z ]+\)\.$/);
  });

  test('an encoding that was not asked for is not tried again', async () => {
    await using server = await startRawServer((response) =>
      response.writeHead(200, { 'content-encoding': 'zstd' }).end('xx'),
    );
    expect(await failureOf(ask(server.origin))).toMatchObject({
      kind: 'network',
      remedy: 'never',
      vendorCode: 'UNKNOWN_ENCODING',
    });
  });

  test('twenty questions at once are answered', async () => {
    await using server = await startRawServer((response) => response.end(good));
    const provider = ask(server.origin);
    const replies = await Promise.all(
      Array.from({ length: 20 }, () =>
        replyOf(provider, question({ messages: [...question().messages, ...exchange('a', 'x')] })),
      ),
    );
    expect(replies).toHaveLength(20);
  });
});

describe('over a fetch of the caller', () => {
  const answer = (body: string | null, status = 200): FetchResponse => ({
    status,
    headers: new Headers(),
    body: body === null ? null : new Response(body).body,
  });
  const ask = (fetch: () => Promise<FetchResponse>): Provider =>
    openai({ model: 'm', fetch, apiKey: 'sk-not-a-real-key' });

  test('it is called once, with everything', async () => {
    const seen: unknown[] = [];
    const provider = openai({
      model: 'm',
      apiKey: 'sk-not-a-real-key',
      fetch: (url, init) => {
        seen.push(
          url,
          init.method,
          init.headers['authorization'],
          init.redirect,
          JSON.parse(new TextDecoder().decode(init.body)).model,
        );
        return Promise.resolve(answer(good));
      },
    });
    await replyOf(provider);
    expect(seen).toEqual([
      'https://api.openai.com/v1/chat/completions',
      'POST',
      'Bearer sk-not-a-real-key',
      'manual',
      'm',
    ]);
  });

  test.each([
    {
      name: 'rejects',
      fetch: () =>
        Promise.reject(Object.assign(new TypeError('fetch failed'), { cause: { code: 'EAI_AGAIN', message: 'x' } })),
      is: { kind: 'network', vendorCode: 'EAI_AGAIN' },
    },
    {
      name: 'rejects with a text',
      fetch: () => Promise.reject('no'),
      is: { kind: 'network', vendorCode: 'FETCH_FAILED' },
    },
    {
      name: 'throws',
      fetch: () => {
        throw new Error('no');
      },
      is: { kind: 'network', vendorCode: 'FETCH_FAILED' },
    },
    { name: 'gives no body', fetch: () => Promise.resolve(answer(null)), is: { kind: 'malformed-reply' } },
  ])('one that $name is a failure', async ({ fetch, is }) => {
    expect(await failureOf(ask(fetch))).toMatchObject(is);
  });
});

/** The address of a port that nobody listens on. */
async function closedPort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

/** Waits for something that happens on the other side of a socket. */
async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}

function countingSignal(): { readonly signal: AbortSignal; readonly listeners: () => number } {
  const { signal } = new AbortController();
  let count = 0;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...args: Parameters<typeof add>): void => {
    count++;
    add(...args);
  };
  signal.removeEventListener = (...args: Parameters<typeof remove>): void => {
    count--;
    remove(...args);
  };
  return { signal, listeners: () => count };
}

test.each([
  { name: 'nothing', reason: undefined, words: 'fetch gave no reason' },
  { name: 'null', reason: null, words: 'fetch gave no reason' },
  { name: 'a text', reason: 'offline', words: 'offline' },
  { name: 'an error with an odd cause', reason: new Error('offline', { cause: null }), words: 'offline' },
])('a fetch of the user that rejects with $name is a failure of the network', async ({ reason, words }) => {
  const provider = openai({ model: 'm', baseURL: 'http://127.0.0.1:9/v1', fetch: () => Promise.reject(reason) });
  expect(await failureOf(provider)).toMatchObject({ kind: 'network', message: expect.stringContaining(words) });
});

test.each([
  {
    name: 'with the headers of an upgrade',
    answer: 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n',
  },
  { name: 'without them', answer: 'HTTP/1.1 101 Switching Protocols\r\n\r\n' },
  {
    name: 'behind an early hint',
    answer: 'HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 101 X\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n',
  },
])('an answer 101 ends the request at once, $name', async ({ answer }) => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.write(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    const failure = await failureOf(openai({ model: 'm', baseURL: `http://127.0.0.1:${port}/v1` }));
    expect(failure).toMatchObject({ kind: 'bad-request', status: 101 });
  } finally {
    server.close();
  }
});
