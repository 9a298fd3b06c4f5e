import { maskedHead } from '../../core/error-data.ts';
import { stripPaths } from '../../secrets/paths.ts';
import type { ImagePart, TextPart } from '../../core/message.ts';
import type { Tool } from '../../core/tool.ts';
import type { Redactor } from '../../secrets/redactor.ts';
import { capText } from './cap.ts';

/** Longest error text that a model is sent. Chosen: room for eight sentences; more is not read. */
const MAX_ERROR_CHARS = 1000;

/** Longest piece of a tool's own error message that is looked at. What lies beyond is never shown. */
const MAX_SEARCHED_CHARS = 20_000;

/**
 * An error text for the model: short and without secrets. Paths and stacks go, too, unless the words were written for a
 * model: a tool that works on files may have to name one.
 */
export function safeError(
  config: { readonly redactor: Redactor },
  text: string,
  { words = 'any' }: { readonly words?: 'any' | 'for-models' } = {},
): string {
  const open = maskedHead(text, MAX_SEARCHED_CHARS, (words) => config.redactor.redact(words, 'words'));
  const safe = capText(words === 'any' ? stripPaths(open) : open, MAX_ERROR_CHARS).trim();
  return safe === '' ? 'The tool failed without saying why.' : safe.toWellFormed();
}

/** The parts of a good result. A secret that lies over two texts is none in either: then they become one. */
export function safeParts(
  config: OutputRules,
  tool: Tool,
  parts: readonly (TextPart | ImagePart)[],
): readonly (TextPart | ImagePart)[] {
  const words = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const joined = words.join('');
  const { redactor } = config;
  if (words.length > 1 && redactor.redact(joined) !== words.map((text) => redactor.redact(text)).join('')) {
    const images = parts.filter((part) => part.type !== 'text');
    return [{ type: 'text', text: safeOutput(config, tool, joined) }, ...images];
  }
  return parts.map((part) => (part.type === 'text' ? { ...part, text: safeOutput(config, tool, part.text) } : part));
}

/** How good results are made safe. */
export interface OutputRules {
  readonly redactor: Redactor;
  readonly redactOutputs: boolean;
  readonly maxOutputChars: number;
}

/** A good result of a tool for the model. Secrets go before it is cut, so that no half of one is left at the edge. */
export function safeOutput(config: OutputRules, { options }: Tool, text: string): string {
  const isRedacted = options.redact === undefined ? config.redactOutputs : options.redact === 'all';
  const open = isRedacted ? config.redactor.redact(text) : text;
  const safe = capText(open, options.maxOutputChars ?? config.maxOutputChars);
  if (safe === '') return '(no output)';
  return safe.isWellFormed() ? safe : safe.toWellFormed();
}
