import type { Failure } from '../../../../src/core/failure.ts';
import { httpFailure, problemFailure } from '../../../../src/providers/errors/vendor-failure.ts';
import type { Server } from '../../../../src/providers/server.ts';

export const server: Server = {
  providerId: 'openai-chat',
  url: 'https://api.example.test/v1/chat/completions',
  origin: 'https://api.example.test',
  host: 'api.example.test',
  model: 'm',
  keyVariable: 'EXAMPLE_KEY',
  secrets: ['sk-abcdef123456'],
};

/** 30 Nov 2026, 12:00:00 UTC. */
export const NOW = 1_796_040_000_000;

/** The failure of an answer with an error status. */
export function answer(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Failure {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return httpFailure(server, status, (name) => headers[name], text, NOW);
}

/** The failure of an error inside an answer of status 200. */
export function inside(payload: unknown, hasBegun = false): Failure {
  return problemFailure(server, { type: 'error-payload', payload }, { nowMs: NOW, hasBegun });
}

/** An error in OpenAI's shape. */
export function error(message: string, more: object = {}): object {
  return { error: { message, ...more } };
}
