import type { JsonObject } from '../../core/json.ts';
import type { LoopbackVendorError } from './step.ts';

/** What OpenAI says beside a status: https://platform.openai.com/docs/guides/error-codes. */
const USUAL: Readonly<
  Record<number, { readonly type: string; readonly code: string | null; readonly message: string }>
> = {
  400: { type: 'invalid_request_error', code: null, message: 'The request could not be understood.' },
  401: { type: 'invalid_request_error', code: 'invalid_api_key', message: 'Incorrect API key provided.' },
  403: { type: 'invalid_request_error', code: null, message: 'You are not allowed to use this model.' },
  404: {
    type: 'invalid_request_error',
    code: 'model_not_found',
    message: 'The model does not exist or you do not have access to it.',
  },
  413: { type: 'invalid_request_error', code: null, message: 'The request is too large.' },
  429: { type: 'requests', code: 'rate_limit_exceeded', message: 'Rate limit reached for requests.' },
  500: { type: 'server_error', code: null, message: 'The server had an error while processing your request.' },
  503: { type: 'server_error', code: null, message: 'The engine is currently overloaded, please try again later.' },
};

/** An error as OpenAI writes it, for both of its wires. */
export function openaiErrorBody(error: LoopbackVendorError & { readonly status: number }): JsonObject {
  const usual = USUAL[error.status];
  return {
    error: {
      message: error.message ?? usual?.message ?? `The server answered ${error.status}.`,
      type: error.type ?? usual?.type ?? (error.status >= 500 ? 'server_error' : 'invalid_request_error'),
      param: null,
      code: error.code ?? usual?.code ?? null,
    },
  };
}
