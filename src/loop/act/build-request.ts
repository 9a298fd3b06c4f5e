import { userMessage } from '../../core/message.ts';
import type { PlannedRequest } from './ask-before-model.ts';
import { askBeforeModel } from './ask-before-model.ts';
import { describeOutput, finishNow, nudgeAfterEmptyReply } from '../words/nudges.ts';
import type { RunConfig } from './host.ts';
import type { RunContext } from './context.ts';
import { systemWithNotes } from '../run/slips.ts';
import type { Effect, RunState } from '../run/state.ts';
import type { SentHistory } from '../run/transcript.ts';

/** What the model is asked next, and which model: as the state has it, and as the hooks change it. */
export async function buildRequest(
  context: RunContext,
  history: SentHistory,
  state: RunState,
  effect: Extract<Effect, { type: 'ask-model' }>,
): Promise<PlannedRequest> {
  const { config } = context;
  let messages = history.sync(state.transcript);
  // Said last and to this request only: small models go by what they read last, and the transcript is the user's.
  if (effect.isNudged) messages = [...messages, userMessage(nudgeAfterEmptyReply())];
  else if (state.finishing !== undefined) messages = [...messages, userMessage(finishNow())];
  const withoutTools = isTextOnly(state);
  let toolChoice = withoutTools && config.tools.size > 0 ? ('none' as const) : config.toolChoice;
  // A forced call is for the beginning: forced for ever, the model could never answer.
  if (!withoutTools && toolChoice !== 'auto' && toolChoice !== 'none' && state.toolCalls > 0) toolChoice = 'auto';
  const provider = config.providers[state.providerIndex];
  if (provider === undefined) throw new Error('There is no provider.');
  const { declarations: tools, parallelToolCalls } = config;
  const asked: PlannedRequest = {
    request: { system: config.system, messages, tools, toolChoice, parallelToolCalls },
    provider,
  };
  const planned = config.hooks.has.beforeModel ? await askBeforeModel(context, state, effect.attempt, asked) : asked;
  return { ...planned, request: { ...planned.request, system: wholeSystem(planned.request.system, state, config) } };
}

/** The system text with what the run itself has to say: a hook that puts another one in its place does not lose that. */
function wholeSystem(system: string | undefined, { slips }: RunState, { output }: RunConfig): string | undefined {
  const noted = systemWithNotes(system, slips);
  return output === undefined ? noted : joined(noted, describeOutput(JSON.stringify(output.jsonSchema)));
}

/** Without tools: the last turn after a limit, and a further try at a structured answer. */
export function isTextOnly({ finishing, outputFailures }: RunState): boolean {
  return finishing !== undefined || outputFailures > 0;
}

function joined(system: string | undefined, addition: string): string {
  return system === undefined || system === '' ? addition : `${system}\n\n${addition}`;
}
