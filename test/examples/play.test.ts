import { afterEach, expect, test, vi } from 'vitest';
import { createAgent, scripted } from 'oilcan';
import { play } from '../../examples/model.ts';

const failure = { kind: 'unauthorized', message: 'The key was refused.', hint: 'Check the key.' } as const;

afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

test.each([
  {
    name: 'an error of a run is its message and its hint',
    main: async () => (await createAgent({ provider: scripted([{ failure }]) }).run('Hello?')).text,
    lines: ['error: The key was refused.', 'hint: Check the key.'],
  },
  {
    name: 'another error is its message',
    main: async () => Promise.reject(new Error('There is no wire morse.')),
    lines: ['error: There is no wire morse.'],
  },
])('$name, without a stack', async ({ main, lines }) => {
  const printed: unknown[] = [];
  vi.spyOn(console, 'error').mockImplementation((line: unknown) => printed.push(line));
  await play(main);
  expect(printed).toEqual(lines);
  expect(process.exitCode).toBe(1);
});
