import { cutWords } from '../../core/cut-words.ts';
import type { ImagePart, TextPart } from '../../core/message.ts';
import type { Tool } from '../../core/tool.ts';
import { keysOf, pathOf } from '../tool-input/path.ts';
import { validate } from '../tool-input/validate.ts';
import { serialise } from './serialise.ts';

/** What a tool gave, as the model can be shown it; `problem` says what is wrong with it, for a developer. */
export type ReadOutput =
  | { readonly ok: true; readonly content: readonly (TextPart | ImagePart)[] }
  | { readonly ok: false; readonly problem: string; readonly error?: unknown };

/** Checks a tool's value against its declared output schema and turns it into text (or the parts that it chose). */
export async function readOutput(tool: Tool, value: unknown): Promise<ReadOutput> {
  const { output } = tool.options;
  if (output === undefined) return { ok: true, content: contentOf(value) };
  const checked = await validate(output, value);
  if (checked.status === 'valid') return { ok: true, content: contentOf(checked.value) };
  if (checked.status === 'bug') return { ok: false, problem: 'the schema itself threw.', error: checked.error };
  const issues = checked.issues.slice(0, 5).map((issue) => `${pathOf(keysOf(issue)) || 'value'}: ${issue.message}`);
  return { ok: false, problem: cutWords(issues.join('; '), 2000) };
}

function contentOf(value: unknown): readonly (TextPart | ImagePart)[] {
  if (typeof value === 'string') return [{ type: 'text', text: value }];
  return isToolContent(value) ? value.content : [{ type: 'text', text: serialise(value) }];
}

/** `{ type: 'content', content: [parts] }`, and nothing that only looks a little like it. */
function isToolContent(value: unknown): value is { readonly content: readonly (TextPart | ImagePart)[] } {
  if (typeof value !== 'object' || value === null) return false;
  try {
    const { type, content } = value as { readonly type?: unknown; readonly content?: unknown };
    return type === 'content' && Array.isArray(content) && content.length > 0 && content.every(isPart);
  } catch {
    return false;
  }
}

function isPart(part: unknown): boolean {
  if (typeof part !== 'object' || part === null || !('type' in part)) return false;
  if (part.type === 'text') return 'text' in part && typeof part.text === 'string';
  return (
    part.type === 'image' &&
    (('data' in part && typeof part.data === 'string') || ('url' in part && typeof part.url === 'string'))
  );
}
