/** The ways in which model servers talk that the loopback server speaks. */
export type LoopbackWire = 'openai' | 'openai-responses' | 'anthropic' | 'ollama';

/** Every wire, for tables of tests. */
export const loopbackWires: readonly LoopbackWire[] = ['openai', 'openai-responses', 'anthropic', 'ollama'];

/** The path at which each wire is asked, below the server's origin. */
export const wirePaths: Readonly<Record<LoopbackWire, string>> = {
  openai: '/v1/chat/completions',
  'openai-responses': '/v1/responses',
  anthropic: '/v1/messages',
  ollama: '/api/chat',
};

/** The wire that a path belongs to. The version prefix may be missing or doubled: base URLs differ in taste. */
export function wireOfPath(path: string): LoopbackWire | undefined {
  if (path.endsWith('/chat/completions')) return 'openai';
  if (path.endsWith('/responses')) return 'openai-responses';
  if (path.endsWith('/messages')) return 'anthropic';
  if (path.endsWith('/api/chat')) return 'ollama';
  return undefined;
}

/** Whether the request asks for a stream. Ollama streams unless told not to, the others only when told to. */
export function wantsStream(wire: LoopbackWire, body: Readonly<Record<string, unknown>>): boolean {
  return wire === 'ollama' ? body['stream'] !== false : body['stream'] === true;
}
