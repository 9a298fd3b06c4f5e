import { tool, ToolError, type Tool } from 'oilcan';
import { z } from 'zod';

/** A room with a bronze door, a rusted lock, and what the player carries: a key and an oil can. */
export interface Temple {
  isOiled: boolean;
  isOpen: boolean;
  readonly tools: readonly Tool[];
}

/** A fresh temple, its door shut. */
export function enterTemple(): Temple {
  const lookAt = tool({
    name: 'look_at',
    description: 'Look at something in the room.',
    schema: z.object({ target: z.string() }),
    effect: 'read', // Changes nothing, so it may be tried again.
    execute({ target }) {
      find(target);
      if (temple.isOpen) return 'The door stands open.';
      return temple.isOiled
        ? 'A bronze door. Its lock shines with oil.'
        : 'A bronze door, shut. Its lock is red with rust.';
    },
  });

  const use = tool({
    name: 'use',
    description: 'Use something that you carry with something in the room.',
    schema: z.object({ item: z.enum(['key', 'oil_can']), target: z.string() }),
    execute({ item, target }) {
      find(target);
      if (item === 'oil_can') {
        temple.isOiled = true;
        return 'The oil runs into the lock. It moves freely now.';
      }
      // Not a failure of the program: something that the model has to know.
      if (!temple.isOiled) {
        throw new ToolError('The lock is rusted shut.', { hint: 'Oil it first: use oil_can with lock.' });
      }
      temple.isOpen = true;
      return 'The key turns. The temple door swings open.';
    },
  });

  const temple: Temple = { isOiled: false, isOpen: false, tools: [lookAt, use] };
  return temple;
}

function find(target: string): void {
  if (/door|lock/i.test(target)) return;
  throw new ToolError('There is no such thing here.', { hint: 'You see a door with a lock.' });
}
