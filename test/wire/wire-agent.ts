import type { Agent, AgentOptions, Provider, RunEvent, RunResult, Tool } from '../../src/index.ts';
import { createAgent, openai, textOf, tool } from '../../src/index.ts';
import type { LoopbackScript, LoopbackServer, LoopbackStep } from '../../src/testing/loopback-server.ts';
import { startLoopbackServer } from '../../src/testing/loopback-server.ts';
import { z } from 'zod';
import { quick } from './run-on-wire.ts';

/** A real server on loopback and agents that ask it. */
export interface Wire {
  readonly server: LoopbackServer;
  readonly provider: Provider;
  /** An agent of this server, without waits between its attempts. */
  agent(options?: Partial<AgentOptions>): Agent;
}

/** Starts a server for one test, and closes it whatever happens. The server's own verdict on the requests is part of every test. */
export async function onWire<T>(script: LoopbackScript, test: (wire: Wire) => Promise<T>): Promise<T> {
  const server = await startLoopbackServer({ script });
  try {
    const provider = openai({ model: 'demo', baseURL: `${server.origin}/v1`, apiKey: 'sk-wire-test-key' });
    const given = await test({
      server,
      provider,
      agent: (options) => createAgent({ provider, retry: quick, ...options }),
    });
    if (server.violations.length > 0) throw new Error(`A strict server refused: ${server.violations.join('; ')}`);
    return given;
  } finally {
    await server.close();
  }
}

/** A run that was watched to its end. */
export interface Watched {
  readonly result: RunResult<unknown>;
  readonly events: readonly RunEvent[];
  /** The tool results of the transcript, in order. */
  readonly results: readonly string[];
}

/** Runs, or resumes, to the end and keeps every event. */
export async function watch(
  handle: AsyncIterable<RunEvent> & { readonly result: Promise<RunResult<unknown>> },
): Promise<Watched> {
  const events: RunEvent[] = [];
  for await (const event of handle) events.push(event);
  const result = await handle.result;
  return { result, events, results: resultsOf(result) };
}

/** The tool results of a transcript, in order. */
export function resultsOf(result: RunResult<unknown>): string[] {
  return result.messages.flatMap((message) =>
    message.role === 'tool' ? message.content.map((part) => textOf(part.content)) : [],
  );
}

/** Everything that was told of one type. */
export function eventsOf<T extends RunEvent['type']>(
  events: readonly RunEvent[],
  type: T,
): Extract<RunEvent, { type: T }>[] {
  return events.filter((event): event is Extract<RunEvent, { type: T }> => event.type === type);
}

/** A reply of calls: `call('use', { item: 'key' })`. */
export function call(name: string, input: Record<string, string | number | boolean | null> = {}): LoopbackStep {
  return { calls: [{ name, input }] };
}

/** A reply of several calls. */
export function calls(...names: readonly string[]): LoopbackStep {
  return { calls: names.map((name) => ({ name, input: {} })) };
}

/** The answer that ends a run. */
export const answer: LoopbackStep = { text: 'Done.' };

type Execute = Parameters<typeof tool>[0]['execute'];

/** A tool that takes anything. */
export function anyTool(name: string, execute: Execute, more: Partial<Parameters<typeof tool>[0]> = {}): Tool {
  return tool({ name, description: `Does ${name}.`, schema: z.looseObject({}), execute, ...more });
}
