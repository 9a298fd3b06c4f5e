import type { Provider } from '../../src/index.ts';
import { anthropic, ollama, openai, openaiResponses } from '../../src/index.ts';
import type { WireId } from './providers/decode.ts';

/** Providers of all wires, for a server on `origin`. */
export const providersOn: Record<WireId, (origin: string, stream: boolean) => Provider> = {
  'openai-chat': (origin, stream) => openai({ model: 'm', apiKey: 'none', baseURL: `${origin}/v1`, stream }),
  'openai-responses': (origin, stream) =>
    openaiResponses({ model: 'm', apiKey: 'none', baseURL: `${origin}/v1`, stream }),
  anthropic: (origin, stream) => anthropic({ model: 'm', apiKey: 'none', baseURL: origin, stream }),
  ollama: (origin, stream) => ollama({ model: 'm', baseURL: origin, stream }),
};
