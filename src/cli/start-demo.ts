import type { Provider } from '../core/provider.ts';
import { createAgent, openai } from '../index.ts';
import type { Agent } from '../index.ts';
import { demoStories } from '../testing/demo/story.ts';
import { startLoopbackServer } from '../testing/loopback-server.ts';
import type { LoopbackScript } from '../testing/loopback-server.ts';
import { buildProvider } from './build-provider.ts';
import type { DemoName } from './demo-names.ts';
import type { ProviderChoice, ProviderFlags } from './find-provider.ts';
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
  readonly agent: Agent;
  /** The real model's choice, where one plays. */
  readonly choice: ProviderChoice | undefined;
  /** Stops the server that plays the model, where there is one. */
  readonly close: () => Promise<void>;
}

/** chosen: long enough to be seen, short enough for an impatient reader. A real server deserves the default. */
const DEMO_RETRY = { baseDelayMs: 300 };

/** What a story is about depends on its script; a real model has none. */
const REAL_ABOUT =
  "A real model plays, and its server is not made to fail: what goes wrong is the model's own, or the story's.";

/** Starts a story: against a server on this machine that plays the model, or against a real model if the flags name one. */
export async function startDemo(name: DemoName, flags: ProviderFlags): Promise<StartedDemo> {
  const story = demoStories[name]();
  const isReal = flags.provider !== undefined || flags.model !== undefined || flags.baseUrl !== undefined;
  const { provider, choice, close } = isReal ? await realModel(flags) : await playedModel(story.script);
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
  const about = isReal ? REAL_ABOUT : story.about;
  return {
    run: agent.stream(story.question),
    provider,
    agent,
    choice,
    header: headerLines(about, story.question, who),
    close,
  };
}

/** Who plays the model. */
interface Played {
  readonly provider: Provider;
  readonly choice: ProviderChoice | undefined;
  readonly close: () => Promise<void>;
}

async function realModel(flags: ProviderFlags): Promise<Played> {
  const choice = await findProvider(flags, realSurroundings());
  return { provider: buildProvider(choice, true), choice, close: async () => {} };
}

async function playedModel(script: LoopbackScript): Promise<Played> {
  const server = await startLoopbackServer({ script });
  const provider = openai({ model: 'demo', baseURL: `${server.origin}/v1` });
  return { provider, choice: undefined, close: () => server.close() };
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
