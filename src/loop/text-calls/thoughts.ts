import type { ModelReply } from '../../core/provider.ts';

/**
 * Reasoning that a server passed on as text, since it does not know the template of its model: `<think>…</think>` before
 * the answer. It is reasoning, not part of the answer.
 *
 * 1. Only what stands before the answer counts, so an answer may talk about such tags.
 * 2. Reasoning that never ends is all there is: no answer follows it.
 */

/** Openings with what closes them. */
const PAIRS: readonly (readonly [open: string, close: string])[] = [
  ['<think>', '</think>'],
  ['<thinking>', '</thinking>'],
  ['<thought>', '</thought>'],
  // Seed-OSS.
  ['<seed:think>', '</seed:think>'],
  // Mistral (Magistral).
  ['[THINK]', '[/THINK]'],
  // Kimi.
  ['◁think▷', '◁/think▷'],
  // Command-R.
  ['<|START_THINKING|>', '<|END_THINKING|>'],
  // OpenThinker, Sky-T1.
  ['<|begin_of_thought|>', '<|end_of_thought|>'],
  // gpt-oss.
  ['<|channel|>analysis<|message|>', '<|end|>'],
  ['<|start|>assistant<|channel|>analysis<|message|>', '<|end|>'],
  // What it says before a call.
  ['<|channel|>commentary<|message|>', '<|end|>'],
  ['<|start|>assistant<|channel|>commentary<|message|>', '<|end|>'],
];

/** Opens the part of a reply that is for the user: gpt-oss's final channel, and what it says beside a call; Command-R. */
const OPENS_ANSWER =
  /^(?:<\|start\|>assistant)?(?:<\|channel\|>(?:final|commentary)(?: ?<\|constrain\|>\w+)?<\|message\|>|<\|START_RESPONSE\|>|<\|begin_of_solution\|>)/;

/** Closes it. */
const CLOSES_ANSWER = /<\|(?:end|return|END_RESPONSE|end_of_solution)\|>\s*$/;

/** The same where a server dropped the control tokens of gpt-oss and kept the words between them. */
const WITHOUT_TOKENS = /^analysis(?=[A-Z])([^]*?)assistant(?:final|(?=commentary to=))/;

/** A text, and the reasoning before it. */
export interface SplitText {
  readonly reasoning: string;
  readonly text: string;
}

/** Takes the reasoning out of a whole text. */
export function splitThoughts(text: string): SplitText {
  const thoughts: string[] = [];
  let rest = text.trimStart();
  for (;;) {
    const pair = PAIRS.find(([open]) => rest.startsWith(open));
    if (pair === undefined) break;
    const [open, close] = pair;
    const end = endOf(rest, open, close);
    // With nothing behind it, it is the answer.
    if (open.includes('commentary') && rest.slice(end?.next).trim() === '') break;
    thoughts.push(rest.slice(open.length, end?.at));
    rest = end === undefined ? '' : rest.slice(end.next).trimStart();
  }
  if (thoughts.length === 0) {
    const unopened = WITHOUT_TOKENS.exec(rest) ?? unopenedThoughts(rest);
    if (unopened === null && !rest.startsWith('<|')) return { reasoning: '', text };
    if (unopened !== null) {
      thoughts.push(unopened[1] ?? '');
      rest = rest.slice(unopened[0]?.length).trimStart();
    }
  }
  const answer = OPENS_ANSWER.exec(rest)?.[0];
  if (answer !== undefined) rest = rest.slice(answer.length).replace(CLOSES_ANSWER, '');
  else if (thoughts.length === 0) return { reasoning: '', text };
  const said = thoughts.map((thought) => thought.trim()).filter((thought) => thought !== '');
  return { reasoning: said.join('\n\n'), text: rest };
}

/** gpt-oss goes on with the next channel where it forgets to close this one. */
const NEXT_CHANNEL = /<\|(?:end|start|channel)\|>/g;

function endOf(text: string, open: string, close: string): { readonly at: number; readonly next: number } | undefined {
  if (close !== '<|end|>') {
    const at = text.indexOf(close, open.length);
    return at < 0 ? undefined : { at, next: at + close.length };
  }
  NEXT_CHANNEL.lastIndex = open.length;
  const found = NEXT_CHANNEL.exec(text);
  if (found === null) return undefined;
  return { at: found.index, next: found.index + (found[0] === close ? close.length : 0) };
}

/** Templates that open the reasoning themselves: only its end is in the reply, and stands apart from the words. */
function unopenedThoughts(text: string): readonly string[] | null {
  const at = text.indexOf('</think>');
  if (at < 0 || text.lastIndexOf('<think>', at) >= 0) return null;
  const end = at + '</think>'.length;
  const isApart = text.charAt(at - 1) === '\n' || /^(?:\s*\n|[{[<]|$)/.test(text.slice(end, end + 10));
  return isApart && !/[`'"]/.test(text.charAt(at - 1)) ? [text.slice(0, end), text.slice(0, at)] : null;
}

/** The reply with the reasoning before its answer as what it is. */
export function withoutThoughts(reply: ModelReply, issuer: string): ModelReply {
  const index = reply.content.findIndex(({ type }) => type === 'text');
  const part = reply.content[index];
  if (part?.type !== 'text') return reply;
  const { reasoning, text } = splitThoughts(part.text);
  if (text === part.text) return reply;
  const content: ModelReply['content'][number][] = [...reply.content];
  const thought = { type: 'reasoning', text: reasoning, issuer } as const;
  content.splice(index, 1, ...(reasoning === '' ? [] : [thought]), ...(text === '' ? [] : [{ ...part, text }]));
  return { ...reply, content };
}

/** A piece of a reply on its way. */
export interface StreamPiece {
  readonly type: 'text-delta' | 'reasoning-delta';
  readonly text: string;
}

/** Tells reasoning and answer apart while they come. Holds back what may be the beginning of a tag, at most. */
export class ThoughtStream {
  #held = '';
  #state: 'start' | 'between' | 'tokens' | 'answer' | { readonly close: string } = 'start';

  /** What can be shown now. */
  push(text: string): readonly StreamPiece[] {
    if (this.#state === 'answer') return [{ type: 'text-delta', text }];
    this.#held += text;
    const pieces: StreamPiece[] = [];
    while (this.#held !== '' && this.#step(pieces));
    return pieces;
  }

  /** What was held back, at the end of the text. */
  end(): readonly StreamPiece[] {
    const held = this.#held;
    this.#held = '';
    if (typeof this.#state === 'object') return pieceOf('reasoning-delta', held);
    const { reasoning, text } = splitThoughts(held);
    return [...pieceOf('reasoning-delta', reasoning), ...pieceOf('text-delta', text)];
  }

  /** False where more has to come first. */
  #step(pieces: StreamPiece[]): boolean {
    const state = this.#state;
    if (state === 'tokens') return false;
    return typeof state === 'object' ? this.#think(state.close, pieces) : this.#begin(state, pieces);
  }

  #think(close: string, pieces: StreamPiece[]): boolean {
    const at = this.#held.indexOf(close);
    const end = at < 0 ? this.#held.length - overlap(this.#held, close) : at;
    pieces.push(...pieceOf('reasoning-delta', this.#held.slice(0, end)));
    this.#held = this.#held.slice(at < 0 ? end : at + close.length);
    if (at >= 0) this.#state = 'between';
    return at >= 0;
  }

  #begin(state: string, pieces: StreamPiece[]): boolean {
    const start = this.#held.trimStart();
    // Control tokens are read at the end: what follows them may be a call as well.
    if (start.startsWith('<|')) this.#state = 'tokens';
    const pair = PAIRS.find(([open]) => start.startsWith(open));
    if (this.#state === 'tokens') return false;
    if (pair !== undefined) {
      this.#held = start.slice(pair[0].length);
      this.#state = { close: pair[1] };
      return true;
    }
    if (start !== '' && PAIRS.some(([open]) => open.startsWith(start))) return false;
    pieces.push(...pieceOf('text-delta', state === 'between' ? start : this.#held));
    this.#held = '';
    if (start !== '') this.#state = 'answer';
    return false;
  }
}

function pieceOf(type: StreamPiece['type'], text: string): StreamPiece[] {
  return text === '' ? [] : [{ type, text }];
}

/** How many characters at the end of `text` may be the beginning of `close`. */
function overlap(text: string, close: string): number {
  for (let length = Math.min(close.length - 1, text.length); length > 0; length -= 1)
    if (text.endsWith(close.slice(0, length))) return length;
  return 0;
}
