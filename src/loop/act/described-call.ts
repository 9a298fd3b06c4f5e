import type { Failure } from '../../core/failure.ts';
import { textOf, toolCallsOf } from '../../core/message.ts';
import type { ModelReply, ModelRequest } from '../../core/provider.ts';
import type { RunConfig } from './host.ts';
import type { RunState } from '../run/state.ts';
import type { Transcript } from '../run/transcript.ts';

/** Chosen: a model that was told twice means its text as an answer: "My tools are ...". */
const MAX_TOLD = 2;

/**
 * A small model sometimes writes about a call instead of making it: "You can use the `convert_currency` function. The
 * result is 3000 JPY." (seen in one first reply of forty from Qwen2.5-Coder-0.5B). As an answer it is made up. So where
 * slips are rewound at once, a text that names a tool is none as long as no tool has been called.
 */
export function describedCall(
  reply: ModelReply,
  request: ModelRequest,
  state: RunState,
  config: RunConfig,
): Failure | undefined {
  const mayBe = config.slips === 'rewind' && config.output === undefined && request.toolChoice !== 'none';
  if (!mayBe || state.slips.described >= MAX_TOLD || reply.finishReason === 'pause') return undefined;
  if (reply.content.some((part) => part.type === 'tool-call') || hasCalled(state.transcript)) return undefined;
  const toolName = firstNamed(textOf(reply.content), config.tools.keys());
  if (toolName === undefined) return undefined;
  return {
    kind: 'described-call',
    message: `The model wrote about a call of \`${toolName}\` and made none.`,
    toolName,
  };
}

/** Whether a call stands in what is sent: run, denied or of an earlier question, there is something to talk about. */
function hasCalled(transcript: Transcript | undefined): boolean {
  for (let entry = transcript; entry !== undefined; entry = entry.previous) {
    const { message } = entry;
    if (message.role === 'assistant' && message.rewound !== true && toolCallsOf(message).length > 0) return true;
  }
  return false;
}

/** The name that comes first in a text. */
function firstNamed(text: string, names: Iterable<string>): string | undefined {
  let first: string | undefined;
  let end = text.length;
  for (const name of names) {
    const at = placeOf(name, text);
    if (at >= end) continue;
    first = name;
    end = at;
  }
  return first;
}

/** Where a name stands as a name: `use` and `look` are words of every other answer. */
function placeOf(name: string, text: string): number {
  const isPlainWord = !/[_\d]|[a-z][A-Z]/.test(name);
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const before = text.charAt(at - 1);
    const after = text.charAt(at + name.length);
    if (isPlainWord ? /["'`]/.test(before) && before === after : !/\w/.test(before) && !/\w/.test(after)) return at;
    if (isPlainWord && after === '(' && !/\w/.test(before)) return at;
  }
  return Infinity;
}
