import type { LoopbackContext } from '../loopback/context.ts';
import type { LoopbackReplyStep, LoopbackStep } from '../loopback/step.ts';
import type { ConversationView } from '../loopback/view.ts';

/** How the temple's model server behaves. */
export interface TempleScriptOptions {
  /** What the 429 asks the client to wait. @defaultValue 1 */
  readonly retryAfterSeconds?: number | undefined;
  /** False: the server is healthy and only the model errs. @defaultValue true */
  readonly faults?: boolean | undefined;
}

/**
 * A model that opens the temple door the hard way: it calls a tool that does not exist, writes broken JSON and tries
 * the key on a rusted lock, behind a server that is overloaded, throttles, and breaks off in the middle of a sentence.
 * The faults go by the number of the request; everything else goes by what the model is told. After its last word the
 * adventure begins anew.
 */
export function templeScript(options: TempleScriptOptions = {}): (context: LoopbackContext) => LoopbackStep {
  const { retryAfterSeconds = 1, faults = true } = options;
  let firstRequest = 0;
  let made = new Set<Mistake>();

  return ({ requestIndex, view, lastResults }) => {
    const reply = nextMove(view, lastResults.map((result) => result.text).join('\n'), made);
    if (faults) {
      switch (requestIndex - firstRequest) {
        case 0:
          return { status: 503, message: 'The engine is currently overloaded, please try again later.' };
        case 2:
          return {
            status: 429,
            message: 'Rate limit reached for requests.',
            headers: { 'retry-after': String(retryAfterSeconds) },
          };
        case 4:
          return {
            text: 'The key in my hand should fit that lock, so I will put',
            cut: { after: 'text', count: 8, how: 'reset' },
          };
      }
    }
    if (reply.mistake !== undefined) made.add(reply.mistake);
    if (reply.isLast) {
      firstRequest = requestIndex + 1;
      made = new Set();
    }
    return reply.step;
  };
}

type Mistake = 'unknown tool' | 'broken JSON';

interface Move {
  readonly step: LoopbackReplyStep;
  readonly mistake?: Mistake;
  readonly isLast?: boolean;
}

/** What the model does next, by the last thing that it was told and by what it has seen. */
function nextMove(view: ConversationView, told: string, made: ReadonlySet<Mistake>): Move {
  const seen = view.messages.map((message) => (message.role === 'tool' ? message.text : '')).join('\n');
  if (told.includes('swings open')) {
    return {
      step: { text: 'The temple door is open. The lock was rusted shut, so I oiled it first; then the key turned.' },
      isLast: true,
    };
  }
  if (told.includes('moves freely')) return use('The lock moves now. Once more with the key.', 'key', 'door');
  if (told.includes('rusted shut')) return use('Of course: oil first.', 'oil_can', 'lock');
  if (!made.has('unknown tool')) {
    return {
      step: { text: 'I will open the door.', calls: [{ name: 'open_door', input: {} }] },
      mistake: 'unknown tool',
    };
  }
  if (!/rust/u.test(seen)) {
    return { step: { text: 'Then I look first.', calls: [{ name: 'look_at', input: { target: 'door' } }] } };
  }
  if (!made.has('broken JSON')) {
    const call = { name: 'use', rawArguments: '{"item": key on the "door"' };
    return { step: { text: 'The key should fit.', calls: [call] }, mistake: 'broken JSON' };
  }
  return use('Now properly: the key, on the door.', 'key', 'door');
}

function use(text: string, item: string, target: string): Move {
  return { step: { text, calls: [{ name: 'use', input: { item, target } }] } };
}
