import { cutWords } from '../../core/cut-words.ts';
import type { ImagePart, TextPart } from '../../core/message.ts';
import type { Tool } from '../../core/tool.ts';
import { keysOf, pathOf } from '../input/path.ts';
import { validate } from '../input/validate.ts';
import { serialise } from './serialise.ts';

/** What a tool gave, as the model can be shown it; `problem` says what is wrong with it, for a developer. */
export type ReadOutput =
  | { readonly ok: true; readonly content: readonly (TextPart | ImagePart)[] }
  | { readonly ok: false; readonly problem: string; readonly error?: unknown };

/** Checks a tool's value against its declared output schema and turns it into text (or the parts that it chose). `mask` takes secrets out of what is cut. */
export async function readOutput(tool: Tool, value: unknown, mask?: (text: string) => string): Promise<ReadOutput> {
  try {
    return await checked(tool, value, mask);
  } catch (error) {
    // A value, or an issue of its schema, that fights back: the tool has run all the same.
    return { ok: false, problem: 'it can not be looked at.', error };
  }
}

async function checked(tool: Tool, value: unknown, mask?: (text: string) => string): Promise<ReadOutput> {
  const { output } = tool.options;
  if (output === undefined) return { ok: true, content: contentOf(value, mask) };
  const validation = await validate(output, value);
  if (validation.status === 'valid') return { ok: true, content: contentOf(validation.value, mask) };
  if (validation.status === 'bug') return { ok: false, problem: 'the schema itself threw.', error: validation.error };
  const issues = validation.issues.slice(0, 5).map((issue) => `${pathOf(keysOf(issue)) || 'value'}: ${issue.message}`);
  return { ok: false, problem: cutWords(issues.join('; '), 2000) };
}

function contentOf(value: unknown, mask?: (text: string) => string): readonly (TextPart | ImagePart)[] {
  if (typeof value === 'string') return [{ type: 'text', text: value }];
  return chosenParts(value) ?? [{ type: 'text', text: serialise(value, undefined, mask) }];
}

/**
 * The parts of `{ type: 'content', content: [parts] }`, and of nothing that only looks a little like it. Each is read once
 * and copied: what the tool keeps of it can change no result.
 */
function chosenParts(value: unknown): readonly (TextPart | ImagePart)[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  try {
    const { type, content } = value as { readonly type?: unknown; readonly content?: unknown };
    if (type !== 'content' || !Array.isArray(content) || content.length === 0) return undefined;
    const parts = content.map(ownPart);
    return parts.every((part) => part !== undefined) ? parts : undefined;
  } catch {
    return undefined;
  }
}

function ownPart(given: unknown): TextPart | ImagePart | undefined {
  if (typeof given !== 'object' || given === null) return undefined;
  const part: Partial<TextPart | ImagePart> = { ...given };
  if (part.type === 'text') return typeof part.text === 'string' ? { type: 'text', text: part.text } : undefined;
  const isImage = part.type === 'image' && (typeof part.data === 'string' || typeof part.url === 'string');
  return isImage ? { ...part, type: 'image' } : undefined;
}
