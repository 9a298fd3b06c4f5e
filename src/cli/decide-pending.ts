import { createInterface } from 'node:readline/promises';
import type { PendingRequest } from '../core/result.ts';
import type { ResumeOptions } from '../loop/agent/agent.ts';
import { callText } from './trace-words.ts';
import { singleLine } from './terminal-text.ts';
import { readableEnvironment } from './surroundings.ts';
import { symbolsFor } from './terminal.ts';

/** True where a person can be asked: what they type comes from a terminal, and they see the question on one. */
export function canAskPerson(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

/**
 * Asks on the terminal for a decision on each call that waits, and for an answer to each question. Nothing but a yes
 * approves. Undefined where the person leaves instead (Ctrl+C, Ctrl+D).
 */
export async function decidePending(pending: readonly PendingRequest[]): Promise<ResumeOptions | undefined> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const left = new AbortController();
  terminal.on('SIGINT', () => left.abort());
  terminal.on('close', () => left.abort());
  const decisions: Record<string, 'approve' | 'deny'> = {};
  const answers: Record<string, string> = {};
  try {
    for (const request of pending) {
      const said = await terminal.question(promptOf(request), { signal: left.signal });
      if (request.type === 'question') answers[request.toolCallId] = said;
      else decisions[request.toolCallId] = isYes(said) ? 'approve' : 'deny';
    }
    return { decisions, answers };
  } catch (error) {
    if (!left.signal.aborted) throw error;
    process.stderr.write('\n');
    return undefined;
  } finally {
    terminal.close();
  }
}

/** The prompt for one request. Everything in it was written by a model or a tool: it can't move the cursor. */
export function promptOf(request: PendingRequest): string {
  if (request.type === 'question') return `  ${request.toolName} asks: ${singleLine(request.question)} `;
  return `  Run ${approvalText(request.toolName, request.input)}? [y/N] `;
}

/** The whole call: the person who approves it has to see every argument to its end. */
function approvalText(toolName: string, input: Extract<PendingRequest, { type: 'approval' }>['input']): string {
  const short = callText(toolName, input, symbolsFor(readableEnvironment).ellipsis);
  const isWhole = !short.includes(symbolsFor(readableEnvironment).ellipsis);
  return isWhole ? short : singleLine(`${toolName} ${JSON.stringify(input)}`);
}

/** True for a plain yes. */
export function isYes(said: string): boolean {
  return /^\s*y(?:es)?\s*$/i.test(said);
}
