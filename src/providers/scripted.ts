import { checkNames, checkOptions } from '../core/option-check.ts';
import { aString, checkRules } from '../core/option-rules.ts';
import type { ModelReply, ModelRequest, Provider, ReplyToolCall } from '../core/provider.ts';
import { isThenable } from '../core/thenable.ts';
import { checkStep, checkSteps } from './check-script.ts';
import type { ScriptStep } from './script-step.ts';

export type { ScriptStep } from './script-step.ts';

/**
 * A provider that says what it is told to: for tests and examples, without a server. Each request takes the next
 * step; past the end, the last one is repeated where it is a function, and else the request fails as `bad-request`.
 * @throws OilcanError `invalid-option` for steps that are none; for what a function gave, when it has given it.
 */
export function scripted(
  steps: readonly ScriptStep[],
  options: { readonly id?: string; readonly model?: string } = {},
): Provider & { readonly requests: readonly ModelRequest[] } {
  checkSteps(steps);
  checkOptions('the options of `scripted`', options, "{ model: 'script' }");
  checkNames('scripted', options, OPTIONS);
  checkRules(options, OPTIONS, (option) => `\`${option}\` of \`scripted\``);
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
      const scriptStep = steps[index] ?? (typeof steps.at(-1) === 'function' ? steps.at(-1) : undefined);
      if (scriptStep === undefined) {
        const message = `The script has no step for request ${index + 1}.`;
        yield { type: 'failure', failure: { kind: 'bad-request', message } };
        return;
      }
      const step = await resolveStep(scriptStep, request, signal, `what the script gave for request ${index + 1}`);
      if (step === undefined) return;
      for (const text of textPieces(step)) if (text !== '') yield { type: 'text-delta', text };
      if (step.failure !== undefined) yield { type: 'failure', failure: step.failure };
      else yield { type: 'reply', reply: replyOf(step) };
    },
  };
}

const OPTIONS = { id: aString, model: aString } as const;

type PlainStep = Exclude<ScriptStep, string | ((request: ModelRequest) => unknown)>;
type ReplyStep = Extract<PlainStep, { readonly failure?: undefined }>;

/** The step without its functions; undefined where the request was aborted while one of them was at work. */
async function resolveStep(
  scriptStep: ScriptStep,
  request: ModelRequest,
  signal: AbortSignal,
  where: string,
): Promise<PlainStep | undefined> {
  let step = scriptStep;
  while (typeof step === 'function') {
    const given: unknown = step(request);
    const next = isThenable(given) ? await unlessAborted(given, signal) : given;
    if (isThenable(given) && signal.aborted) return undefined;
    checkStep(next, where);
    step = next;
  }
  return typeof step === 'string' ? { text: step } : step;
}

/** What was promised, or undefined as soon as the signal aborts. */
function unlessAborted<T>(promised: PromiseLike<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise<T | undefined>((resolve, reject) => {
    const leave = (): void => resolve(undefined);
    signal.addEventListener('abort', leave, { once: true });
    void Promise.resolve(promised)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', leave));
    if (signal.aborted) leave();
  });
}

function textPieces({ text = '' }: PlainStep): readonly string[] {
  return typeof text === 'string' ? [text] : text;
}

function replyOf(step: ReplyStep): ModelReply {
  const { calls = [], finishReason, usage = {} } = step;
  const text = textPieces(step).join('');
  const toolCalls = calls.map(({ id, name, input, rawArguments }): ReplyToolCall => ({
    type: 'tool-call',
    id,
    name,
    arguments:
      rawArguments === undefined
        ? { value: input ?? {} }
        : { text: typeof rawArguments === 'string' ? rawArguments : rawArguments.join('') },
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
