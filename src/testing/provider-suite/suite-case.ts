import { expected, hasMethod, kindOf } from '../../core/option-check.ts';
import type { Provider } from '../../core/provider.ts';
import { startLoopbackServer } from '../loopback-server.ts';
import type { LoopbackServer } from '../loopback/server.ts';
import type { LoopbackStep } from '../loopback/step.ts';
import type { LoopbackWire } from '../loopback/wire.ts';
import { answersOf } from './answers.ts';
import { askProvider, suiteRequest } from './ask-provider.ts';
import type { Heard, Question } from './ask-provider.ts';
import type { Patience } from './patience.ts';

/** The server that a case of the suite has started. */
export interface ProviderTarget {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  readonly model: string;
  readonly apiKey: string;
  /** False where the reply is to be asked for in one piece. */
  readonly stream: boolean;
}

/** What a case is run on. */
export interface CaseContext {
  readonly wire: LoopbackWire;
  readonly mode: 'stream' | 'plain';
  readonly makeProvider: (target: ProviderTarget) => Provider;
  readonly patience: Patience;
}

/** The key that every server of the suite asks for. */
export const API_KEY = 'sk-loopback-0123456789';

/** What a case works with. */
export interface Bench {
  readonly server: LoopbackServer;
  /** Asks the provider, by default the suite's question. */
  readonly ask: (question?: Partial<Question>) => Promise<Heard>;
}

/** Runs a case against a server of its own; what fails is told with what the server had answered. */
export async function withServer(
  context: CaseContext,
  script: readonly LoopbackStep[],
  use: (bench: Bench) => Promise<void>,
): Promise<void> {
  const { wire, mode, patience } = context;
  const server = await startLoopbackServer({ wire, script, apiKey: API_KEY });
  try {
    const provider = context.makeProvider({
      origin: server.origin,
      model: 'demo',
      apiKey: API_KEY,
      stream: mode === 'stream',
    });
    if (!hasMethod(provider, 'stream')) throw expected('what `makeProvider` gives', 'a provider', kindOf(provider));
    const ask: Bench['ask'] = (question) =>
      askProvider(provider, { request: suiteRequest(), signal: new AbortController().signal, patience, ...question });
    await use({ server, ask });
    check(server.violations.length === 0, 'a strict server refused the request');
    check(server.scriptErrors.length === 0, `the script did not run as written: ${server.scriptErrors.join('; ')}`);
    check(server.strays.length === 0, 'the provider asked at an unknown path');
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${sentence(message)} ${answersOf(server)}`, { cause });
  } finally {
    await server.close();
  }
}

/** Fails the case where it is not so; `otherwise` says what is wrong. */
export function check(isTrue: boolean, otherwise: string): void {
  if (!isTrue) throw new Error(otherwise);
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`;
}
