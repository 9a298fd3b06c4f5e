import { isRecord } from '../../core/json.ts';
import type { ReplyToolCall } from '../../core/provider.ts';

// What of a JSON value is a call, wherever it stood.

/** Keys under which the arguments stand: OpenAI's and Hermes', Llama's, Anthropic's. */
const ARGUMENT_KEYS = ['arguments', 'parameters', 'input', 'args'] as const;

/** A call that a JSON value describes: its name, and arguments as an object or as text. */
export function callIn(value: unknown): Pick<ReplyToolCall, 'name' | 'arguments'> | undefined {
  if (!isRecord(value)) return undefined;
  const inner = isRecord(value['function']) ? value['function'] : value;
  const { name } = inner;
  if (typeof name !== 'string') return undefined;
  const key = ARGUMENT_KEYS.find((candidate) => candidate in inner);
  const written = key && inner[key];
  if (typeof written === 'string') return { name, arguments: { text: written } };
  if (isRecord(written)) return { name, arguments: { value: written } };
  // A name alone is a call of a tool without arguments only when nothing else stands beside it.
  return key === undefined && Object.keys(inner).length === 1 ? { name, arguments: { value: {} } } : undefined;
}

const OTHER_KEYS = ['name', 'type', 'id', 'index', 'call_id', 'tool_call_id', 'function'] as const;

const KEYS_OF_CALLS: ReadonlySet<string> = new Set([...OTHER_KEYS, ...ARGUMENT_KEYS]);

/** True for a call without anything that calls do not have. */
export function hasKeysOfCallsOnly(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const inner = value['function'];
  return [value, inner].every((part) => !isRecord(part) || Object.keys(part).every((key) => KEYS_OF_CALLS.has(key)));
}

/** A name as tools have them: one word. */
const ONE_WORD = /^[A-Za-z_][\w.-]{1,63}$/;

/** True for an object that has the two keys of a call, and no others. */
export function isNothingButACall(value: unknown): boolean {
  if (!isRecord(value) || Object.keys(value).length !== 2) return false;
  const { name, arguments: given } = value;
  return typeof name === 'string' && ONE_WORD.test(name) && isRecord(given);
}
