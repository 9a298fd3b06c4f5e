// What a real small model makes of three questions, of slips, and of the temple, over any wire. Not part of CI.
//
//     node bench/real-model.mjs questions --provider openai --base-url http://127.0.0.1:8091/v1 --model m [--runs 10] [--question 2]
//     node bench/real-model.mjs slips     --provider ollama --base-url http://127.0.0.1:11434 --model qwen [--slips rewind]
//     node bench/real-model.mjs temple    --provider ollama --base-url http://127.0.0.1:11434 --model qwen [--runs 5]
//
// `--finish` gives a run that reaches a limit one last turn without tools (`onLimit`). `slips` takes its cases from the shared recovery bench, ten of each set, and reads calls as they come over our own
// wires: nothing stands between the agent and the server. `--shared DIR` names the folder (../shared).
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { createAgent, ollama, openai, tool } from 'oilcan';
import { demoStories } from 'oilcan/testing';

const root = fileURLToPath(new URL('..', import.meta.url));
const text = { type: 'string' };
const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    provider: text,
    'base-url': text,
    model: text,
    runs: text,
    slips: text,
    shared: text,
    plain: { type: 'boolean' },
    finish: { type: 'boolean' },
    question: text,
  },
});
const policy = flags.slips ?? 'rewind';
const print = (line) => process.stdout.write(`${line}\n`);

function provider(temperature, maxOutputTokens) {
  const options = {
    model: flags.model ?? 'm',
    baseURL: flags['base-url'],
    stream: flags.plain !== true,
    temperature,
    maxOutputTokens,
  };
  return flags.provider === 'ollama' ? ollama(options) : openai(options);
}

/** Runs to the end and says how: completed, or why not. */
async function play(agent, question) {
  let calls = 0;
  let requests = 0;
  agent.on('tool-start', () => (calls += 1));
  agent.on('attempt-start', () => (requests += 1));
  const started = performance.now();
  const result = await agent.stream(question).result;
  const seconds = Math.round((performance.now() - started) / 100) / 10;
  const end =
    result.status === 'stopped'
      ? `stopped ${result.stopReason}`
      : result.status === 'failed'
        ? `failed ${result.failure.kind}`
        : result.status;
  return { end, calls, requests, seconds, text: result.text ?? result.partialText };
}

async function questions() {
  spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', join(root, 'examples')], {
    stdio: 'inherit',
  });
  const { cityTools, realSurroundings } = await import(
    pathToFileURL(join(root, 'examples/.build/cities/tools.js')).href
  );
  const tokyo = () =>
    new Intl.DateTimeFormat('en-GB', { timeZone: 'Asia/Tokyo', hour: '2-digit', minute: '2-digit' }).format(new Date());
  const asked = [
    {
      question: 'What is the weather in London?',
      isRight: (answer, told) =>
        told.some((line) => /°C/.test(line) && answer.includes(/-?\d+/.exec(line)?.[0] ?? '?')),
    },
    {
      question: 'How much is 50 GBP in JPY?',
      isRight: (answer, told) =>
        told.some((line) => /JPY/.test(line)) &&
        told.some((line) => figures(line).some((figure) => figure > 1000 && figures(answer).includes(figure))),
    },
    {
      question: 'What time is it in Tokyo?',
      isRight: (answer) =>
        [0, 1, 2].some(
          (back) =>
            answer.includes(minutesBefore(tokyo(), back)) || answer.includes(twelveHours(minutesBefore(tokyo(), back))),
        ),
    },
  ];
  const chosen = flags.question === undefined ? asked : asked.slice(Number(flags.question) - 1, Number(flags.question));
  for (const { question, isRight } of chosen) {
    const tally = {};
    let right = 0;
    let withoutCall = 0;
    let seconds = 0;
    for (let run = 0; run < Number(flags.runs ?? 10); run += 1) {
      const told = [];
      const agent = createAgent({
        provider: provider(0.7, 256),
        tools: cityTools(realSurroundings),
        slips: policy,
        maxTurns: 6,
        onLimit: flags.finish === true ? 'finish' : 'stop',
        system: 'Answer with the tools.',
      });
      agent.on('tool-end', ({ output }) => told.push(output));
      const played = await play(agent, question);
      tally[played.end] = (tally[played.end] ?? 0) + 1;
      seconds += played.seconds;
      if (played.end === 'completed' && isRight(played.text, told)) right += 1;
      if (played.end === 'completed' && played.calls === 0) withoutCall += 1;
      print(
        `  ${played.end}, ${played.calls} calls, ${played.requests} requests, ${played.seconds} s: ${played.text.replace(/\s+/g, ' ').slice(0, 110)}`,
      );
    }
    print(
      `${question} right ${right}; completed without a call ${withoutCall}; ${JSON.stringify(tally)}; ${Math.round(seconds)} s`,
    );
  }
}

const figures = (line) =>
  (line.match(/\d[\d,]*(?:\.\d+)?/g) ?? []).map((figure) => Math.round(Number(figure.replaceAll(',', ''))));
const minutesBefore = (time, minutes) => {
  const [hour, minute] = time.split(':').map(Number);
  const total = (hour * 60 + minute - minutes + 1440) % 1440;
  return `${String(Math.floor(total / 60)).padStart(2, '0')}:${String(total % 60).padStart(2, '0')}`;
};
const twelveHours = (time) => {
  const [hour, minute] = time.split(':').map(Number);
  return `${hour % 12 || 12}:${String(minute).padStart(2, '0')}`;
};

/** The provider with its first reply put into the model's mouth. */
function withSlip(real, { tool: name, slip }) {
  let isFirst = true;
  return {
    ...real,
    async *stream(request, context) {
      if (!isFirst || slip === undefined) return yield* real.stream(request, context);
      isFirst = false;
      const call = { type: 'tool-call', id: 'call_1', name, arguments: { value: slip }, isComplete: true };
      yield {
        type: 'reply',
        reply: { content: [call], finishReason: 'tool-calls', rawFinishReason: 'tool_calls', usage: {} },
      };
    },
  };
}

async function slips() {
  const shared = flags.shared ?? join(root, '..', 'shared');
  const { forced } = await import(pathToFileURL(join(shared, 'recoverybench/forced.mjs')).href);
  const { natural } = await import(pathToFileURL(join(shared, 'recoverybench/natural.mjs')).href);
  for (const [set, cases] of Object.entries({ forced, natural })) {
    const sample = cases.filter((_one, index) => index % Math.floor(cases.length / 10) === 0).slice(0, 10);
    const counts = { right: 0, wrong: 0, never: 0 };
    for (const one of sample) {
      let verdict = 'never';
      let turns = 0;
      const tools = one.tools.map((declared) =>
        tool({
          ...declared,
          execute: (input) => {
            if (verdict === 'never') verdict = declared.name === one.next && one.ok(input) ? 'right' : 'wrong';
            handle.abort();
            return 'Done.';
          },
        }),
      );
      const agent = createAgent({
        provider: withSlip(provider(0, 160), one),
        tools,
        slips: policy,
        maxTurns: 4,
        system: 'You are a helpful assistant. Use the tools.',
      });
      agent.on('turn-start', ({ turn }) => {
        turns = turn;
      });
      const handle = agent.stream(one.ask);
      await handle.result;
      counts[verdict] += 1;
      print(`  ${set} ${one.id}: ${verdict} in turn ${String(turns)}`);
    }
    print(
      `${set}, ${String(policy)}: right ${counts.right} of ${sample.length}, valid but wrong ${counts.wrong}, never ${counts.never}`,
    );
  }
}

async function temple() {
  const story = demoStories.temple();
  for (let run = 0; run < Number(flags.runs ?? 5); run += 1) {
    const { question, system, tools } = run === 0 ? story : demoStories.temple();
    const played = await play(createAgent({ provider: provider(0.7, 256), tools, system, slips: policy }), question);
    print(
      `  ${played.end} after ${played.requests} requests and ${played.calls} calls, ${played.seconds} s: ${played.text.replace(/\s+/g, ' ').slice(0, 110)}`,
    );
  }
}

const tasks = { questions, slips, temple };
const task = tasks[positionals[0] ?? ''];
if (task === undefined) {
  process.stderr.write(
    `Expected one of ${Object.keys(tasks).join(', ')}: node bench/real-model.mjs questions --provider ollama --model qwen\n`,
  );
  process.exit(2);
}
await task();
