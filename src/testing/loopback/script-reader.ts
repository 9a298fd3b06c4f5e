import { isOilcanError } from '../../core/error.ts';
import { checkStep } from './check-step.ts';
import type { LoopbackContext } from './context.ts';
import { isFaultStep, type LoopbackScript, type LoopbackStep } from './step.ts';

/** Hands out the steps of a script. */
export interface ScriptReader {
  /** The step for the next request, or why there is none. A list of steps has moved on when this returns. */
  next(context: Omit<LoopbackContext, 'requestIndex'>): Promise<NextStep>;
  /** Takes the refusals that come next in an array of steps: how long the port has to stay closed, in milliseconds, 0 for none. */
  takeRefusalMs(): number;
}

/** A step, or why there is none. */
export type NextStep = { readonly step: LoopbackStep } | { readonly problem: string };

/** Opens a script at its beginning. */
export function openScript(script: LoopbackScript): ScriptReader {
  let requestIndex = 0;
  let cursor = 0;
  return {
    async next(context) {
      const index = requestIndex++;
      if (typeof script !== 'function') {
        const step = script[cursor++];
        return step === undefined ? { problem: `The script has no step for request ${index + 1}.` } : { step };
      }
      try {
        const step: unknown = await script({ ...context, requestIndex: index });
        return checked(step, `the step for request ${index + 1}`);
      } catch (error) {
        return { problem: `The script threw at request ${index + 1}: ${String(error)}` };
      }
    },
    takeRefusalMs() {
      if (typeof script === 'function') return 0;
      let sum = 0;
      for (let step = script[cursor]; step !== undefined; step = script[cursor]) {
        if (!isFaultStep(step) || step.fault !== 'refuse') break;
        sum += step.forMs ?? 50;
        cursor += 1;
      }
      return sum;
    },
  };
}

/** A step that a function gave. It is checked here, since nobody could see it before. */
function checked(step: unknown, where: string): NextStep {
  try {
    checkStep(step, where);
    return { step };
  } catch (error) {
    if (!isOilcanError(error)) throw error;
    return { problem: error.message };
  }
}
