// Real gateways between an agent and the loopback server. Usage:
//   node bench/gateways/run.mjs [litellm|portkey ...] [--case=WORD] [--dir=FOLDER] [--verbose]
// Prints gateway x wire x case, plain/streamed. "ok": the verdict is right. "gw": it is wrong, and the gateway's answer
// does not hold what would make it right. "WRONG": ours to put right. Not part of CI: it installs from the registries.
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { anthropic, createAgent, openai, openaiResponses, tool } from '../../dist/index.js';
import { startLoopbackServer } from '../../dist/testing/index.js';
import { cases } from './cases.mjs';
import { GATEWAY_KEY, gateways, startGateway } from './gateways.mjs';

const options = process.argv.slice(2);
const valueOf = (name) => options.find((option) => option.startsWith(`--${name}=`))?.slice(name.length + 3);
const dir = valueOf('dir') ?? join(tmpdir(), 'oilcan-gateways');
const isVerbose = options.includes('--verbose');
const chosen = options.filter((option) => !option.startsWith('--'));

const providers = {
  openai: (origin, rest) => openai({ ...rest, baseURL: `${origin}/v1` }),
  'openai-responses': (origin, rest) => openaiResponses({ ...rest, baseURL: `${origin}/v1` }),
  anthropic: (origin, rest) => anthropic({ ...rest, baseURL: origin }),
};

/** `fetch` that keeps what the gateway answered, also the part of a body that broke off. */
function recordingFetch(answers) {
  return async (url, init) => {
    const response = await fetch(url, init);
    const answer = {
      head: `${response.status}\n${[...response.headers].map((pair) => pair.join(': ')).join('\n')}`,
      body: '',
    };
    answers.push(answer);
    const decoder = new TextDecoder();
    const kept = response.body?.pipeThrough(
      new TransformStream({
        transform(chunk, controller) {
          answer.body += decoder.decode(chunk, { stream: true });
          controller.enqueue(chunk);
        },
      }),
    );
    return new Response(kept, { status: response.status, headers: response.headers });
  };
}

/** One run of an agent through a gateway: what came of it, and the verdict. */
async function runCase(gateway, origin, behind, { wire, vendor, model, headers }, testCase, stream) {
  const answers = [];
  const looked = [];
  const delays = [];
  behind.steps = testCase.steps(vendor);
  const before = behind.server.requests.length;
  const agent = createAgent({
    provider: providers[wire](origin, {
      model: testCase.model ?? model,
      apiKey: testCase.apiKey ?? GATEWAY_KEY,
      headers: { ...headers, ...gateway.headers?.(vendor, behind.server.origin) },
      stream,
      // Anthropic needs it, and not every gateway puts it in.
      maxOutputTokens: 1000,
      fetch: recordingFetch(answers),
    }),
    system: 'Be brief.',
    tools: [
      tool({
        name: 'look',
        description: 'Looks at something.',
        effect: 'read',
        schema: z.strictObject({ at: z.string() }),
        execute: ({ at }) => {
          looked.push(at);
          return 'Rust.';
        },
      }),
    ],
    retry: { maxAttempts: 3, baseDelayMs: 50 },
    deadlines: { totalMs: 60_000 },
  });
  const handle = agent.stream('What about the door?');
  for await (const event of handle) if (event.type === 'retry') delays.push(event.delayMs);
  const result = await handle.result;
  const upstream = behind.server.requests.slice(before);
  const raw = answers.map(({ head, body }) => `${head}\n\n${body}`).join('\n\n');
  const seen = { result, upstream, answers, raw, looked, delays };
  const verdict = testCase.isRight(seen) ? 'ok' : testCase.survives(seen) ? 'WRONG' : 'gw';
  const refused = upstream.map(({ violation }) => violation).filter(Boolean);
  const kind =
    result.status === 'completed' ? JSON.stringify(result.text) : (result.failure?.kind ?? result.stopReason);
  const note = `${result.status} ${kind}; ${upstream.length} requests; waits ${delays.join(', ') || 'none'}${refused.length > 0 ? `; the strict server refused: ${refused[0]}` : ''}`;
  return { verdict, note, raw };
}

mkdirSync(dir, { recursive: true });
let wrong = 0;
for (const name of chosen.length > 0 ? chosen : Object.keys(gateways)) {
  const gateway = gateways[name];
  if (gateway === undefined) throw new Error(`There is no gateway "${name}": ${Object.keys(gateways).join(', ')}.`);
  gateway.install(dir);
  const behind = { steps: [], server: undefined };
  behind.server = await startLoopbackServer({
    script: () => behind.steps.shift() ?? { status: 418, message: 'The script ran out.' },
  });
  let started;
  try {
    started = await startGateway(gateway, dir, behind.server.origin);
    console.log(`\n## ${gateway.title}\n`);
    const rows = cases.filter(
      (testCase) => (gateway.hasModels || !testCase.needsModels) && testCase.name.includes(valueOf('case') ?? ''),
    );
    const titles = gateway.routes.map(({ wire, vendor }) => `${wire} -> ${vendor}`);
    console.log(`| case | ${titles.join(' | ')} |\n| --- |${titles.map(() => ' --- |').join('')}`);
    const notes = [];
    for (const testCase of rows) {
      const cells = [];
      for (const [index, route] of gateway.routes.entries()) {
        const verdicts = [];
        for (const mode of testCase.modes ?? ['plain', 'stream']) {
          const { verdict, note, raw } = await runCase(
            gateway,
            started.origin,
            behind,
            route,
            testCase,
            mode === 'stream',
          );
          verdicts.push(verdict);
          if (verdict === 'WRONG') wrong += 1;
          if (verdict !== 'ok') {
            notes.push(`- ${testCase.name}, ${titles[index]}, ${mode}: ${verdict}: ${note}`);
            if (isVerbose) notes.push(`      ${raw.slice(0, 3000).replaceAll('\n', '\n      ')}`);
          }
        }
        cells.push(verdicts.join(' / '));
      }
      console.log(`| ${testCase.name} | ${cells.join(' | ')} |`);
    }
    if (notes.length > 0) console.log(`\n${notes.join('\n')}`);
    if (isVerbose) console.log(`\nThe gateway printed:\n${started.printed().slice(-5000)}`);
  } finally {
    await started?.close();
    await behind.server.close();
  }
}
console.log(
  wrong === 0 ? '\nEvery verdict is right, or was destroyed by the gateway.' : `\n${wrong} verdicts are wrong.`,
);
process.exitCode = wrong === 0 ? 0 : 1;
