import { expect, test } from 'vitest';
import type { RunDocument } from '../../../src/cli/run-document.ts';
import { documentText } from '../../../src/cli/run-document.ts';
import type { Failure } from '../../../src/core/failure.ts';
import type { Message } from '../../../src/core/message.ts';

const failure: Failure = { kind: 'network', message: 'Reset.', cause: new Error('with a stack') };

const input = { cause: 'rust', failures: [{ kind: 'network', message: 'as a failure has it', cause: { of: 'it' } }] };

const messages: readonly Message[] = [
  { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'report', input }] },
];

test('what was thrown inside a failure is left out, and a `cause` of anybody else is not', () => {
  const document: RunDocument = {
    status: 'failed',
    runId: 'run_1',
    messages,
    usage: {},
    turns: 1,
    failures: [failure],
    failure,
    partialText: '',
    provider: 'p',
    model: 'm',
    requests: 1,
    durationMs: 5,
  };
  const told = { kind: 'network', message: 'Reset.' };
  expect(JSON.parse(documentText(document))).toEqual({ ...document, failures: [told], failure: told });
});

test('the arguments that a call waits with are whole', () => {
  const pending = [{ type: 'approval' as const, toolCallId: 'a', toolName: 'report', input }];
  const document: RunDocument = {
    status: 'suspended',
    runId: 'run_1',
    messages: [],
    usage: {},
    turns: 1,
    failures: [],
    pending,
    partialText: '',
    provider: 'p',
    model: 'm',
    requests: 1,
    durationMs: 5,
  };
  expect(JSON.parse(documentText(document))).toEqual(document);
});
