import { expect, test } from 'vitest';
import { slipPolicyFor } from '../../../src/cli/slip-policy.ts';
import { ollama, openai, scripted } from '../../../src/index.ts';

test.each([
  ['an Ollama on this machine', ollama({ model: 'm', baseURL: 'http://127.0.0.1:11434' }), 'rewind'],
  ['a compatible server on this machine', openai({ model: 'm', baseURL: 'http://localhost:8080/v1' }), 'rewind'],
  ['a hosted service', openai({ model: 'm', baseURL: 'https://api.example.test/v1' }), 'ladder'],
  ['a provider without an origin', scripted(['Hello.']), 'ladder'],
])('%s gets its policy', (_name, provider, policy) => {
  expect(slipPolicyFor(provider)).toBe(policy);
});
