import { describe, expect, test } from 'vitest';
import { loopbackWires } from 'oilcan/testing';
import { main } from '../../examples/returns/main.ts';
import { returnTools } from '../../examples/returns/tools.ts';

async function ask(flags: string[]): Promise<{ answer: string; lines: string[]; booked: string[] }> {
  const lines: string[] = [];
  const booked: string[] = [];
  const answer = await main(flags, (line) => lines.push(line), booked);
  return { answer, lines, booked };
}

describe('the customer', () => {
  test.each(loopbackWires)('gets the kettle taken back and the rule explained, on the %s wire', async (wire) => {
    const { answer, booked } = await ask(['--wire', wire]);
    expect(answer).toBe(
      'The kettle from order 4471 can go back: your return is RET-4471. I can’t see the amount at the moment. ' +
        'The lamp from order 3980 can no longer be returned: the 30 days are over.',
    );
    expect(booked).toEqual(['4471']);
  });
});

test('the same failing call is not run a third time', async () => {
  const { lines } = await ask([]);
  const kinds = lines.flatMap((line) => /! (\S+), owned by/u.exec(line)?.[1] ?? []);
  expect(kinds.slice(0, 3)).toEqual(['tool-failed', 'tool-failed', 'repeated-call']);
});

test('an empty search is an answer', async () => {
  const { lines } = await ask([]);
  expect(lines).toContain('  - search_orders -> []');
});

test('the developer hears of the bug, the model of nothing internal', async () => {
  const { lines } = await ask([]);
  const failure = lines.find((line) => line.includes('! tool-bug'));
  expect(failure).toContain('Cannot read properties of undefined');
  const told = lines.find((line) => line.includes('estimate_refund ->'));
  expect(told).toMatch(/^ {2}x /u);
  expect(told).not.toMatch(/undefined|properties|cents|TypeError|tools\.ts/u);
});

describe('what the tool says', () => {
  const requestReturn = returnTools().find((tool) => tool.name === 'request_return')!;
  const context = {
    signal: new AbortController().signal,
    toolCallId: '1',
    runId: '1',
    idempotencyKey: '1',
    attempt: 1,
  };

  test.each([
    { id: '9999', message: 'There is no order of that number.', hint: "This customer's orders are 4471, 4502, 3980." },
    {
      id: '3980',
      message: 'The return period of 30 days is over for this order.',
      hint: 'Do not retry: explain it to the user.',
    },
  ])('of order $id: $message', async ({ id, message, hint }) => {
    const run = async (): Promise<unknown> =>
      requestReturn.options.execute({ order_id: id, reason: 'damaged' }, context);
    await expect(run()).rejects.toMatchObject({ name: 'ToolError', message, hint, retryable: false });
  });
});
