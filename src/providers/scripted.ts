import type { Failure } from '../core/failure.ts';
import { isRecord } from '../core/json.ts';
import { checkNames, checkOptions, invalidOption, kindOf } from '../core/option-check.ts';
import type { ModelReply, ModelRequest, Provider, ReplyToolCall } from '../core/provider.ts';
import type { Usage } from '../core/usage.ts';

/** One reply of a scripted model: a text, calls, a failure, or a function of the request that gives one of them. */
export type ScriptStep =
  | string
  | {
      readonly text?: string | undefined;
      readonly calls?:
        | readonly {
            readonly name: string;
            readonly input?: unknown;
            readonly rawArguments?: string | undefined;
            readonly id?: string | undefined;
          }[]
        | undefined;
      readonly finishReason?: ModelReply['finishReason'] | undefined;
      readonly usage?: Usage | undefined;
    }
  | { readonly failure: Failure }
  | ((request: ModelRequest) => ScriptStep);

/**
 * A provider that says what it is told to: for tests and examples, without a server. Each request takes the next
 * step; past the end, the last one is repeated where it is a function, and else the request fails as `bad-request`.
 * @throws OilcanError `invalid-option` for steps that are none.
 */
export function scripted(
  steps: readonly ScriptStep[],
  options: { readonly id?: string; readonly model?: string } = {},
): Provider & { readonly requests: readonly ModelRequest[] } {
  checkSteps(steps);
  checkOptions('the options of `scripted`', options, "{ model: 'script' }");
  checkNames('scripted', options, OPTIONS);
  const requests: ModelRequest[] = [];
  return {
    id: options.id ?? 'scripted',
    model: options.model ?? 'script',
    capabilities: { toolChoice: ['auto', 'required', 'none', 'tool'], parallelToolCalls: true, imageResults: true },
    requests,
    async *stream(request, { signal }) {
      const index = requests.length;
      requests.push({ ...request, messages: [...request.messages] });
      if (signal.aborted) return;
      let step = steps[index] ?? (typeof steps.at(-1) === 'function' ? steps.at(-1) : undefined);
      while (typeof step === 'function') step = step(request);
      if (step === undefined) {
        yield {
          type: 'failure',
          failure: { kind: 'bad-request', message: `The script has no step for request ${index + 1}.` },
        };
      } else if (typeof step === 'object' && 'failure' in step) yield { type: 'failure', failure: step.failure };
      else {
        const reply = replyOf(step);
        const text = typeof step === 'string' ? step : (step.text ?? '');
        if (text !== '') yield { type: 'text-delta', text };
        yield { type: 'reply', reply };
      }
    },
  };
}

function replyOf(
  step: Exclude<ScriptStep, { readonly failure: Failure } | ((request: ModelRequest) => ScriptStep)>,
): ModelReply {
  const { text = '', calls = [], finishReason, usage = {} } = typeof step === 'string' ? { text: step } : step;
  const toolCalls = calls.map((call): ReplyToolCall => ({
    type: 'tool-call',
    id: call.id,
    name: call.name,
    arguments: call.rawArguments === undefined ? { value: call.input ?? {} } : { text: call.rawArguments },
    isComplete: true,
  }));
  const reason = finishReason ?? (toolCalls.length > 0 ? 'tool-calls' : 'stop');
  return {
    content: [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...toolCalls],
    finishReason: reason,
    rawFinishReason: reason,
    usage,
  };
}

const OPTIONS = { id: true, model: true } as const;

const STEP_NAMES = { text: true, calls: true, finishReason: true, usage: true, failure: true } as const;

function checkSteps(steps: unknown): void {
  if (!Array.isArray(steps))
    throw invalidOption(
      `Expected \`scripted\` to get an array of steps, as in scripted(['Hello.']), got ${kindOf(steps)}.`,
    );
  for (const [index, step] of steps.entries()) {
    if (typeof step === 'string' || typeof step === 'function') continue;
    if (!isRecord(step))
      throw invalidOption(
        `Expected step ${index} of \`scripted\` to be a text, an object such as { calls: [{ name: 'look' }] } or a function, got ${kindOf(step)}.`,
      );
    checkNames(`step ${index} of \`scripted\``, step, STEP_NAMES, { toolCalls: 'calls', tool_calls: 'calls' });
  }
}
