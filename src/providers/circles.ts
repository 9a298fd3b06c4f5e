import { textOf } from '../core/message.ts';
import type { ModelReply, ReplyToolCall } from '../core/provider.ts';

/**
 * A reply that goes in circles: its end is one block again and again. Small models do that until their limit, which may be
 * minutes away. What only looks alike (a table, a list, a text with numbers that count on) is no circle, since every
 * character has to be that of the block before it.
 */

/** Chosen: `-` a thousand times is a rule in a text, a line a hundred times is a wish of the user's; this much is neither. */
const MIN_CHARS = 4096;

/** Chosen: a paragraph that comes for the sixth time, without a letter changed, comes for ever. */
const MIN_TIMES = 6;

/** Chosen: holds a paragraph of 2,700 characters six times. */
const WINDOW = 16_384;

/** Chosen: each character is looked at four times at most; most replies end before the first look. */
const STEP = 4096;

/** Chosen: what does not have its last characters twice has no circle, and that is found out fast. */
const PROBE = 64;

const WARNING = 'The model wrote one block again and again: the reply was cut there.';

interface Circle {
  readonly chars: number;
  readonly period: number;
}

/**
 * Chosen: what a stream may repeat before it is cut. A program that asks for a long run of one letter gets it; a model in a
 * circle does not stop by itself. A slow one is cut by time.
 */
const CUT_CHARS = 256 * 1024;
const CUT_MS = 10_000;

/** Chosen: a longer piece was not written token by token; a server that has it whole has not been waiting for a model. */
const MAX_PIECE = 256;

/** Watches one text of a reply as it comes. */
export class CircleWatch {
  readonly #now: () => number;
  #window = '';
  #pending = '';
  #circle: { chars: number; readonly since: number } | undefined;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** True once the text has gone in circles for too long. */
  push(text: string): boolean {
    if (text.length > MAX_PIECE) {
      this.#window = '';
      this.#pending = '';
      this.#circle = undefined;
      return false;
    }
    this.#pending += text;
    if (this.#pending.length < STEP) return false;
    this.#window = (this.#window + this.#pending).slice(-WINDOW);
    const { length } = this.#pending;
    this.#pending = '';
    const found = circleAtEnd(this.#window);
    if (found === undefined) this.#circle = undefined;
    else if (this.#circle === undefined) this.#circle = { chars: found.chars, since: this.#now() };
    else this.#circle.chars += length;
    return (
      this.#circle !== undefined && (this.#circle.chars >= CUT_CHARS || this.#now() - this.#circle.since >= CUT_MS)
    );
  }
}

/** The longest circle that a text ends with. */
function circleAtEnd(text: string): Circle | undefined {
  const { length } = text;
  if (length < MIN_CHARS || text.lastIndexOf(text.slice(-PROBE), length - PROBE - 1) < 0) return undefined;
  // Knuth, Morris and Pratt's table of the reversed text: how long an end of each length repeats its own beginning.
  const borders = new Uint16Array(length);
  let border = 0;
  let found: Circle | undefined;
  for (let at = 1; at < length; at += 1) {
    const code = text.charCodeAt(length - 1 - at);
    while (border > 0 && code !== text.charCodeAt(length - 1 - border)) border = borders[border - 1] ?? 0;
    if (code === text.charCodeAt(length - 1 - border)) border += 1;
    borders[at] = border;
    const chars = at + 1;
    const period = chars - border;
    if (chars >= MIN_CHARS && chars >= MIN_TIMES * period) found = { chars, period };
  }
  return found;
}

/** The text with the block of the circle that it ends with once. */
export function withBlockOnce(text: string): string {
  const circle = circleAtEnd(text.slice(-WINDOW));
  if (circle === undefined) return text;
  const { chars, period } = circle;
  let start = text.length - chars;
  while (start > 0 && text[start - 1] === text[start - 1 + period]) start -= 1;
  // The end of what stands before may look like the end of a block: a call begins with a bracket.
  const begin = Math.max(0, text.slice(start, start + period).search(/[{<[`]/));
  return text.slice(0, start + begin + period).trimEnd();
}

/** Where a reply may go in circles. */
export type CirclePlace = 'text' | 'reasoning' | 'calls';

/**
 * What is left of a reply that was cut where it went in circles: as calls the block counts once; a text may be such calls,
 * which the loop knows. Undefined where nothing of it can be used.
 */
export function withoutCircle(reply: ModelReply, place: CirclePlace): ModelReply | undefined {
  const calls = reply.content.filter((part) => part.type === 'tool-call');
  const others = reply.content.filter((part) => part.type !== 'tool-call');
  if (place === 'text' && calls.length === 0) {
    const once = { type: 'text', text: withBlockOnce(textOf(others)) } as const;
    const content = [...others.filter(({ type }) => type !== 'text'), once];
    return { ...reply, content, isRepeating: true, warnings: [WARNING] };
  }
  if (place !== 'calls' || charsOf(calls.at(-1)) > MIN_CHARS / 2) return undefined;
  const said = new Set<string>();
  const once = calls.filter((call) => call.isComplete && !said.has(keyOf(call)) && said.add(keyOf(call)));
  return once.length === 0
    ? undefined
    : { ...reply, content: [...others, ...once], finishReason: 'tool-calls', warnings: [WARNING] };
}

/** A reply that its limit ended is looked at as a whole: a model that stopped by itself was in no circle. */
export function withoutLateCircle(reply: ModelReply): ModelReply | undefined {
  if (reply.finishReason !== 'length') return reply;
  const place = (['text', 'reasoning', 'calls'] as const).find(
    (name) => circleAtEnd(writtenIn(reply, name)) !== undefined,
  );
  return place === undefined ? reply : withoutCircle(reply, place);
}

function writtenIn({ content }: ModelReply, place: CirclePlace): string {
  if (place === 'text') return textOf(content).slice(-WINDOW);
  const written = content.flatMap((part) => {
    if (part.type === 'reasoning') return place === 'reasoning' ? [part.text] : [];
    if (part.type !== 'tool-call' || place !== 'calls') return [];
    // What closes the arguments is no part of the block.
    return [
      ('text' in part.arguments ? part.arguments.text : JSON.stringify(part.arguments.value)).replace(
        /["}\]\s]{1,64}$/,
        '',
      ),
    ];
  });
  return written.join('').slice(-WINDOW);
}

function keyOf({ name, arguments: args }: ReplyToolCall): string {
  return JSON.stringify([name, args]);
}

function charsOf(call: ReplyToolCall | undefined): number {
  return call === undefined ? 0 : keyOf(call).length;
}
