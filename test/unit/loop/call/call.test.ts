import { describe, expect, test } from 'vitest';
import { applyCall, closeCall } from '../../../../src/loop/call/apply-call.ts';
import type { TurnContext } from '../../../../src/loop/call/decide-call.ts';
import { advance, decideCall } from '../../../../src/loop/call/decide-call.ts';
import type { Ready } from '../../../../src/loop/call/result.ts';
import type { CallOutcome, CallState } from '../../../../src/loop/call/state.ts';
import type { ToolRules } from '../../../../src/loop/run/rules.ts';
import { rulesWith } from '../rules.ts';

const write: ToolRules = {
  effect: 'write',
  maxAttempts: 1,
  backoff: { baseDelayMs: 100, maxDelayMs: 1000 },
  polls: false,
  verifies: false,
  fallsBack: false,
  asksPerson: false,
};
const read: ToolRules = { ...write, effect: 'read', maxAttempts: 3 };
const ready: Ready = { toolName: 'pay', wireInput: { n: 1 }, mends: [], key: 'pay {"n":1}' };
const call = { type: 'tool-call', id: 'a', name: 'pay', arguments: { text: '{"n":1}' }, isComplete: true } as const;

function contextOf(tool: ToolRules, more: Partial<TurnContext> = {}): TurnContext {
  return {
    turn: 3,
    now: 1000,
    rules: rulesWith({ toolRules: new Map([['pay', tool]]), ...more.rules }),
    isStopping: false,
    stoppedAt: 0,
    isOff: false,
    placesLeft: Infinity,
    recentCalls: [],
    toolFailures: {},
    ...more,
  };
}

const start = (toolCallId = 'a'): CallState => ({ call, toolCallId, at: 'read' });

/** The stages of one call, and the keys of what is asked on the way. */
function play(tool: ToolRules, outcomes: readonly CallOutcome[], more: Partial<TurnContext> = {}) {
  const context = contextOf(tool, more);
  let state = start();
  const keys: (string | undefined)[] = [];
  const events: string[] = [];
  for (const outcome of outcomes) {
    keys.push(decideCall(state, 3)?.key);
    const applied = applyCall(state, outcome, context);
    const moved = advance([applied.state], context);
    state = moved.calls[0] ?? state;
    events.push(...[...applied.events, ...moved.events].map(({ type }) => type));
  }
  return { state, keys, events };
}

const isReady: CallOutcome = { type: 'ready', ready };
const value: CallOutcome = { type: 'value', content: [{ type: 'text', text: 'paid' }] };
const failed = (more: object = {}): CallOutcome => ({
  type: 'failed',
  failure: { kind: 'tool-failed', message: 'No.', toolName: 'pay' },
  text: 'pay failed: No.',
  random: 0.5,
  ...more,
});
const doubt = { unknown: 'pay: its outcome is unknown', notDone: 'pay: nothing was changed' };

describe('a call', () => {
  const rows: readonly {
    readonly name: string;
    readonly tool: ToolRules;
    readonly outcomes: readonly CallOutcome[];
    readonly ends: object;
    readonly keys: readonly string[];
  }[] = [
    {
      name: 'is read, run and done',
      tool: write,
      outcomes: [isReady, value],
      ends: { is: 'good' },
      keys: ['t3/a', 't3/a#1'],
    },
    {
      name: 'that fails is told',
      tool: write,
      outcomes: [isReady, failed()],
      ends: { is: 'failed', content: [{ text: 'pay failed: No.' }] },
      keys: ['t3/a', 't3/a#1'],
    },
    {
      name: 'of a tool with tries left is run again under another key',
      tool: read,
      outcomes: [isReady, failed(), value],
      ends: { is: 'good', retried: [{ kind: 'tool-failed' }] },
      keys: ['t3/a', 't3/a#1', 't3/a#2'],
    },
    {
      name: 'whose tool says that asking again is no use is not run again',
      tool: read,
      outcomes: [isReady, failed({ failure: { kind: 'tool-failed', message: '', remedy: 'never' } })],
      ends: { is: 'failed', retried: [] },
      keys: ['t3/a', 't3/a#1'],
    },
    {
      name: 'of a write whose answer was lost has an unknown outcome',
      tool: write,
      outcomes: [isReady, failed({ doubt })],
      ends: { is: 'failed', failure: { kind: 'outcome-unknown' }, content: [{ text: doubt.unknown }] },
      keys: ['t3/a', 't3/a#1'],
    },
    {
      name: 'of a write that was not done, as it is verified, may be made again',
      tool: { ...write, verifies: true },
      outcomes: [isReady, failed({ doubt }), { type: 'verified', is: 'not-done' }],
      ends: { is: 'failed', failure: { kind: 'tool-failed' }, content: [{ text: doubt.notDone }] },
      keys: ['t3/a', 't3/a#1', 't3/a#1/verify'],
    },
    {
      name: 'of a write that was running when its process died is in doubt',
      tool: write,
      outcomes: [isReady, { type: 'interrupted' }],
      ends: { is: 'failed', failure: { kind: 'outcome-unknown' } },
      keys: ['t3/a', 't3/a#1'],
    },
    {
      name: 'of a read that was running when its process died is made again',
      tool: read,
      outcomes: [isReady, { type: 'interrupted' }, value],
      ends: { is: 'good' },
      keys: ['t3/a', 't3/a#1', 't3/a#2'],
    },
    {
      name: 'that is denied is not run',
      tool: { ...write, asksPerson: true },
      outcomes: [isReady, { type: 'denied', text: 'No.', by: 'person' }],
      ends: { is: 'refused', by: 'person', hasRun: false },
      keys: ['t3/a', 't3/a/gate'],
    },
    {
      name: 'of a tool that is down has its stored value',
      tool: { ...read, maxAttempts: 1, fallsBack: true },
      outcomes: [
        isReady,
        failed({ failure: { kind: 'tool-unavailable', message: '' } }),
        { type: 'stood-in', content: [{ type: 'text', text: '[cached] 1' }] },
      ],
      ends: { is: 'cached', content: [{ text: '[cached] 1' }] },
      keys: ['t3/a', 't3/a#1', 't3/a/stand-in'],
    },
  ];
  test.each(rows)('$name', ({ tool, outcomes, ends, keys }) => {
    const played = play(tool, outcomes);
    expect(played.state).toMatchObject({ at: 'done', result: ends });
    expect(played.keys).toEqual(keys);
    expect(played.events.at(-1)).toBe('tool-end');
    expect(JSON.parse(JSON.stringify(played.state))).toMatchObject({ at: 'done', result: ends });
  });

  test('waits for a person, and goes on with the word', () => {
    const pending = { type: 'approval', toolCallId: 'a', toolName: 'pay', input: {} } as const;
    const { state, events } = play({ ...write, asksPerson: true }, [isReady, { type: 'pending', pending }]);
    expect(state).toMatchObject({ at: 'waiting', pending });
    expect(decideCall(state, 3)).toBeUndefined();
    expect(events).toEqual(['pending']);
  });
});

test('places under a limit go to calls in their order: one that is open holds back those behind it', () => {
  const context = contextOf(write, { placesLeft: 1 });
  const at = (state: CallState, id: string): CallState => ({ ...state, toolCallId: id });
  const first = at(start(), 'a');
  const second = at({ call, toolCallId: 'b', at: 'place', ready }, 'b');
  expect(advance([first, second], context).calls.map((state) => state.at)).toEqual(['read', 'place']);
  const denied = applyCall(
    { ...first, at: 'gate', ready, round: 1 },
    { type: 'denied', text: 'No.', by: 'hook' },
    context,
  );
  expect(advance([denied.state, second], context).calls.map((state) => state.at)).toEqual(['done', 'try']);
  const taken = advance([{ ...second, toolCallId: 'a' }, second], context).calls;
  expect(taken.map((state) => state.at)).toEqual(['try', 'done']);
  expect(taken[1]).toMatchObject({ result: { is: 'refused', by: 'limit' } });
});

test('the end of a run says of each call what is known of its effect', () => {
  const context = { ...contextOf(write), isClosing: true };
  const trying: CallState = { call, toolCallId: 'a', at: 'try', ready, attempt: 1, retried: [] };
  const textOf = (state: CallState, hasBegun: boolean): unknown => closeCall(state, context, hasBegun).state;
  expect(textOf(trying, false)).toMatchObject({ result: { hasRun: false } });
  expect(textOf(trying, true)).toMatchObject({ result: { hasRun: true } });
  expect(textOf(start(), true)).toMatchObject({ result: { is: 'refused', by: 'end' } });
});
