import { afterEach, expect, test, vi } from 'vitest';
import { onInterrupt } from '../../../src/cli/interrupt.ts';

afterEach(() => vi.restoreAllMocks());

test('the first Ctrl+C asks the run to stop, the second ends the process at once', () => {
  const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never);
  let stops = 0;
  const stopListening = onInterrupt(() => (stops += 1));
  process.emit('SIGINT');
  expect({ stops, exits: exit.mock.calls }).toEqual({ stops: 1, exits: [] });
  process.emit('SIGINT');
  expect({ stops, exits: exit.mock.calls }).toEqual({ stops: 1, exits: [[130]] });
  stopListening();
});

test('nothing is left behind when the run is over', () => {
  const before = process.listenerCount('SIGINT');
  onInterrupt(() => {})();
  expect(process.listenerCount('SIGINT')).toBe(before);
});
