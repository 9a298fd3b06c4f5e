import { describe, expect, test } from 'vitest';
import { userMessage } from '../../../../src/core/message.ts';
import { apply } from '../../../../src/loop/run/apply.ts';
import { begin } from '../../../../src/loop/run/begin.ts';
import { decide } from '../../../../src/loop/run/decide.ts';
import type { RunRules } from '../../../../src/loop/run/rules.ts';
import { fromSnapshot, toSnapshot } from '../../../../src/loop/run/snapshot.ts';
import type { Outcome, RunState } from '../../../../src/loop/run/state.ts';
import { nothingSpent } from '../../../../src/loop/run/spent.ts';
import { rulesWith } from '../rules.ts';

const attempt = { attempt: 1, durationMs: 5, firstByteMs: 2, hasStreamed: false };
const reply = (text: string, ids: readonly string[] = []): Outcome => ({
  type: 'reply',
  reply: {
    content: [
      ...(text === '' ? [] : [{ type: 'text' as const, text }]),
      ...ids.map((id) => ({
        type: 'tool-call' as const,
        id,
        name: 'look',
        arguments: { text: '{}' },
        isComplete: true,
      })),
    ],
    finishReason: ids.length > 0 ? 'tool-calls' : 'stop',
    rawFinishReason: undefined,
    usage: {},
  },
  issuer: 'a',
  mayRun: true,
  asCalls: undefined,
  isFromText: false,
  spent: nothingSpent,
  attempt,
});
const failure = (kind: 'overloaded' | 'unauthorized'): Outcome => ({
  type: 'no-reply',
  failure: { kind, message: 'No.' },
  random: 0.5,
  spent: nothingSpent,
  override: undefined,
  reply: undefined,
  issuer: 'a',
  attempt,
});
const ofCall = (toolCallId: string, outcome: Extract<Outcome, { type: 'call' }>['outcome']): Outcome => ({
  type: 'call',
  toolCallId,
  outcome,
});
const ready = { toolName: 'look', wireInput: {}, mends: [], key: 'look {}' };
const value = { type: 'value', content: [{ type: 'text', text: 'a door' }] } as const;

function fold(outcomes: readonly Outcome[], rules: RunRules, from: RunState = begin([userMessage('Look.')])): RunState {
  return outcomes.reduce((state, outcome, index) => {
    const entry = { key: String(index), outcome, at: state.now + 1, isReplay: false };
    return apply(state, entry, rules).state;
  }, from);
}

describe('what a run does next', () => {
  const rows: readonly [name: string, outcomes: readonly Outcome[], effect: object, changes?: Partial<RunRules>][] = [
    ['asks the model', [], { type: 'ask-model', key: 't1', isFirst: true }],
    ['answers', [reply('Hi.')], { type: 'end', ending: { status: 'completed', text: 'Hi.' } }],
    [
      'asks again under another key',
      [failure('overloaded')],
      { type: 'ask-model', key: 't1#2', attempt: 2, isFirst: false },
    ],
    ['ends by what nobody can mend', [failure('unauthorized')], { type: 'end', ending: { status: 'failed' } }],
    [
      'falls back to the next model',
      [failure('unauthorized')],
      { type: 'ask-model', key: 't1#2', attempt: 1 },
      {
        models: [
          { id: 'a', model: 'm' },
          { id: 'b', model: 'n' },
        ],
      },
    ],
    [
      'reads the calls of a reply',
      [reply('', ['x', 'y'])],
      { type: 'calls', acts: [{ key: 't1/x' }, { key: 't1/y' }] },
    ],
    [
      'asks again when every call has its result',
      [reply('', ['x']), ofCall('x', { type: 'ready', ready }), ofCall('x', value)],
      { type: 'ask-model', key: 't2' },
    ],
    [
      'asks hooks after a turn',
      [reply('', ['x']), ofCall('x', { type: 'ready', ready }), ofCall('x', value)],
      { type: 'after-turn', key: 't1/after' },
      { hooked: { beforeModel: false, beforeTool: false, afterTool: false, onFailure: false, afterTurn: true } },
    ],
    [
      'stops at a limit',
      [reply('', ['x']), ofCall('x', { type: 'ready', ready }), ofCall('x', value)],
      { type: 'limit', reached: { stopReason: 'max-turns' } },
      { limits: { ...rulesWith().limits, turns: 1 } },
    ],
    ['checks an answer', [reply('{}')], { type: 'check-answer', key: 't1/answer' }, { outputAttempts: 2 }],
    [
      'ends where the caller says so, with a result for each call',
      [
        reply('', ['x']),
        { type: 'cut-off', by: 'caller', reason: { name: 'Error', message: 'enough' }, text: '', begun: [] },
      ],
      { type: 'end', ending: { status: 'aborted' } },
    ],
  ];
  test.each(rows.map(([name, outcomes, effect, changes]) => ({ name, outcomes, effect, changes })))(
    '$name',
    ({ outcomes, effect, changes }) => {
      const rules = rulesWith(changes);
      expect(decide(fold(outcomes, rules), rules)).toMatchObject(effect);
    },
  );
});

test('results stand in the order of the calls, whatever comes first', () => {
  const rules = rulesWith();
  const read = ['x', 'y'].map((id) => ofCall(id, { type: 'ready', ready: { ...ready, key: id } }));
  const one = fold([reply('', ['x', 'y']), ...read, ofCall('x', value), ofCall('y', value)], rules);
  const other = fold([reply('', ['x', 'y']), ...read, ofCall('y', value), ofCall('x', value)], rules);
  expect({ ...other, now: 0 }).toEqual({ ...one, now: 0 });
});

test('a state after 3,000 turns goes through JSON', () => {
  const rules = rulesWith();
  let state = begin([userMessage('Look.')]);
  for (let turn = 1; turn <= 3000; turn += 1) {
    const id = `c${turn}`;
    state = fold(
      [reply('', [id]), ofCall(id, { type: 'ready', ready: { ...ready, key: id } }), ofCall(id, value)],
      rules,
      state,
    );
  }
  const json = JSON.stringify(toSnapshot(state));
  const again = fromSnapshot(JSON.parse(json) as ReturnType<typeof toSnapshot>);
  expect(JSON.stringify(toSnapshot(again))).toBe(json);
  expect(again.turn).toBe(3000);
  expect(decide(again, rulesWith({ limits: { ...rules.limits, turns: 5000 } }))).toMatchObject({ key: 't3001' });
});
