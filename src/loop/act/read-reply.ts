import { Abort } from '../../core/abort.ts';
import { cutWords } from '../../core/cut-words.ts';
import type { DeadlineName, Failure } from '../../core/failure.ts';
import { textOf } from '../../core/message.ts';
import type { ModelReply, ModelRequest, Provider, ProviderEvent } from '../../core/provider.ts';
import type { Redactor } from '../../secrets/redactor.ts';
import { watchAttempt } from '../../resilience/deadline.ts';
import { messageOfError } from '../../core/thrown-words.ts';
import type { Usage } from '../../core/usage.ts';
import { ThoughtStream, withoutThoughts } from '../text-calls/thoughts.ts';
import type { StreamPiece } from '../text-calls/thoughts.ts';
import { problemOfEvent } from './check-provider-event.ts';
import type { RunContext } from './context.ts';
import type { FiguresTold } from './told-figures.ts';
import { oddFigures, withoutFigures } from './told-figures.ts';

/** What one attempt gave. */
export interface AttemptOutcome {
  readonly reply: ModelReply | undefined;
  /** Set where there is no reply; both are undefined where the run was aborted. */
  readonly failure: Failure | undefined;
  /** True where text was shown. */
  readonly hasStreamed: boolean;
  /** What the server told of a reply that is no use; undefined where it told nothing. */
  readonly usage: Usage | undefined;
  /** Characters of text and reasoning that came, whatever became of them. */
  readonly streamedChars: number;
  readonly firstByteMs: number | undefined;
  readonly durationMs: number;
}

/**
 * Asks a provider once and reads to the end.
 *
 * 1. Settles at once when the run is aborted or a deadline passes, whatever the provider does then.
 * 2. A provider that throws, ends without a last event or goes on after it harms nothing.
 * 3. No deadline runs while a slow reader of the events holds the stream back.
 */
export function readReply(
  context: RunContext,
  provider: Provider,
  request: ModelRequest,
  turn: number,
): Promise<AttemptOutcome> {
  const { clock, deadlines } = context.config;
  const started = clock.monotonic();
  const attempt = new Abort();
  let hasStreamed = false;
  let shown = '';
  let streamedChars = 0;
  let usage: Usage | undefined;
  let firstByteMs: number | undefined;
  return new Promise((resolve) => {
    let isSettled = false;
    // An abort that has come already is told while this is being asked for.
    let unsubscribe = (): void => {};
    const settle = (reply: ModelReply | undefined, failure: Failure | undefined): void => {
      if (isSettled) return;
      isSettled = true;
      watch.end();
      unsubscribe();
      resolve({
        reply,
        failure,
        hasStreamed,
        usage,
        streamedChars,
        firstByteMs,
        durationMs: clock.monotonic() - started,
      });
    };
    const cutOff = (failure: Failure | undefined, reason: unknown): void => {
      settle(undefined, failure);
      attempt.abort(reason);
    };
    const watch = watchAttempt(clock, deadlines, (name) => {
      const failure = timeoutFailure(provider, name, deadlines);
      cutOff(failure, new Error(failure.message));
    });
    unsubscribe = context.abort.subscribe((reason) => {
      context.partial.text = shown;
      cutOff(undefined, reason);
    });
    const onlyFigures = <T extends FiguresTold>(told: T): T => {
      const odd = oddFigures(told);
      if (odd.length === 0) return told;
      const message = `Provider \`${provider.id}\` reported an invalid number (${odd.join(', ')}); it is ignored.`;
      context.emit({ type: 'warning', turn, message });
      return withoutFigures(told, odd);
    };
    const thoughts = new ThoughtStream();
    const show = ({ type, text }: StreamPiece): void => {
      if (type === 'text-delta') {
        hasStreamed = true;
        shown += text;
      }
      if (context.wants(type)) context.emit({ type, turn, text });
    };
    const onEvent = (event: ProviderEvent): boolean => {
      const problem = problemOfEvent(event, context.config.table);
      if (problem !== undefined) {
        settle(undefined, brokenProvider(provider, problem, undefined));
        return false;
      }
      switch (event.type) {
        case 'text-delta':
          streamedChars += event.text.length;
          for (const piece of thoughts.push(event.text)) show(piece);
          break;
        case 'reasoning-delta':
          streamedChars += event.text.length;
          if (context.wants('reasoning-delta')) context.emit({ type: 'reasoning-delta', turn, text: event.text });
          break;
        case 'progress':
          if (event.phase === 'headers') return true;
          break;
        case 'reply':
          {
            for (const piece of thoughts.end()) show(piece);
            const reply = withoutThoughts(onlyFigures(event.reply), provider.id);
            const failure = checkReply(reply, context.config.redactor);
            usage = reply.usage;
            settle(failure === undefined ? reply : undefined, failure);
          }
          return false;
        case 'failure':
          settle(undefined, { ...onlyFigures(event.failure), providerId: event.failure.providerId ?? provider.id });
          return false;
      }
      firstByteMs ??= clock.monotonic() - started;
      watch.alive();
      return true;
    };
    const hold = async (caughtUp: Promise<void>): Promise<void> => {
      watch.pause();
      await caughtUp;
      watch.goOn();
    };
    pump(provider, request, attempt, context, onEvent, hold, () => isSettled).then(
      () => settle(undefined, brokenProvider(provider, 'ended without a reply or a failure', undefined)),
      (cause: unknown) => settle(undefined, brokenProvider(provider, 'threw', cause)),
    );
  });
}

async function pump(
  provider: Provider,
  request: ModelRequest,
  attempt: Abort,
  context: RunContext,
  onEvent: (event: ProviderEvent) => boolean,
  hold: (caughtUp: Promise<void>) => Promise<void>,
  isSettled: () => boolean,
): Promise<void> {
  if (isSettled()) return;
  const iterator = provider.stream(request, { signal: attempt.signal })[Symbol.asyncIterator]();
  for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
    if (isSettled() || !onEvent(next.value)) break;
    const full = context.backpressure();
    if (full !== undefined) await hold(full);
  }
  // Lets a generator free what it holds; its own failure at this point concerns nobody.
  await iterator.return?.().catch(() => {});
}

/** A reply that has nothing to say is a failure of its own. */
function checkReply(reply: ModelReply, redactor: Redactor): Failure | undefined {
  if (reply.finishReason === 'content-filter') {
    // Secrets go before it is cut: half of one would not be recognised.
    const text = cutWords(redactor.redact(textOf(reply.content)).trim(), 200);
    const words = text === '' ? '' : `: ${text}`;
    return {
      kind: 'refused',
      message: `The model refused, or a content filter stepped in (${reply.rawFinishReason ?? 'content-filter'})${words}.`,
    };
  }
  if (reply.finishReason === 'length' || reply.finishReason === 'pause') return undefined;
  const isEmpty = !reply.content.some(
    (part) => part.type === 'tool-call' || (part.type === 'text' && saysSomething(part.text)),
  );
  if (!isEmpty) return undefined;
  const reason = reply.rawFinishReason === undefined ? '' : ` (finish reason ${reply.rawFinishReason})`;
  return { kind: 'empty-reply', message: `The model replied with neither text nor a tool call${reason}.` };
}

/** True where a text has anything to read besides the control tokens of a template: white space and what is not seen say nothing. */
function saysSomething(text: string): boolean {
  return SEEN.test(text.includes('<') || text.includes('[') ? text.replace(CONTROL_TOKENS, '') : text);
}

/**
 * `<|im_end|>`, `<｜end▁of▁sentence｜>`, `</s>`, `<end_of_turn>`, `[EOS]` ... with the role behind those that begin a turn;
 * tags around calls with no call in them; colours of a terminal.
 */
const CONTROL_TOKENS =
  /(?:\[TOOL_CALLS\]|<TOOLCALL>|<\|tool_calls?\|>|functools)\s*\[\s*\]|(?:<\|(?:im_start|start|start_header_id)\|>|<start_of_turn>)(?:assistant|model|user|system|tool)\b|<[|｜][^|｜<>\n]{1,60}[|｜]>|<\/?(?:s|bos|eos|eot|eom|pad|unk|mask|think|thinking|start_of_turn|end_of_turn|assistant|answer|TOOLCALL|tool_calls?|function_calls?)>|\[\/?(?:EOS|BOS|PAD|UNK|INST|END|THINK|TOOL_CALLS)\]|\u001b\[[\d;]*m/gi;

/** A blank of Braille is a letter by its class, and a replacement character stands for a letter that was lost. */
const SEEN = /[^\s\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800\ufffd]/u;

const DEADLINE_WORDS: Record<
  'first-byte' | 'idle' | 'total',
  { words: string; option: 'firstByteMs' | 'idleMs' | 'totalMs' }
> = {
  'first-byte': { words: 'did not begin to answer', option: 'firstByteMs' },
  idle: { words: 'stopped sending in the middle of its answer', option: 'idleMs' },
  total: { words: 'did not finish its answer', option: 'totalMs' },
};

function timeoutFailure(provider: Provider, name: DeadlineName, deadlines: RunContext['config']['deadlines']): Failure {
  const known = name === 'idle' || name === 'total' ? name : 'first-byte';
  const { words, option } = DEADLINE_WORDS[known];
  const message = `${provider.origin ?? provider.id} ${words} within ${deadlines[option]} ms (${known} timeout, \`deadlines.${option}\`).`;
  return { kind: 'timeout', message, deadline: known, providerId: provider.id };
}

function brokenProvider(provider: Provider, what: string, cause: unknown): Failure {
  const said = messageOfError(cause);
  const words = said === undefined ? '' : `: ${said}`;
  const message = `The provider \`${provider.id}\` ${what}${words}`;
  return { kind: 'bug', message: message.endsWith('.') ? message : `${message}.`, providerId: provider.id, cause };
}
