import { describe, expect, test } from 'vitest';
import type { Failure } from '../../../../src/core/failure.ts';
import type { CallResult } from '../../../../src/loop/call/result.ts';
import { failureTable } from '../../../../src/resilience/failure-table.ts';
import type { SlipPolicy } from '../../../../src/loop/run/rules.ts';
import type { SlipState } from '../../../../src/loop/run/slips.ts';
import { afterExchange, noSlips, systemWithNotes } from '../../../../src/loop/run/slips.ts';

const failure: Failure = { kind: 'invalid-arguments', message: '' };

const base = { toolCallId: 'a', input: {}, content: [], mends: [], retried: [], hasRun: false, polls: false };

function slip(toolName: string, need: string, kind: Failure['kind'] = 'invalid-arguments'): CallResult {
  const note = { takes: `${toolName} takes an object.`, needs: [need] };
  return { ...base, toolName, key: toolName, is: 'invalid', failure: { ...failure, kind }, note };
}

const good = (toolName: string): CallResult => ({ ...base, toolName, key: toolName, hasRun: true, is: 'good' });

/** The slips after some exchanges, and how many exchanges each of them rewound. */
function play(
  policy: SlipPolicy,
  exchanges: readonly (readonly CallResult[])[],
): { slips: SlipState; rewound: number[] } {
  let slips = noSlips;
  const rewound = exchanges.map((outcomes) => {
    const next = afterExchange(slips, outcomes, policy, failureTable);
    slips = next.slips;
    return next.rewind?.exchanges ?? 0;
  });
  return { slips, rewound };
}

const wrong = slip('pay', '"cents" must be a number.');

describe('policies', () => {
  test.each<[SlipPolicy, number[]]>([
    ['result', [0, 0, 0]],
    ['ladder', [0, 2, 3]],
    ['rewind', [1, 2, 3]],
  ])('%s rewinds %j exchanges after one, two and three slips in a row', (policy, rewound) => {
    expect(play(policy, [[wrong], [wrong], [wrong]]).rewound).toEqual(rewound);
  });

  test('a call that runs breaks the row', () => {
    expect(play('ladder', [[wrong], [good('look')], [wrong]]).rewound).toEqual([0, 0, 0]);
  });

  test('an exchange that mixes slips with calls that ran is never rewound', () => {
    expect(play('rewind', [[wrong, good('look')]]).rewound).toEqual([0]);
  });
});

describe('notes', () => {
  test('stand in the system text until a call of their tool is good', () => {
    const { slips } = play('rewind', [[wrong], [good('look')]]);
    expect(systemWithNotes('Be brief.', slips)).toBe('Be brief.\n\npay takes an object. "cents" must be a number.');
    expect(systemWithNotes('Be brief.', play('rewind', [[wrong], [good('pay')]]).slips)).toBe('Be brief.');
  });

  test('about a tool that does not exist stand until any call is good', () => {
    const unknown = slip('gone', '', 'unknown-tool');
    expect(play('rewind', [[unknown]]).slips.notes).toHaveLength(1);
    expect(play('rewind', [[unknown], [good('look')]]).slips.notes).toHaveLength(0);
  });

  test('keep what earlier slips of the tool asked for, and say that they were not heeded', () => {
    const { slips } = play('rewind', [[wrong], [slip('pay', '"id" must be given.')]]);
    expect(systemWithNotes(undefined, slips)).toBe(
      'Read this before you call a tool; it was not heeded before. pay takes an object. "id" must be given. "cents" must be a number.',
    );
  });
});
