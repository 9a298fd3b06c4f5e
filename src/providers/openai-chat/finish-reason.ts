import type { FinishReason } from '../../core/provider.ts';

/** The vendors' words, in lower case. What is not here is `other`: calls and text decide, not the word. */
const WORDS: ReadonlyMap<string, FinishReason> = new Map<string, FinishReason>([
  ['stop', 'stop'],
  ['stop_sequence', 'stop'],
  ['end_turn', 'stop'],
  ['eos', 'stop'],
  ['eos_token', 'stop'],
  ['length', 'length'],
  ['max_tokens', 'length'],
  ['max_output_tokens', 'length'],
  // Mistral: the model's own context is full.
  ['model_length', 'length'],
  ['tool_calls', 'tool-calls'],
  ['tool_call', 'tool-calls'],
  ['tool_use', 'tool-calls'],
  ['function_call', 'tool-calls'],
  ['content_filter', 'content-filter'],
  ['safety', 'content-filter'],
  ['recitation', 'content-filter'],
  ['prohibited_content', 'content-filter'],
  // Zhipu.
  ['sensitive', 'content-filter'],
  ['error', 'error'],
  ['network_error', 'error'],
  // DeepSeek: the request was interrupted because the servers are full.
  ['insufficient_system_resource', 'error'],
]);

/** Translates the word of an OpenAI-compatible server. */
export function finishReasonOf(word: string): FinishReason {
  return WORDS.get(word.toLowerCase()) ?? 'other';
}

/** Gemini's word for a call that the model has botched: there is nothing usable in the reply. */
export function isMalformedCall(word: string): boolean {
  return /malformed_?(?:function|tool)_?call/i.test(word);
}
