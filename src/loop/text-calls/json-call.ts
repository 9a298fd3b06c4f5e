import { isRecord } from '../../core/json.ts';
import type { ReplyToolCall } from '../../core/provider.ts';

// What of a JSON value is a call, wherever it stood.

/** Keys under which the name stands: everybody's, Command-R's, and what models make of it; ReAct's in JSON. */
const NAME_KEYS = ['name', 'tool_name', 'tool', 'function', 'action'] as const;

/** Keys under which the arguments stand: OpenAI's and Hermes', Llama's, Anthropic's, and what models make of them. */
const ARGUMENT_KEYS = ['arguments', 'parameters', 'input', 'args', 'tool_input', 'action_input', 'kwargs'] as const;

/** A call that a JSON value describes: its name, and arguments as an object or as text. */
export function callIn(value: unknown): Pick<ReplyToolCall, 'name' | 'arguments'> | undefined {
  if (!isRecord(value)) return undefined;
  const inner = isRecord(value['function']) ? value['function'] : value;
  const name = NAME_KEYS.map((key) => inner[key]).find((candidate) => typeof candidate === 'string');
  if (typeof name !== 'string') return undefined;
  const key = ARGUMENT_KEYS.find((candidate) => candidate in inner);
  const written = key && inner[key];
  if (typeof written === 'string') return { name, arguments: { text: written } };
  if (isRecord(written)) return { name, arguments: { value: written } };
  // A name alone is a call of a tool without arguments only when nothing else stands beside it.
  const isAlone = key === undefined && 'name' in inner && Object.keys(inner).length === 1;
  if (isAlone) return { name, arguments: { value: {} } };
  return key !== undefined && written === null ? { name, arguments: { value: null } } : undefined;
}

/** What a call has beside its name and its arguments. */
const OTHER_KEYS = ['type', 'id', 'index', 'call_id', 'tool_call_id', 'thought', 'thoughts', 'reasoning'] as const;

const KEYS_OF_CALLS: ReadonlySet<string> = new Set([...NAME_KEYS, ...OTHER_KEYS, ...ARGUMENT_KEYS]);

/** The keys of a call that calls do not have. */
export function keysBeside(value: unknown): readonly string[] {
  if (!isRecord(value)) return [];
  const parts = [value, value['function']].filter(isRecord);
  return parts.flatMap((part) => [
    ...Object.keys(part).filter((key) => !KEYS_OF_CALLS.has(key)),
    ...secondArguments(part),
  ]);
}

/** Keys of arguments that stand in one call with others: which of them are meant is not clear. */
function secondArguments(call: Readonly<Record<string, unknown>>): readonly string[] {
  return ARGUMENT_KEYS.filter((key) => key in call).slice(1);
}

/** True for a key that arguments stand under. */
export function holdsArguments(key: string): boolean {
  return ARGUMENT_KEYS.some((candidate) => candidate === key);
}

/** The calls in a value that may hold several: a list, or a whole message with `tool_calls` and words beside them. */
export function entriesOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (!isRecord(value) || !Array.isArray(value['tool_calls'])) return [value];
  const { tool_calls: calls, ...beside } = value;
  const isMessage = Object.values(beside).every((part) => part === null || typeof part === 'string');
  return isMessage && Array.isArray(calls) ? calls : [value];
}

/** A name as tools have them: one word. */
const ONE_WORD = /^[A-Za-z_][\w.-]{1,63}$/;

/** True for an object that has the two keys of a call, and no others. */
export function isNothingButACall(value: unknown): boolean {
  if (!isRecord(value) || Object.keys(value).length !== 2) return false;
  const { name, arguments: given } = value;
  return typeof name === 'string' && ONE_WORD.test(name) && isRecord(given);
}
