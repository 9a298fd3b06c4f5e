import { describe, expect, test } from 'vitest';
import { emptyTrace, traceEvent } from '../../../src/cli/trace.ts';
import type { Look } from '../../../src/cli/trace-line.ts';
import { asciiSymbols, lineText, lineWidth, unicodeSymbols } from '../../../src/cli/trace-line.ts';
import type { RunEvent } from '../../../src/core/event.ts';
import type { FailureKind } from '../../../src/core/failure.ts';
import type { RunResult } from '../../../src/core/result.ts';
import { failureTable } from '../../../src/resilience/failure-table.ts';
import { at, completed, failureOf, temple } from './events.ts';

const wide: Look = { symbols: unicodeSymbols, columns: 120, maxLines: 2, showDurations: true, isVerbose: false };

/** The whole trace of some events, as text. */
function traceOf(events: readonly RunEvent[], look: Look = wide): string[] {
  let state = emptyTrace;
  const lines: string[] = [];
  for (const event of events) {
    const step = traceEvent(state, event, look);
    state = step.state;
    lines.push(...step.lines.map(lineText));
  }
  return lines;
}

/** The status line after the last event. */
function statusAfter(...events: readonly RunEvent[]): string | undefined {
  let state = emptyTrace;
  let status: string | undefined;
  for (const event of events) ({ state, status } = traceEvent(state, event, wide));
  return status;
}

test('the temple reads as a story: what failed, whose it is, what was done', () => {
  expect(traceOf(temple)).toEqual([
    '',
    'turn 1',
    '  ✗ 503 server overloaded                 code    waits 0.4 s, asks again (2 of 4)',
    '  ✗ 429 too many requests                 code    waits 1.1 s as told, asks again (3 of 4)',
    '  › I will oil the lock.',
    '  ✗ oil_lock: no such tool                model   reads: There is no such tool. Use look_at or use.',
    '',
    'turn 2',
    '  ✗ reply cut off                         code    voids the text, waits 0.3 s, asks again (2 of 4)',
    '  ✗ use: broken JSON                      model   reads: the arguments are not JSON. Send one JSON object.',
    '',
    'turn 3',
    '  ✗ use(item: key, target: door)          model   reads: The lock is rusted shut. Oil it first: use oil_can with lock.',
    '',
    'turn 4',
    '  ✓ use(item: oil_can, target: lock)              The rust gives way.',
    '',
    'turn 5',
    '  ✓ answers',
    '',
    '✓ 5 turns, 8 requests, 2.1 s; 6 failures on the way, all survived: 3 code, 3 model',
  ]);
});

test.each([20, 30, 40, 50, 57, 58, 59, 60, 80, 100, 120])(
  'no line is wider than a terminal of %i columns',
  (columns) => {
    let state = emptyTrace;
    for (const event of temple) {
      const step = traceEvent(state, event, { ...wide, columns });
      state = step.state;
      for (const line of step.lines) expect(lineWidth(line)).toBeLessThanOrEqual(columns);
    }
  },
);

test('a narrow terminal shows owner and remedy below the failure', () => {
  expect(traceOf(temple, { ...wide, columns: 40, maxLines: 3 }).slice(2, 8)).toEqual([
    '  ✗ 503 server overloaded',
    '    code: waits 0.4 s, asks again (2 of',
    '    4)',
    '  ✗ 429 too many requests',
    '    code: waits 1.1 s as told, asks',
    '    again (3 of 4)',
  ]);
});

test('text that was shown while it came is not repeated', () => {
  const streamed = temple.flatMap((event) =>
    event.type === 'reply' && event.text !== ''
      ? [at(event.turn, { type: 'text-delta', text: event.text }), event]
      : [event],
  );
  const lines = traceOf(streamed, { ...wide, hasLiveText: true });
  expect(lines.filter((line) => line.includes('I will oil the lock'))).toEqual([]);
});

test('each row is one line where a program reads the trace', () => {
  const lines = traceOf(temple, { ...wide, maxLines: 1, columns: 160 });
  expect(lines.filter((line) => line.includes('rusted'))).toEqual([
    expect.stringMatching(/✗ use\(item: key, target: door\) +model +reads: The lock is rusted shut\. .* with lock\.$/),
  ]);
});

test('a terminal without Unicode gets ASCII only', () => {
  expect(traceOf(temple, { ...wide, symbols: asciiSymbols }).join('\n')).toMatch(/^[\n -~]*$/);
});

test('durations can be left out, so that two runs give the same trace', () => {
  expect(traceOf(temple, { ...wide, showDurations: false }).at(-1)).toBe(
    '✓ 5 turns, 8 requests; 6 failures on the way, all survived: 3 code, 3 model',
  );
});

test.each(Object.keys(failureTable) as FailureKind[])('a failure of kind %s gives a line with its owner', (kind) => {
  const { owner, remedy } = failureTable[kind];
  const isCall = owner === 'model';
  const action = isCall ? 'tell-model' : remedy === 'stop' ? 'stop' : 'retry';
  const failure = failureOf(kind);
  const lines = traceOf([
    at(1, { type: 'failure', failure, owner, action, toolCallId: isCall ? 'call_1' : undefined }),
    ...(isCall
      ? [
          at(1, {
            type: 'tool-end',
            toolCallId: 'call_1',
            toolName: 'use',
            isError: true,
            output: 'No.',
            durationMs: 1,
            failureKind: kind,
            isCached: false,
          } as const),
        ]
      : []),
    at(1, { type: 'turn-end' }),
  ]);
  expect(lines[0]).toMatch(new RegExp(`^ {2}[✗■] \\S.* ${owner} +\\S`));
});

describe('what was done', () => {
  const failure = failureOf('network');
  const failed = at(1, { type: 'failure', failure, owner: 'code', action: 'retry' });

  test('a failure whose retry never came, because the run was aborted, still has its line', () => {
    const aborted = at(1, { type: 'failure', failure: failureOf('aborted'), owner: 'nobody', action: 'stop' });
    const lines = traceOf([failed, aborted]);
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/connection failed +code +asks again/);
    expect(lines[1]).toMatch(/■ stopped by the caller +nobody/);
  });

  test('the last attempt says that the run stops', () => {
    const lines = traceOf([at(1, { type: 'failure', failure, owner: 'code', action: 'stop' })]);
    expect(lines[0]).toMatch(/connection failed +code +has no try left: the run stops/);
  });

  test('a fallback names both providers', () => {
    const lines = traceOf([
      at(1, { type: 'failure', failure, owner: 'code', action: 'fall-back' }),
      at(1, { type: 'fall-back', from: 'openai-chat', to: 'ollama', fromModel: 'a', toModel: 'b', failure }),
    ]);
    expect(lines).toEqual([expect.stringMatching(/connection failed +code +asks ollama instead of openai-chat/)]);
  });

  test('a fallback names both models where the providers are of one wire', () => {
    const names = { from: 'openai-chat', to: 'openai-chat', fromModel: 'large', toModel: 'small' };
    const lines = traceOf([
      at(1, { type: 'failure', failure, owner: 'code', action: 'fall-back' }),
      at(1, { type: 'fall-back', ...names, failure }),
    ]);
    expect(lines).toEqual([expect.stringMatching(/asks small instead of large/)]);
  });

  test('text that was streamed before the failure is said to be void, and only then', () => {
    const retry = at(1, { type: 'retry', attempt: 2, maxAttempts: 4, delayMs: 0, failure });
    const gone = at(1, { type: 'text-void', reason: 'failed-attempt' });
    const text = at(1, { type: 'text-delta', text: 'The door' });
    expect(traceOf([text, failed, gone, retry])[0]).toContain('voids the text, asks again (2 of 4)');
    expect(traceOf([failed, retry])[0]).not.toContain('void');
  });

  test('a bug in a tool is told to the developer in full, and to the model as little as possible', () => {
    const bug = failureOf('tool-bug', { message: "TypeError: Cannot read properties of undefined (reading 'price')" });
    const lines = traceOf([
      at(1, { type: 'tool-start', toolCallId: 'call_1', toolName: 'buy', input: { sku: 'a-1' }, attempt: 1 }),
      at(1, { type: 'failure', failure: bug, owner: 'model', action: 'tell-model', toolCallId: 'call_1' }),
      at(1, {
        type: 'tool-end',
        toolCallId: 'call_1',
        toolName: 'buy',
        isError: true,
        output: 'buy failed: an internal error (ref 4f).',
        durationMs: 1,
        failureKind: 'tool-bug',
        isCached: false,
      }),
    ]);
    expect(lines[0]).toMatch(/buy\(sku: a-1\): bug in the tool +model +reads: an internal error \(ref 4f\)\./);
    expect(lines[1]).toBe("    for you: TypeError: Cannot read properties of undefined (reading 'price')");
  });

  test('a mended call shows what was changed', () => {
    const lines = traceOf([
      at(1, {
        type: 'call-mended',
        toolCallId: 'c',
        toolName: 'book',
        mends: [{ kind: 'type', path: 'people', what: 'string to number' }],
      }),
    ]);
    expect(lines[0]).toMatch(/~ book: call mended +code +people: string to number/);
  });

  test('a fallback value is said to be one', () => {
    const lines = traceOf([
      at(1, { type: 'tool-start', toolCallId: 'c', toolName: 'weather', input: { city: 'London' }, attempt: 1 }),
      at(1, {
        type: 'tool-end',
        toolCallId: 'c',
        toolName: 'weather',
        isError: false,
        output: '[cached] rain',
        durationMs: 1,
        failureKind: undefined,
        isCached: true,
      }),
    ]);
    expect(lines).toEqual([
      expect.stringMatching(/~ weather\(city: London\): unavailable +code +answers from its fallback: \[cached\] rain/),
    ]);
  });

  test('calls that run at the same time keep their own arguments', () => {
    const start = (id: string, city: string): RunEvent =>
      at(1, { type: 'tool-start', toolCallId: id, toolName: 'weather', input: { city }, attempt: 1 });
    const end = (id: string, output: string): RunEvent =>
      at(1, {
        type: 'tool-end',
        toolCallId: id,
        toolName: 'weather',
        isError: false,
        output,
        durationMs: 1,
        failureKind: undefined,
        isCached: false,
      });
    const lines = traceOf([start('a', 'London'), start('b', 'Tokyo'), end('b', 'sun'), end('a', 'rain')]);
    expect(lines[0]).toMatch(/weather\(city: Tokyo\) +sun$/);
    expect(lines[1]).toMatch(/weather\(city: London\) +rain$/);
  });
});

test('what tools and models write can neither move the cursor nor break a line', () => {
  const lines = traceOf([
    at(1, {
      type: 'tool-start',
      toolCallId: 'a',
      toolName: 'read',
      input: { file: '\u001b[2Jx\n\r\u0007y' },
      attempt: 1,
    }),
    at(1, {
      type: 'tool-end',
      toolCallId: 'a',
      toolName: 'read',
      isError: false,
      output: 'one\ntwo\u001b[31m\u009b2Jthree\u202e',
      durationMs: 1,
      failureKind: undefined,
      isCached: false,
    }),
    at(1, { type: 'warning', message: '\u001b]0;title\u0007careful\u0000' }),
  ]);
  expect(lines.join('')).not.toMatch(/[\p{Cc}\u202e]/u);
  expect(lines).toHaveLength(2);
});

test('the status line says what is going on now', () => {
  const attempt = at(1, { type: 'attempt-start', providerId: 'p', model: 'qwen3', origin: undefined, attempt: 1 });
  expect(statusAfter(attempt)).toBe('asking qwen3');
  expect(
    statusAfter(attempt, at(1, { type: 'text-delta', text: 'The ' }), at(1, { type: 'text-delta', text: 'door' })),
  ).toBe('writing: The door');
  expect(
    statusAfter(at(1, { type: 'retry', attempt: 2, maxAttempts: 4, delayMs: 1500, failure: failureOf('network') })),
  ).toBe('waiting 1.5 s before attempt 2 of 4');
  expect(
    statusAfter(at(1, { type: 'tool-start', toolCallId: 'a', toolName: 'use', input: { item: 'key' }, attempt: 1 })),
  ).toBe('running use(item: key)');
  expect(statusAfter(at(1, { type: 'run-end', result: completed, durationMs: 1 }))).toBeUndefined();
});

describe('the end', () => {
  const { text: _text, output: _output, outputAttempts: _attempts, status: _status, ...summary } = completed;
  const rows: { readonly name: string; readonly result: RunResult; readonly lines: readonly string[] }[] = [
    {
      name: 'a limit names itself and keeps the text so far',
      result: {
        ...summary,
        status: 'stopped',
        stopReason: 'max-turns',
        message: 'The run used its 5 turns. Raise `maxTurns`.',
        partialText: 'I was about to',
      },
      lines: [
        '■ stopped max-turns: The run used its 5 turns. Raise `maxTurns`.',
        '    it had written: I was about to',
        '  5 turns, 0 requests, 9 ms; nothing failed',
      ],
    },
    {
      name: 'a failure gives its hint',
      result: {
        ...summary,
        status: 'failed',
        failure: failureOf('unauthorized', { message: '401: bad key.', hint: 'Set OPENAI_API_KEY.' }),
        partialText: '',
      },
      lines: ['■ failed 401: bad key.', '    hint: Set OPENAI_API_KEY.', '  5 turns, 0 requests, 9 ms; nothing failed'],
    },
    {
      name: 'an abort says who stopped it',
      result: { ...summary, status: 'aborted', reason: 'x', partialText: '' },
      lines: ['■ stopped by you', '  5 turns, 0 requests, 9 ms; nothing failed'],
    },
    {
      name: 'a suspended run says what it waits for',
      result: {
        ...summary,
        status: 'suspended',
        pending: [{ type: 'question', toolCallId: 'c', toolName: 'ask', question: 'Which?' }],
        partialText: '',
      },
      lines: ['■ waiting for a person to decide on 1 call', '  5 turns, 0 requests, 9 ms; nothing failed'],
    },
  ];
  test.each(rows)('$name', ({ result, lines }) => {
    expect(traceOf([at(5, { type: 'run-end', result, durationMs: 9 })])).toEqual(['', ...lines]);
  });
});
