import { isRecord } from '../core/json.ts';
import type { FinishReason, ModelReply, ReplyToolCall } from '../core/provider.ts';
import type { Usage } from '../core/usage.ts';
import { isJson } from './argument-pieces.ts';
import { malformed, reported } from './assembler.ts';
import type { Assembled } from './assembler.ts';
import { parseJson, stringOf } from './json-fields.ts';

/** How a reply ended: a finish reason, or that nothing in it can be used. */
type End = FinishReason | 'malformed';

/**
 * The words that vendors use, sorted by the stems in them, from the gravest end to the mildest: a reply has several fields
 * that say how it ended, a word may hold several stems, and the gravest one counts. Sources: the API references of OpenAI,
 * Azure, Anthropic, Gemini (`FinishReason`), Bedrock (`StopReason`), Cohere, Mistral, DeepSeek, Zhipu, watsonx, OpenRouter,
 * vLLM, SGLang, TGI, llama.cpp and Ollama. What has no stem is `other`, with a warning.
 */
const STEMS: readonly (readonly [End, string])[] = [
  // The model wrote a call that its server could not read: there is nothing usable in the reply.
  ['malformed', 'malformed|(?:unexpected|invalid|too.many).?(?:tool|function|call)|missing.thought'],
  [
    'content-filter',
    'filter|safety|recitation|prohibit|block|sensitive|guardrail|refus|moderat|toxic|spii|polic|unsafe|flag|violat|' +
      'language|inappropriate|censor',
  ],
  [
    'error',
    'error|fail|abort|cancel|timed?.?(?:out|limit)|deadline|overload|insufficient|unavailable|exhaust|quota|interrupt|' +
      'expire|connection|disconnect|exception|crash|kill|terminat|throttl|rate.?limit|too.many|preempt|evict|capacity|' +
      'memory|oom|shut.?down|repeti|busy|lost|reject|invalid|internal|network|upstream',
  ],
  ['length', 'length|max|truncat|incomplete|unfinished|partial|cut|limit|context|budget|exceed'],
  ['pause', 'pause'],
  ['tool-calls', 'tool|function'],
  ['stop', 'stop|end|eo[st]|complete|finish|done|success|natural'],
];

/** A stem begins a word or stands behind what is no letter: `stop` is in `stop_sequence`, and `complete` is not in `incomplete`. */
const ENDS: readonly (readonly [End, RegExp])[] = STEMS.map(([end, stems]) => [
  end,
  new RegExp(`(?:^|[^a-z])(?:${stems})`),
]);

/** Words that say that the reply goes on. */
const UNSAID: ReadonlySet<string> = new Set(['', 'null', 'none', 'not_finished', 'in_progress', 'queued']);

const GRAVITY: readonly End[] = [...STEMS.map(([end]) => end).slice(0, 5), 'other', 'tool-calls', 'stop'];

/** What a vendor's word means. */
export function endOfWord(word: string): End {
  // Camel case falls apart into its words.
  const plain = word.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase();
  return ENDS.find(([, stems]) => stems.test(plain))?.[0] ?? 'other';
}

/** Collects everything that a reply says of its end. */
export class ReplyEnd {
  /** The gravest end that was said, and its word as it came. */
  kind: End | undefined;
  word: string | undefined;
  /** The reply is good, and a developer should know this. */
  readonly warnings: string[] = [];

  /** Takes a word. True where it is one. */
  say(value: unknown): boolean {
    const word = stringOf(value)?.trim() ?? '';
    if (UNSAID.has(word.toLowerCase())) return false;
    if (word !== this.word) this.add(endOfWord(word), word);
    return true;
  }

  /** Takes an end that is said by other means than a word. */
  add(kind: End, word: string): void {
    if (kind === 'other') this.warnings.push(`The server ended the reply with an unknown word: ${word.slice(0, 100)}.`);
    if (this.kind !== undefined && GRAVITY.indexOf(kind) > GRAVITY.indexOf(this.kind)) return;
    this.kind = kind;
    this.word = word;
  }
}

/** What an assembler knows of a reply that has ended. */
export interface EndedReply {
  readonly content: ModelReply['content'];
  readonly usage: Usage;
  readonly model: string | undefined;
  readonly responseId?: string | undefined;
}

/** Makes the reply of what came, by the same rules on every wire. */
export function endReply(end: ReplyEnd, { content, ...rest }: EndedReply): Assembled {
  const { kind = 'other', word } = end;
  if (kind === 'malformed') return malformed(`The model wrote a call that its server could not read (${word}).`);
  if (kind === 'error')
    return reported({ message: `The reply ended with the finish reason ${word}.`, code: word?.toLowerCase() });
  const warnings =
    end.kind === undefined ? ['The server gave no finish reason: the reply was taken as whole.'] : end.warnings;
  const calls = settledCalls(content, kind === 'length', end.kind === undefined);
  if (calls === undefined) return malformed('The reply has arguments without a call.');
  const reply: ModelReply = { content: calls, finishReason: kind, rawFinishReason: word, ...rest };
  return { type: 'reply', reply: warnings.length === 0 ? reply : { ...reply, warnings } };
}

/**
 * What stands as a call, decided for every wire:
 *
 * 1. A call that came twice, with the same id, name and arguments, is one call. So is one that was begun anew.
 * 2. Of a reply that hit its limit the last call is never complete, however whole its JSON looks: servers close cut JSON
 *    themselves. Those before it are where their arguments are whole JSON.
 * 3. Where the server did not say that the reply is whole, a call's own JSON must.
 *
 * Undefined where arguments came for no call at all.
 */
function settledCalls(
  content: ModelReply['content'],
  wasCut: boolean,
  mustProve: boolean,
): ModelReply['content'] | undefined {
  const kept = withoutRepeats(content);
  const last = kept.findLast((part) => part.type === 'tool-call');
  const settled: ModelReply['content'][number][] = [];
  for (const part of kept) {
    if (part.type !== 'tool-call') settled.push(part);
    else if (part.name !== '') {
      const isProven = !(wasCut || mustProve) || isWhole(part);
      settled.push({ ...part, isComplete: part.isComplete && isProven && !(wasCut && part === last) });
    } else if (textOf(part) !== '') return undefined;
  }
  return settled;
}

/** Two equal calls with other ids, or without any, are two. */
function withoutRepeats(content: ModelReply['content']): ModelReply['content'] {
  const byName = new Map<string, ReplyToolCall[]>();
  for (const part of content) {
    if (part.type !== 'tool-call' || part.id === undefined || part.id === '') continue;
    const key = JSON.stringify([part.id, part.name]);
    const same = byName.get(key);
    if (same === undefined) byName.set(key, [part]);
    else same.push(part);
  }
  const repeats = new Set<ReplyToolCall>();
  for (const calls of byName.values()) if (calls.length > 1) noteRepeats(calls, repeats);
  return repeats.size === 0 ? content : content.filter((part) => part.type !== 'tool-call' || !repeats.has(part));
}

function noteRepeats(calls: readonly ReplyToolCall[], repeats: Set<ReplyToolCall>): void {
  const seen = new Set<string>();
  for (const [at, call] of calls.entries()) {
    const next = calls[at + 1];
    const value = valueOf(call);
    const isBegunAnew = value === undefined && next !== undefined && textOf(next).startsWith(textOf(call));
    const key = value === undefined ? textOf(call) : JSON.stringify(value, sortKeys);
    if (isBegunAnew || seen.has(key)) repeats.add(call);
    else seen.add(key);
  }
}

/** The order of its keys says nothing of an object. */
function sortKeys(_key: string, value: unknown): unknown {
  return isRecord(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;
}

function textOf({ arguments: args }: ReplyToolCall): string {
  return 'text' in args ? args.text : JSON.stringify(args.value);
}

function valueOf({ arguments: args }: ReplyToolCall): unknown {
  return 'text' in args ? parseJson(args.text) : args.value;
}

/** A value was read by the server, or stood in JSON that was whole. */
function isWhole({ arguments: args }: ReplyToolCall): boolean {
  return !('text' in args) || isJson(args.text);
}
