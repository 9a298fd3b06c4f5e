import type { LoopbackRequest, LoopbackServer } from '../loopback/server.ts';

/** What the server made of the questions: without it, nobody can tell why a case failed. */
export function answersOf({ requests, strays }: LoopbackServer): string {
  const answers = [...requests.map(answerTo), ...strays.map((stray) => `404 (${stray} is no path of this wire)`)];
  return answers.length === 0 ? 'The server was asked nothing.' : `The server answered ${answers.join(', then ')}.`;
}

function answerTo({ status, step, violation }: LoopbackRequest): string {
  if (status === undefined) return 'nothing';
  if (step === undefined && status === 401) return '401 (the request lacks the `apiKey` that `makeProvider` was given)';
  if (violation !== undefined) return `${status} (${violation.replace(/\.$/u, '')})`;
  if (step !== undefined && 'stall' in step) return `${status} and fell silent`;
  return step !== undefined && 'cut' in step ? `${status} and broke off` : String(status);
}
