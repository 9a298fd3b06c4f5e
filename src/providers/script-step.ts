import type { Failure } from '../core/failure.ts';
import type { FinishReason, ModelRequest } from '../core/provider.ts';
import type { Usage } from '../core/usage.ts';

/**
 * One reply of a scripted model: a text, calls, a failure (after the beginning of a text, where there is one), or a
 * function of the request that gives one of them, now or later. An array of `text` gives the pieces of the stream.
 */
export type ScriptStep =
  | string
  | {
      readonly text?: string | readonly string[] | undefined;
      readonly calls?: readonly ScriptCall[] | undefined;
      readonly finishReason?: FinishReason | undefined;
      readonly usage?: Usage | undefined;
      readonly failure?: undefined;
    }
  | { readonly text?: string | readonly string[] | undefined; readonly failure: Failure }
  | ((request: ModelRequest) => ScriptStep | Promise<ScriptStep>);

/** A call that a scripted model makes. */
export interface ScriptCall {
  readonly name: string;
  /** The arguments as a value. @defaultValue {} */
  readonly input?: unknown;
  /** The arguments as the model wrote them, instead of `input`. */
  readonly rawArguments?: string | readonly string[] | undefined;
  readonly id?: string | undefined;
}
