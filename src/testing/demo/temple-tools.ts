import { tool } from '../../core/define-tool.ts';
import { ToolError } from '../../core/error.ts';
import type { Tool } from '../../core/tool.ts';
import { fields, oneOf, text } from './object-schema.ts';

/** The tools of a fresh temple: a door, a rusted lock, a key and an oil can. */
export function templeTools(): Tool[] {
  const room = { isOiled: false, isOpen: false };
  const lookAt = tool({
    name: 'look_at',
    description: 'Look at something in the room.',
    schema: fields({ target: text }),
    effect: 'read',
    execute({ target }) {
      if (/door|lock/iu.test(target)) {
        if (room.isOpen) return 'The door stands open.';
        return room.isOiled
          ? 'A bronze door. Its lock shines with oil.'
          : 'A bronze door, shut. Its lock is red with rust.';
      }
      throw new ToolError(`There is no ${target} here.`, { hint: 'You see a door with a lock.' });
    },
  });
  const use = tool({
    name: 'use',
    description: 'Use something that you carry with something in the room.',
    schema: fields({ item: oneOf('key', 'oil_can'), target: text }),
    execute({ item, target }) {
      if (!/door|lock/iu.test(target))
        throw new ToolError(`There is no ${target} here.`, { hint: 'You see a door with a lock.' });
      if (item === 'oil_can') {
        room.isOiled = true;
        return 'The oil runs into the lock. It moves freely now.';
      }
      if (!room.isOiled)
        throw new ToolError('The lock is rusted shut.', { hint: 'Oil it first: use oil_can with lock.' });
      room.isOpen = true;
      return 'The key turns. The temple door swings open.';
    },
  });
  return [lookAt, use];
}
