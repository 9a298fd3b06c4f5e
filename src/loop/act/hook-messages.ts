import { isOilcanError } from '../../core/error.ts';
import type { Message } from '../../core/message.ts';
import { invalidOption } from '../../core/option-check.ts';
import { HookFailure } from './hooks.ts';
import { hasContent, readMessages } from '../history/read-messages.ts';

/** The messages that a hook or a compactor gave; what has the form of something else is the user's bug. */
export function messagesOfHook(hook: string, given: unknown): readonly Message[] {
  try {
    return readMessages(given, 'messages');
  } catch (error) {
    const words = isOilcanError(error) ? ` ${error.message}` : '';
    throw new HookFailure(hook, error, `What \`${hook}\` gave can't be sent.${words}`);
  }
}

/** The repaired messages, if there are any left: an empty request never leaves. */
export function sendable(hook: string, messages: readonly Message[]): readonly Message[] {
  if (hasContent(messages)) return messages;
  const message = `\`${hook}\` left no message with anything in it to send.`;
  throw new HookFailure(hook, invalidOption(message), message);
}
