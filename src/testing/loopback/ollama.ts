import type { Json, JsonObject } from '../../core/json.ts';
import { type Dialect, finishWord, type Frame, type ResolvedCall, type ResolvedReply, wordsOf } from './dialect.ts';

/** Ollama's `done_reason` is `stop` for calls as well: recorded with 0.17.4. */
const FINISH_WORDS = { 'tool-calls': 'stop', 'content-filter': 'stop', pause: 'stop' };

/** Ollama's own wire: a JSON object in each line. */
export const ollamaChat: Dialect = {
  streamType: 'application/x-ndjson',
  // An empty line is all that a stream of lines has to show that it lives.
  ping: '\n',
  plain: (reply) => ({
    ...head(reply),
    message: {
      role: 'assistant',
      content: textOf(reply).join(''),
      ...(reply.reasoning === '' ? {} : { thinking: reply.reasoning }),
      ...(reply.calls.length === 0
        ? {}
        : { tool_calls: reply.calls.map((call, index) => callBody(call, index, reply)) }),
    },
    ...ending(reply),
  }),
  frames: streamFrames,
  errorBody: (error) => ({ error: error.message ?? `the server answered ${error.status}` }),
  errorFrame: (error) => line({ error: error.message ?? 'llama runner process has terminated' }),
  eventFrame: line,
};

function streamFrames(reply: ResolvedReply): Frame[] {
  const frames: Frame[] = [];
  const push = (tags: Frame['tags'], fields: JsonObject): void => {
    const message = { role: 'assistant', content: '', ...fields };
    frames.push({ tags, data: line({ ...head(reply), message, done: false }) });
  };
  for (const thinking of wordsOf(reply.reasoning)) push(['reasoning'], { thinking });
  for (const content of textOf(reply)) push(['text'], { content });
  // A call is one line: for a script that waits for its arguments, they are there.
  for (const [index, call] of reply.calls.entries()) {
    push(['call', 'arguments'], { tool_calls: [callBody(call, index, reply)] });
  }
  if (reply.quirks.terminal === 'missing') return frames;
  const message = { role: 'assistant', content: '' };
  frames.push({ tags: ['finish'], data: line({ ...head(reply), message, ...ending(reply) }) });
  return frames;
}

function line(value: Json): string {
  return JSON.stringify(value) + '\n';
}

function head(reply: ResolvedReply): JsonObject {
  return { model: reply.model, created_at: '2025-10-09T08:53:20.000000000Z' };
}

function ending(reply: ResolvedReply): JsonObject {
  if (reply.quirks.terminal === 'missing') return { done: false };
  return { done: true, done_reason: finishWord(reply.finish, FINISH_WORDS), ...usageBody(reply) };
}

function textOf(reply: ResolvedReply): readonly string[] {
  return reply.refusal === undefined ? reply.textPieces : [...reply.textPieces, ...wordsOf(reply.refusal)];
}

function callBody(call: ResolvedCall, index: number, reply: ResolvedReply): JsonObject {
  const id = reply.quirks.callIds === 'empty' ? '' : call.id;
  const argumentsJson = reply.quirks.callArguments === 'whole' ? call.argumentsText : call.value;
  return { ...(id === undefined ? {} : { id }), function: { index, name: call.name, arguments: argumentsJson } };
}

function usageBody({ usage }: ResolvedReply): JsonObject {
  if (usage === null) return {};
  return {
    // Nanoseconds, made up: 0.5 s in all.
    total_duration: 500_000_000,
    load_duration: 10_000_000,
    ...(usage.inputTokens === undefined
      ? {}
      : { prompt_eval_count: usage.inputTokens, prompt_eval_duration: 100_000_000 }),
    ...(usage.outputTokens === undefined ? {} : { eval_count: usage.outputTokens, eval_duration: 300_000_000 }),
  };
}
