import { assertNever } from '../core/assert.ts';
import type { Provider } from '../core/provider.ts';
import { anthropic, ollama, openai, openaiResponses } from '../index.ts';
import type { ProviderChoice } from './find-provider.ts';

/** The provider of a choice. `stream` false: replies are asked for in one piece. */
export function buildProvider(choice: ProviderChoice, stream: boolean): Provider {
  const { model, baseURL, apiKey } = choice;
  switch (choice.provider) {
    case 'openai':
      return openai({ model, baseURL, apiKey, stream });
    case 'openai-responses':
      return openaiResponses({ model, baseURL, apiKey, stream });
    case 'anthropic':
      return anthropic({ model, baseURL, apiKey, stream });
    case 'ollama':
      return ollama({ model, baseURL, stream });
    default:
      return assertNever(choice.provider);
  }
}

/** Where an Ollama would be: what its provider makes of OLLAMA_HOST. */
export function ollamaOrigin(): string {
  return ollama({ model: 'any' }).origin ?? 'http://127.0.0.1:11434';
}
