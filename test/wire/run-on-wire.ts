import type { AgentOptions, RunEvent, RetryOptions, RunResult, Tool } from '../../src/index.ts';
import { createAgent, openai, tool, textOf } from '../../src/index.ts';
import type { LoopbackRequest, LoopbackScript, LoopbackStep } from '../../src/testing/loopback-server.ts';
import { startLoopbackServer } from '../../src/testing/loopback-server.ts';
import { z } from 'zod';

/** What a run on the wire left behind: how it ended, what was asked, what was told. */
export interface WireRun {
  readonly result: RunResult;
  readonly requests: readonly LoopbackRequest[];
  readonly violations: readonly string[];
  readonly events: readonly RunEvent[];
  /** The tool results of the last request, as the model read them. */
  readonly told: readonly string[];
  /** The tool results of the transcript. */
  readonly results: readonly string[];
}

export interface WireRunOptions {
  readonly script: LoopbackScript;
  readonly tools?: readonly Tool[] | undefined;
  readonly agent?: Partial<AgentOptions> | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly stream?: boolean | undefined;
  readonly apiKey?: string | undefined;
  readonly input?: string | undefined;
}

/** A tool that gives the weather. */
export const weather: Tool = tool({
  name: 'get_weather',
  description: 'Current weather of a city.',
  schema: z.object({ city: z.string() }),
  effect: 'read',
  execute: ({ city }) => `18 degrees in ${city}`,
});

/** A call of {@link weather}. */
export const askWeather: LoopbackStep = { calls: [{ name: 'get_weather', input: { city: 'Paris' } }] };

/** Retries without waiting: what is tested is the number of requests, not the time between them. */
export const quick: RetryOptions = { baseDelayMs: 0, maxDelayMs: 0 };

/** Runs an agent against a real server on loopback that answers by the script. */
export async function runOnWire(options: WireRunOptions): Promise<WireRun> {
  const server = await startLoopbackServer({
    script: options.script,
    ...(options.apiKey === undefined ? {} : { apiKey: options.apiKey }),
  });
  try {
    const agent = createAgent({
      provider: openai({
        model: 'demo',
        baseURL: `${server.origin}/v1`,
        stream: options.stream ?? true,
        apiKey: 'sk-wire-test-key',
      }),
      tools: options.tools ?? [weather],
      retry: quick,
      ...options.agent,
    });
    const handle = agent.stream(options.input ?? 'What is the weather in Paris?', { signal: options.signal });
    const events: RunEvent[] = [];
    for await (const event of handle) events.push(event);
    const result = await handle.result;
    const { messages = [] } = server.requests.at(-1)?.view ?? {};
    return {
      result,
      requests: [...server.requests],
      violations: [...server.violations],
      events,
      told: messages.flatMap((message) => (message.role === 'tool' ? [message.text] : [])),
      results: result.messages.flatMap((message) =>
        message.role === 'tool' ? message.content.map((part) => textOf(part.content)) : [],
      ),
    };
  } finally {
    await server.close();
  }
}
