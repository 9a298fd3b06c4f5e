import { isRecord } from '../../core/json.ts';

/** The wire that a value of a reply is of, by its shape. */
export function wireOf(value: unknown): string | undefined {
  if (!isRecord(value)) return undefined;
  const { type, object, choices, done } = value;
  if (Array.isArray(choices) || String(object).startsWith('chat.completion')) return 'openai-chat';
  if (object === 'response' || String(type).startsWith('response.')) return 'openai-responses';
  if (type === 'message' || type === 'message_start') return 'anthropic';
  return typeof done === 'boolean' && isRecord(value['message']) ? 'ollama' : undefined;
}
