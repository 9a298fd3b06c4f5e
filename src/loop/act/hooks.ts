import type { Abort } from '../../core/abort.ts';
import type { Failure, Owner } from '../../core/failure.ts';
import type { Json } from '../../core/json.ts';
import type { Message } from '../../core/message.ts';
import { checkOptions, describeValue, expected, kindOf, noSuch } from '../../core/option-check.ts';
import type { Provider, ToolChoice } from '../../core/provider.ts';
import type { Usage } from '../../core/usage.ts';
import { thrownWords } from '../../core/thrown-words.ts';
import { untilAborted } from './until-aborted.ts';

/** Ends the run with the stop reason `hook`. */
export interface StopRun {
  readonly stop: string;
}

/** What `beforeModel` may change, for this one request. */
export interface ModelRequestChanges {
  readonly messages?: readonly Message[] | undefined;
  readonly system?: string | undefined;
  readonly provider?: Provider | undefined;
  readonly toolChoice?: ToolChoice | undefined;
}

/** One tool call, as hooks see it: found, read and valid. */
export interface HookedCall {
  readonly toolCallId: string;
  readonly toolName: string;
  /** What the tool is run with, defaults and transforms included; a copy, so editing it changes nothing. */
  readonly input: Json;
}

/** One tool result, as hooks see it: what the model is about to be told. */
export interface HookedResult {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly output: string;
  readonly isError: boolean;
  readonly failure: Failure | undefined;
}

/** What every hook is told. */
interface HookContext {
  readonly runId: string;
  readonly turn: number;
  /** Aborts when the run is aborted or its `runMs` is over. */
  readonly signal: AbortSignal;
}

type Awaitable<T> = T | Promise<T>;

/**
 * Functions that may change or stop a run. They are awaited, in the order in which they are given. One that throws, or
 * gives what is not understood, ends the run as a `bug` of the user's code, with the transcript kept: what must not end
 * it belongs in a listener. When `signal` aborts, the run ends at once, and a hook that still works is left behind,
 * whatever it says or throws.
 */
export interface Hooks {
  /** Before each request, retries included. */
  readonly beforeModel?:
    | ((
        context: HookContext & {
          readonly attempt: number;
          readonly messages: readonly Message[];
          readonly usage: Usage;
        },
      ) => Awaitable<ModelRequestChanges | StopRun | undefined | void>)
    | undefined;
  /** Before a valid call runs. `deny` is the reason that the model is told. */
  readonly beforeTool?:
    | ((
        context: HookContext & { readonly call: HookedCall },
      ) => Awaitable<{ readonly deny: string } | StopRun | undefined | void>)
    | undefined;
  /** After a call that ran, well or not. May replace what the model is told. */
  readonly afterTool?:
    | ((
        context: HookContext & { readonly call: HookedCall; readonly result: HookedResult },
      ) => Awaitable<{ readonly output?: string; readonly isError?: boolean } | StopRun | undefined | void>)
    | undefined;
  /** On each failure, before the table's remedy. May give it to another owner, for this once. */
  readonly onFailure?:
    | ((
        context: HookContext & { readonly failure: Failure; readonly owner: Owner; readonly attempt: number },
      ) => Awaitable<'model' | 'retry' | 'stop' | undefined | void>)
    | undefined;
  /** After the calls of a turn. */
  readonly afterTurn?:
    | ((
        context: HookContext & { readonly messages: readonly Message[]; readonly usage: Usage },
      ) => Awaitable<StopRun | undefined | void>)
    | undefined;
}

/** The hooks of a run, in order, and whether there are any of each kind: most runs have none. */
export interface HookList {
  readonly all: readonly Hooks[];
  readonly has: { readonly [K in keyof Hooks]-?: boolean };
}

/** Every kind of hook. */
export const HOOK_NAMES = ['beforeModel', 'beforeTool', 'afterTool', 'onFailure', 'afterTurn'] as const;

/**
 * Checks the hooks of an agent.
 * @throws OilcanError `invalid-option` for a name that is no hook, or a hook that is no function.
 */
export function hookList(hooks: readonly Hooks[]): HookList {
  const given: unknown = hooks;
  if (!Array.isArray(given)) throw expected('`hooks`', 'an array such as [{ beforeTool }]', kindOf(given));
  for (const [index, entry] of hooks.entries()) {
    checkOptions(`\`hooks[${index}]\``, entry, '{ beforeTool: ({ call }) => … }');
    for (const [name, hook] of Object.entries(entry)) {
      if (!HOOK_NAMES.some((known) => known === name))
        throw noSuch('hook', name, HOOK_NAMES, (names) => `Hooks are ${names}.`);
      if (hook !== undefined && typeof hook !== 'function')
        throw expected(`hook \`${name}\``, 'a function', describeValue(hook));
    }
  }
  const has = (name: (typeof HOOK_NAMES)[number]): boolean => hooks.some((entry) => entry[name] !== undefined);
  return {
    all: hooks,
    has: {
      beforeModel: has('beforeModel'),
      beforeTool: has('beforeTool'),
      afterTool: has('afterTool'),
      onFailure: has('onFailure'),
      afterTurn: has('afterTurn'),
    },
  };
}

/** What a hook of the user threw, or that what it gave is not understood. It ends the run as the user's bug, whatever else is going on. */
export class HookFailure extends Error {
  override readonly name = 'HookFailure';

  constructor(hook: string, cause: unknown, message: string = `The hook \`${hook}\` threw ${thrownWords(cause)}.`) {
    super(message, { cause });
  }
}

/** A hook's wish to end the run. */
export class HookStop extends Error {
  override readonly name = 'HookStop';
}

/** Calls one hook function, and waits for it until the run is aborted; what it throws becomes a {@link HookFailure}. */
export async function callHook<T>(name: string, abort: Abort, hook: () => Awaitable<T>): Promise<T> {
  try {
    return await untilAborted(hook(), abort);
  } catch (cause) {
    // What a hook throws when its signal has gone off is its answer to that, and no bug.
    throw abort.aborted ? abort.reason : new HookFailure(name, cause);
  }
}
