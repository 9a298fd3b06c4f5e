import { cutWords } from '../../core/cut-words.ts';
import type { Tool, ToolEffect } from '../../core/tool.ts';
import type { SlipAdvice } from '../input/prepared-input.ts';
import { describeKeys, MAX_ALTERNATIVES } from '../input/describe-schema.ts';
import { declaredKeys, nodeOf } from '../input/schema-view.ts';

/**
 * Every sentence that a model reads when something went wrong: what failed, why, what to do next, whether the same call
 * can work. None repeats what was wrong (docs/error-texts.md), all read as errors on wires that have no mark for one, and the
 * caller removes secrets and cuts them to length.
 */

/** How an answer was lost: a connection that broke, a wait that ended, a gateway that heard nothing from the server behind it. */
export type LostBy = 'connection' | 'wait' | 'interruption' | 'gateway';

/** No tool has that name. The wrong name is not said again: a small model would copy it. */
export function unknownTool(nearest: readonly string[], names: readonly string[]): string {
  if (names.length === 0) return 'There is no such tool: no tools can be called now. Answer in text.';
  const [best, ...others] = nearest;
  const list = [...new Set([...nearest, ...names])];
  if (best !== undefined && others.length === 0) {
    const rest = names.length > 1 ? ` All tools: ${listed(list)}.` : '';
    return `There is no such tool, so nothing was run. The tool is called ${best}: call ${best} with its own arguments.${rest}`;
  }
  const advice = best === undefined ? '' : ` Did you mean ${nearest.join(' or ')}?`;
  return `There is no such tool, so nothing was run.${advice} The tools are: ${listed(list)}. Call one of them by its exact name, or answer in text.`;
}

/** For the system text after a rewind: the tools there are, each with what it is for. */
export function unknownToolNote(nearest: readonly string[], tools: readonly Tool[]): SlipNote {
  const order = [...new Set([...nearest, ...tools.map((tool) => tool.name)])];
  const lines: string[] = [];
  let length = 0;
  for (const name of order.slice(0, MAX_ALTERNATIVES)) {
    const description = tools.find((tool) => tool.name === name)?.description ?? '';
    const line = `- ${name}: ${firstSentence(description, 80)}`;
    length += line.length + 1;
    if (length > 800) break;
    lines.push(line);
  }
  return { takes: `Call only these tools, by exactly these names:\n${lines.join('\n')}`, needs: [] };
}

/** The arguments are not JSON. `near` is the place of the break, at most 40 characters. */
export function unreadableArguments(toolName: string, problem: string, near: string): string {
  const place = near === '' ? '' : `, near ${JSON.stringify(near)}`;
  return `${toolName} failed: its arguments could not be read, because ${problem}${place}. Nothing was run. Call ${toolName} again with its arguments as one JSON object.`;
}

/** A call in a text, and what is wrong with it. Beside the text: what the model has to do, for a note. */
interface TextCallWords {
  readonly text: string;
  readonly need: string;
}

/** A call that was written as text and can't be read; `problem` follows "because". */
export function unreadableTextCall(toolName: string, problem: string): TextCallWords {
  return {
    text: `${toolName} failed: its call was written as text and could not be read, because ${problem}. Nothing was run. Call ${toolName} again with its arguments as one JSON object, each key once.`,
    need: 'Write its arguments as one JSON object, each key once.',
  };
}

/** A call with effects among other words: it may be quoted from a page that the model read. */
export function quotedCall(toolName: string): TextCallWords {
  return {
    text: `${toolName} was not run: its call stood among other words, so it may be a quotation. Nothing was changed. To call ${toolName}, write nothing but the call. To show a call to the user, put it in a code block, with words before and after it.`,
    need: 'Write nothing beside a call.',
  };
}

/** A call in a text, from a server whose models make calls in another way. */
export function untrustedTextCall(toolName: string): TextCallWords {
  return {
    text: `${toolName} was not run: a call that is written in the text of a reply does not count here. Nothing was changed. To call ${toolName}, make a tool call. To show a call to the user, put it in a code block, with words before and after it.`,
    need: 'Make a tool call; do not write it in your text.',
  };
}

/** The call ended in the middle. */
export function cutArguments(toolName: string): string {
  return `${toolName} failed: its arguments were cut off before their end (the reply may have reached its length limit). Nothing was run. Call ${toolName} again with the whole arguments; if they are long, make them shorter or send them in parts.`;
}

/** Chosen: a text for one problem stays shorter than this, so that it is read to its end. */
const MAX_CHARS_FOR_ONE = 390;
const MAX_CHARS = 1000;

/** The arguments do not fit. The whole call with its holes follows where there is room: measured, it helps most. */
export function invalidArguments(
  toolName: string,
  problem: {
    readonly sentences: readonly string[];
    readonly brief: readonly string[];
    readonly template: string | undefined;
  },
): string {
  const { sentences, brief, template } = problem;
  const head = `${toolName} failed: `;
  const tail = ` Call ${toolName} again`;
  const limit = (sentences.length === 1 ? MAX_CHARS_FOR_ONE : MAX_CHARS) - head.length;
  const whole = template === undefined ? '' : `${brief.join(' ')}${tail}: ${template}`;
  if (whole !== '' && whole.length <= limit) return head + whole;
  const plainTail = `${tail} with that put right.`;
  let body = '';
  for (const sentence of sentences) {
    const next = body === '' ? sentence : `${body} ${sentence}`;
    if (next.length > limit - plainTail.length && body !== '') break;
    body = next;
  }
  const room = limit - plainTail.length;
  return head + cutWords(body, room) + plainTail;
}

/** What a model needs to know to call a tool rightly: stands in the system text after a rewind. */
export interface SlipNote {
  /** What the tool takes, with a whole call where one is known. */
  readonly takes: string;
  /** What was not right, a sentence each. */
  readonly needs: readonly string[];
}

/** The note about a slip. It stands alone: the model does not see its call any more. */
export function slipNote(tool: Tool, prepared: { readonly advice: SlipAdvice }): SlipNote {
  const { holes, needs, example } = prepared.advice;
  const node = nodeOf(tool.inputSchema, tool.inputSchema);
  const hasKeys = declaredKeys(node).length > 0;
  const takes = hasKeys ? `an object with ${describeKeys(node, 0, holes)}` : '{}, no arguments';
  const shown = example === undefined ? '' : ` Here they are ${example}.`;
  return { takes: cutWords(`When you call ${tool.name}: its arguments are ${takes}.${shown}`, 600), needs };
}

/** The note about a reply that wrote about a call. */
export function describedCallNote(tool: Tool): SlipNote {
  const { takes } = slipNote(tool, { advice: { holes: new Map(), needs: [] } });
  return { takes, needs: [`Call ${tool.name} now; do not write about it.`] };
}

/** A note as it stands in the system text; `misses` says how often it was not heeded. */
export function noteText({ takes, needs }: SlipNote, misses: number): string {
  const text = cutWords(`${takes} ${needs.join(' ')}`.trimEnd(), 900);
  if (misses === 0) return text;
  return `Read this before you call a tool; it was not heeded ${misses === 1 ? 'before' : `${misses} times`}. ${text}`;
}

/** The tool threw. `message` and `hint` are its own words. */
export function toolFailed(
  toolName: string,
  message: string,
  more: { readonly hint?: string | undefined; readonly retryable?: boolean | undefined } = {},
): string {
  const words = message.trim() === '' ? 'it gave no reason.' : sentence(message);
  const hint = more.hint === undefined || more.hint.trim() === '' ? '' : ` ${sentence(more.hint)}`;
  return `${toolName} failed: ${words}${hint}${retryWords(more.retryable)}`;
}

function retryWords(retryable: boolean | undefined): string {
  if (retryable === undefined) return '';
  return retryable ? ' You may make the same call again.' : ' Do not make the same call again: it would fail again.';
}

/** What the tool stands on is down. Told apart from "you asked wrongly". */
export function toolUnavailable(
  toolName: string,
  words: string | undefined,
  hint: string | undefined,
  remainingMs: number | undefined,
): string {
  const why = words === undefined || words.trim() === '' ? '' : ` ${sentence(words)}`;
  const advice = hint === undefined || hint.trim() === '' ? '' : ` ${sentence(hint)}`;
  const when = remainingMs === undefined ? 'later' : `in ${duration(remainingMs)}`;
  return `${toolName} failed: it is temporarily unavailable.${why}${advice} Your call was right; the same call may work ${when}. Go on without it if you can, and say so in your answer.`;
}

/** What is said of an effect of which nobody knows whether it took place: neither that it failed nor that it was cancelled. */
const UNKNOWN = 'Its outcome is unknown: it may have taken effect. Check before repeating it.';

/** Past its deadline. `outcome` says what is known of its effect. */
export function toolTimeout(
  toolName: string,
  timeoutMs: number,
  outcome: 'no-effect' | 'not-done' | 'unknown',
): string {
  const what = `it did not finish within ${patience(timeoutMs)}.`;
  switch (outcome) {
    case 'no-effect':
      return `${toolName} failed: ${what} It changed nothing. Ask for less, or try once more.`;
    case 'not-done':
      return `${toolName} failed: ${what} It was checked: nothing was changed. You may make the same call again.`;
    case 'unknown':
      return `${toolName} gave no result: ${what} ${UNKNOWN}`;
  }
}

const LOST: Readonly<Record<LostBy, string>> = {
  connection: 'its connection broke before it had an answer',
  wait: 'it stopped waiting for an answer',
  interruption: 'it was interrupted before it had an answer',
  gateway: 'a server in between had no answer from the one behind it',
};

/** The answer of a tool with effects was lost: nobody knows whether what it asked for was done. `message` is its own word. */
export function outcomeUnknown(toolName: string, lostBy: LostBy, message: string): string {
  const words = message.trim() === '' ? '' : ` It says: ${sentence(message)}`;
  return `${toolName} gave no result: ${LOST[lostBy]}.${words} ${UNKNOWN}`;
}

/** The tool's own code is broken: the model can do nothing about it, and its error text is about code. */
export function toolBug(toolName: string, reference: string): string {
  const mark = reference === '' ? '' : ` (reference ${reference})`;
  return `${toolName} failed: an internal error of the tool${mark}. It was reported. The same call will fail again; go on without it if you can.`;
}

/** The value is not what the tool promised, or can't be shown. An effect that happened is not called failed. */
export function badOutput(toolName: string, effect: ToolEffect): string {
  if (effect === 'read') {
    return `${toolName} failed: it ran, but its result is not valid and can't be used. The same call will probably give the same; go on without it if you can.`;
  }
  return `${toolName} ran, and what it does was done, but its result is not valid and can't be shown. Do not call it again to get the result: it would be done twice. Check the outcome in another way if you need it.`;
}

/** The guard stepped in. */
export function repeatedCall(toolName: string, why: 'failed-before' | 'no-progress', times: number): string {
  const count = times === 1 ? 'once' : `${times} times`;
  if (why === 'failed-before') {
    return `${toolName} was not run: the same call with the same arguments has failed ${count}, and would fail again. Use other arguments or another tool, or say what is missing.`;
  }
  return `${toolName} was not run: the same call with the same arguments has already given the same result ${count} (see above), and can't give anything new. Use that result, do something else, or answer.`;
}

/** The tool failed as often as it may, whatever its arguments. */
export function toolFailuresSpent(toolName: string, times: number): string {
  return `${toolName} was not run: it has failed ${counted(times, 'time')}, with no result in between, and can't be called any more. Do without it, or say what is missing.`;
}

/** A person or a rule said no. */
export function denied(toolName: string, reason: string): string {
  const words = reason.trim() === '' ? '' : ` ${sentence(reason)}`;
  return `${toolName} was not run: it was denied.${words} Do not make the same call again; find another way or say that it is not allowed.`;
}

/** Stands in for a result while a person has to allow the call. */
export function waitsForApproval(toolName: string): string {
  return `${toolName} was not run yet: it waits for a person to allow it. Do not call it again meanwhile.`;
}

/** Stands in for a result while the question of a tool has no answer. */
export function waitsForAnswer(toolName: string, question: string): string {
  return `${toolName} has no result yet: it waits for a person to answer its question. ${sentence(question)} Do not call it again meanwhile.`;
}

/** The run ended before the call was started. */
export function cancelledBeforeStart(toolName: string): string {
  return `${toolName} was not run: the run was cancelled before it started. It changed nothing.`;
}

/** The run ended while the tool was running. */
export function cancelledInFlight(toolName: string, effect: ToolEffect): string {
  if (effect === 'read') return `${toolName} failed: the run was cancelled before it finished. It changed nothing.`;
  return `${toolName} gave no result: the run ended while it was working. ${UNKNOWN}`;
}

/** The call came, and nobody knows what became of it (another process died). */
export function cancelledUnknown(toolName: string): string {
  return `${toolName} gave no result: the run was interrupted. ${UNKNOWN}`;
}

/** More calls in one run than it allows. */
export function overToolLimit(toolName: string): string {
  return `${toolName} was not run: the limit of tool calls for this task is reached. Calls can't be made any more; answer with what you have, and say what is missing.`;
}

/** A call in a reply that was to be an answer: the last turn after a limit, or a further try at a structured answer. */
export function toolsAreOver(toolName: string): string {
  return `${toolName} was not run: tools can't be called any more. Answer now with what you have.`;
}

/** A value that stands in for a tool that is down. It is no error, and yet not what was asked for. */
export function cached(text: string, ageMs: number | undefined): string {
  const age =
    ageMs === undefined || !Number.isFinite(ageMs) || ageMs < 0 ? 'which may be out of date' : `${duration(ageMs)} old`;
  return `[cached] ${text}\n(This is a stored value, ${age}: the live source did not answer.)`;
}

/** How long a tool was waited for: to a tenth of a second, and what is shorter in milliseconds. */
function patience(ms: number): string {
  return ms < 100 ? counted(Math.ceil(ms), 'millisecond') : counted(Math.round(ms / 100) / 10, 'second');
}

/** `90 seconds`, `5 minutes`, `3 hours`, `2 days`: rounded to what matters. */
function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 1) return 'less than a second';
  if (seconds < 120) return counted(seconds, 'second');
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return counted(minutes, 'minute');
  const hours = Math.round(minutes / 60);
  return hours < 48 ? counted(hours, 'hour') : counted(Math.round(hours / 24), 'day');
}

function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MAX_ALTERNATIVES);
  const more = names.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** The words with an end, so that the next sentence does not run into them. */
function sentence(words: string): string {
  const trimmed = words.trim();
  return /[.!?:;)\]"'”]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}

function firstSentence(text: string, maxChars: number): string {
  const end = text.search(/[.\n](?:\s|$)/);
  return cutWords(end < 0 ? text.trim() : text.slice(0, end).trim(), maxChars);
}
