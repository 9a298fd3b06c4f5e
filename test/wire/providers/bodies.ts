import { sse } from './decode.ts';
import type { WireId } from './decode.ts';

/** How a body comes. */
export type Mode = 'stream' | 'plain';

export const modes: readonly Mode[] = ['stream', 'plain'];

/** A reply, to be written as any wire writes it. */
export interface SaidReply {
  readonly text?: string | undefined;
  /** Thoughts beside the text. */
  readonly thoughts?: string | undefined;
  /** Arguments are written as the wire writes them: as text, or parsed where it has values. */
  readonly calls?: readonly SaidCall[] | undefined;
  /** The vendor's word for how it ended. */
  readonly end?: string | undefined;
  /** Input and output tokens. */
  readonly usage?: readonly [number, number] | undefined;
}

export interface SaidCall {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly args?: string | undefined;
}

/** The body of a reply of status 200. */
export function bodyOf(wire: WireId, mode: Mode, said: SaidReply): string {
  return WRITERS[wire](mode, said);
}

const WRITERS: Record<WireId, (mode: Mode, said: SaidReply) => string> = {
  'openai-chat': chatBody,
  'openai-responses': responsesBody,
  anthropic: messagesBody,
  ollama: ollamaBody,
};

function chatBody(mode: Mode, { text, thoughts, calls = [], end = 'stop', usage }: SaidReply): string {
  const entries = calls.map(({ id, name, args = '' }, index) => ({ index, id, function: { name, arguments: args } }));
  const figures = usage === undefined ? {} : { usage: { prompt_tokens: usage[0], completion_tokens: usage[1] } };
  if (mode === 'plain') {
    const message = { role: 'assistant', content: text, reasoning: thoughts, tool_calls: entries };
    return JSON.stringify({ choices: [{ index: 0, message, finish_reason: end }], ...figures });
  }
  const chunk = (delta: object, word: string | null = null): object => ({
    choices: [{ index: 0, delta, finish_reason: word }],
  });
  return sse(
    ...(thoughts === undefined ? [] : [chunk({ reasoning: thoughts })]),
    ...(text === undefined ? [] : [chunk({ content: text })]),
    ...entries.map((entry) => chunk({ tool_calls: [entry] })),
    chunk({}, end),
    { choices: [], ...figures },
    '[DONE]',
  );
}

function responsesBody(mode: Mode, { text, thoughts, calls = [], end = 'completed', usage }: SaidReply): string {
  const output = [
    ...(thoughts === undefined ? [] : [{ type: 'reasoning', id: 'rs_1', summary: [{ text: thoughts }] }]),
    ...(text === undefined ? [] : [{ type: 'message', id: 'msg_1', content: [{ type: 'output_text', text }] }]),
    ...calls.map(({ id, name, args }, index) => ({
      type: 'function_call',
      id: `fc_${index}`,
      call_id: id,
      name,
      arguments: args,
      status: 'completed',
    })),
  ];
  const isStatus = ['completed', 'incomplete', 'failed', 'cancelled'].includes(end);
  const response = {
    object: 'response',
    status: isStatus ? end : 'incomplete',
    incomplete_details: isStatus ? null : { reason: end },
    usage: usage === undefined ? null : { input_tokens: usage[0], output_tokens: usage[1] },
  };
  if (mode === 'plain') return JSON.stringify({ ...response, output });
  const items = output.flatMap((item, output_index) => [
    { type: 'response.output_item.added', output_index, item: { ...item, arguments: '', content: [] } },
    ...(item.type === 'message'
      ? [{ type: 'response.output_text.delta', output_index, item_id: item.id, delta: text }]
      : []),
    { type: 'response.output_item.done', output_index, item },
  ]);
  return sse(...items, { type: 'response.completed', response: { ...response, output: [] } });
}

function messagesBody(mode: Mode, { text, thoughts, calls = [], end = 'end_turn', usage }: SaidReply): string {
  const figures = usage === undefined ? {} : { input_tokens: usage[0], output_tokens: usage[1] };
  if (mode === 'plain') {
    const content = [
      ...(thoughts === undefined ? [] : [{ type: 'thinking', thinking: thoughts }]),
      ...(text === undefined ? [] : [{ type: 'text', text }]),
      ...calls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: valueOf(args) })),
    ];
    return JSON.stringify({ type: 'message', content, stop_reason: end, usage: figures });
  }
  const block = (index: number, content_block: object): object => ({
    type: 'content_block_start',
    index,
    content_block,
  });
  return sse(
    { type: 'message_start', message: { content: [], usage: figures } },
    ...(thoughts === undefined ? [] : [block(0, { type: 'thinking', thinking: thoughts })]),
    ...(text === undefined ? [] : [block(1, { type: 'text', text })]),
    ...calls.flatMap(({ id, name, args = '' }, at) => [
      block(at + 2, { type: 'tool_use', id, name, input: {} }),
      { type: 'content_block_delta', index: at + 2, delta: { type: 'input_json_delta', partial_json: args } },
      { type: 'content_block_stop', index: at + 2 },
    ]),
    { type: 'message_delta', delta: { stop_reason: end }, usage: {} },
    { type: 'message_stop' },
  );
}

function ollamaBody(mode: Mode, { text = '', thoughts, calls = [], end = 'stop', usage }: SaidReply): string {
  const figures = usage === undefined ? {} : { prompt_eval_count: usage[0], eval_count: usage[1] };
  const last = { done: true, done_reason: end, ...figures };
  const said = calls.map(({ id, name, args }) => ({ id, function: { name, arguments: valueOf(args) } }));
  if (mode === 'plain')
    return JSON.stringify({ message: { content: text, thinking: thoughts, tool_calls: said }, ...last });
  const lines = [
    { message: { content: '', thinking: thoughts }, done: false },
    { message: { content: text }, done: false },
    ...said.map((call) => ({ message: { content: '', tool_calls: [call] }, done: false })),
    { message: { content: '' }, ...last },
  ];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** The value of arguments that are JSON, else their text. */
function valueOf(args: string | undefined): unknown {
  try {
    return JSON.parse(args ?? '') as unknown;
  } catch {
    return args;
  }
}
