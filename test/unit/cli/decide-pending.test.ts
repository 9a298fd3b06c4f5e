import { expect, test } from 'vitest';
import { isYes, promptOf } from '../../../src/cli/decide-pending.ts';

const approval = { type: 'approval', toolCallId: 'c', toolName: 'pay' } as const;

test.each([
  { name: 'a short call as it is shown in the trace', input: { cents: 100 }, prompt: '  Run pay(cents: 100)? [y/N] ' },
  {
    name: 'a long argument to its end',
    input: { note: 'x'.repeat(60) },
    prompt: `  Run pay {"note":"${'x'.repeat(60)}"}? [y/N] `,
  },
  {
    name: 'control characters as spaces',
    input: { note: 'a\u001b[2Kb\nc' },
    prompt: '  Run pay(note: "ab c")? [y/N] ',
  },
])('the prompt shows $name', ({ input, prompt }) => {
  expect(promptOf({ ...approval, input })).toBe(prompt);
});

test.each(['y', 'Y', 'yes', ' Yes '])('%j is a yes', (said) => expect(isYes(said)).toBe(true));
test.each(['', 'n', 'no', 'yep', 'y y', 'sure'])('%j is none', (said) => expect(isYes(said)).toBe(false));
