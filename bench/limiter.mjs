// 200 parallel runs share one limiter against a server that bears five requests in any second and answers 429 with
// "Retry-After: 1" beyond. Shows that all finish, that the server is not overrun once its pace is known, and that
// nobody waits much longer than the others. Usage: node bench/limiter.mjs [configured|learned] (both by default)
import { createServer } from 'node:http';
import { createAgent, createLimiter, openai } from '../dist/index.js';

const RUNS = 200;
const PER_SECOND = 5;

/** Counts in a sliding window: the strictest of the usual ways. */
function startServer() {
  const accepted = [];
  const refusals = [];
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      const now = performance.now();
      while (accepted.length > 0 && now - accepted[0] >= 1000) accepted.shift();
      if (accepted.length >= PER_SECOND) {
        refusals.push(now);
        response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '1' });
        return response.end(JSON.stringify({ error: { message: 'Too many requests.', type: 'rate_limit_error' } }));
      }
      accepted.push(now);
      response.writeHead(200, { 'content-type': 'application/json' });
      const message = { role: 'assistant', content: 'Done.' };
      const usage = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 };
      return response.end(
        JSON.stringify({
          id: 'r',
          object: 'chat.completion',
          model: 'demo',
          choices: [{ index: 0, message, finish_reason: 'stop' }],
          usage,
        }),
      );
    });
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () =>
      resolve({ server, refusals, baseURL: `http://127.0.0.1:${server.address().port}/v1` }),
    );
  });
}

async function measure(name, limiter) {
  const { server, refusals, baseURL } = await startServer();
  const provider = openai({ model: 'demo', baseURL, stream: false });
  const started = performance.now();
  const waits = await Promise.all(
    Array.from({ length: RUNS }, async () => {
      const agent = createAgent({ provider, limiter });
      const { status } = await agent.stream('Say that you are done.').result;
      return { status, waitedMs: performance.now() - started };
    }),
  );
  server.close();
  server.closeAllConnections();
  const times = waits.map(({ waitedMs }) => waitedMs).sort((a, b) => a - b);
  const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;
  const slowest = times.at(-1);
  const median = times[Math.floor(times.length / 2)];
  console.log(`${name}`);
  console.log(`  finished              ${waits.filter(({ status }) => status === 'completed').length} of ${RUNS}`);
  console.log(
    `  refusals (429)        ${refusals.length}, after the first second ${refusals.filter((at) => at - started > 1000).length}`,
  );
  console.log(
    `  median, slowest wait  ${seconds(median)}, ${seconds(slowest)} (ratio ${(slowest / median).toFixed(2)})`,
  );
}

const wanted = process.argv[2];
if (wanted !== 'learned')
  await measure(
    `configured: ${PER_SECOND * 60} requests per minute`,
    createLimiter({ requestsPerMinute: PER_SECOND * 60 }),
  );
if (wanted !== 'configured') await measure('learned: the limiter knows nothing beforehand', createLimiter());
