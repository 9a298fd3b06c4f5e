import type { LoopbackContext } from './context.ts';
import { isFaultStep, type LoopbackScript, type LoopbackStep } from './step.ts';

/** Hands out the steps of a script. */
export interface ScriptReader {
  /** The step for the next request, or why there is none. */
  next(context: Omit<LoopbackContext, 'requestIndex'>): { readonly step: LoopbackStep } | { readonly problem: string };
  /** Takes the refusals that come next in an array of steps: how long the port has to stay closed, in milliseconds, 0 for none. */
  takeRefusalMs(): number;
}

/** Opens a script at its beginning. */
export function openScript(script: LoopbackScript): ScriptReader {
  let requestIndex = 0;
  let cursor = 0;
  return {
    next(context) {
      const index = requestIndex++;
      if (typeof script !== 'function') {
        const step = script[cursor++];
        return step === undefined ? { problem: `The script has no step for request ${index + 1}.` } : { step };
      }
      try {
        return { step: script({ ...context, requestIndex: index }) };
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
