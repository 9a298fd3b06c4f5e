import type { Provider } from '../core/provider.ts';
import { createAgent, openai } from '../index.ts';
import { demoStories } from '../testing/demo/story.ts';
import { startLoopbackServer } from '../testing/loopback-server.ts';
import { buildProvider } from './build-provider.ts';
import type { DemoName } from './demo-names.ts';
import type { ProviderFlags } from './find-provider.ts';
import { findProvider } from './find-provider.ts';
import { slipPolicyFor } from './slip-policy.ts';
import { realSurroundings } from './surroundings.ts';
import type { Line } from './trace-line.ts';
import type { WatchedRun } from './watch-run.ts';

/** A demo on its way. */
export interface StartedDemo {
  readonly run: WatchedRun;
  readonly provider: Provider;
  /** What the story is about, and how its trace is read. */
  readonly header: readonly Line[];
  /** Stops the server that plays the model, where there is one. */
  readonly close: () => Promise<void>;
}

/** chosen: long enough to be seen, short enough for an impatient reader. A real server deserves the default. */
const DEMO_RETRY = { baseDelayMs: 300 };

/** Starts a story: against a server on this machine that plays the model, or against a real model if the flags name one. */
export async function startDemo(name: DemoName, flags: ProviderFlags): Promise<StartedDemo> {
  const story = demoStories[name]();
  const isReal = flags.provider !== undefined || flags.model !== undefined || flags.baseUrl !== undefined;
  const { provider, close } = isReal ? await realModel(flags) : await playedModel(story.script);
  const agent = createAgent({
    name,
    provider,
    tools: story.tools,
    system: story.system,
    ...(isReal ? { slips: slipPolicyFor(provider) } : { retry: DEMO_RETRY }),
  });
  const who = isReal
    ? `${provider.model}${provider.origin === undefined ? '' : ` at ${provider.origin}`}`
    : 'a server on this machine plays the model, over real HTTP; no key, no network';
  return { run: agent.stream(story.question), provider, header: headerLines(story.about, story.question, who), close };
}

async function realModel(flags: ProviderFlags): Promise<{ provider: Provider; close: () => Promise<void> }> {
  const provider = buildProvider(await findProvider(flags, realSurroundings()), true);
  return { provider, close: async () => {} };
}

async function playedModel(
  script: Parameters<typeof startLoopbackServer>[0]['script'],
): Promise<{ provider: Provider; close: () => Promise<void> }> {
  const server = await startLoopbackServer({ script });
  const provider = openai({ model: 'demo', baseURL: `${server.origin}/v1` });
  return { provider, close: () => server.close() };
}

function headerLines(about: string, question: string, who: string): Line[] {
  return [
    [{ text: question, tone: 'heading' }],
    [{ text: about, tone: 'plain' }],
    [{ text: `(${who})`, tone: 'quiet' }],
    [],
    [{ text: 'Each failure has an owner:', tone: 'quiet' }],
    [
      { text: '  code    ', tone: 'code' },
      { text: 'waits and asks again; the model never knows', tone: 'quiet' },
    ],
    [
      { text: '  model   ', tone: 'model' },
      { text: 'reads the error as a tool result and goes on', tone: 'quiet' },
    ],
    [
      { text: '  nobody  ', tone: 'nobody' },
      { text: 'can mend it here: the run stops at once', tone: 'quiet' },
    ],
  ];
}
