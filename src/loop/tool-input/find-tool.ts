import { editDistance } from '../../core/edit-distance.ts';
import type { Tool } from '../../core/tool.ts';
import { nameForms, normalName, wordsOf } from './tool-names.ts';

/** The tool that a call names, or the tools that it may have meant. */
export type FoundTool =
  | { readonly tool: Tool; readonly renamed: boolean }
  | { readonly tool: undefined; readonly nearest: readonly string[] };

/** Chosen: more suggestions are a list, and the list follows anyway. */
const MAX_SUGGESTIONS = 3;

/**
 * Finds a tool by the name that the model wrote. Another spelling (a prefix, case, `_`, `-`, `.`) runs only where
 * it fits exactly one tool; else the nearest names are given, nearest first, possibly none.
 */
export function findTool(name: string, tools: ReadonlyMap<string, Tool>): FoundTool {
  const exact = tools.get(name);
  if (exact !== undefined) return { tool: exact, renamed: false };
  const forms = nameForms(name);
  for (const form of forms) {
    const same = tools.get(form);
    if (same !== undefined) return { tool: same, renamed: true };
    const spelled = spelledAs(form, tools);
    const [only, ...others] = spelled;
    // Two tools that differ only in case or separators: choosing would be guessing.
    if (others.length > 0) return { tool: undefined, nearest: spelled.map((tool) => tool.name) };
    if (only !== undefined) return { tool: only, renamed: true };
  }
  return { tool: undefined, nearest: nearestNames(forms.at(-1) ?? name, tools) };
}

function spelledAs(name: string, tools: ReadonlyMap<string, Tool>): Tool[] {
  const wanted = normalName(name);
  if (wanted === '') return [];
  return [...tools.values()].filter((tool) => normalName(tool.name) === wanted);
}

/** Names that share words with `name`, or differ from it in at most a third of their letters. */
function nearestNames(name: string, tools: ReadonlyMap<string, Tool>): string[] {
  const words = new Set(wordsOf(name));
  const normal = normalName(name);
  if (normal === '') return [];
  return [...tools.keys()]
    .map((other) => ({
      other,
      score: Math.max(sharedWords(words, wordsOf(other)), likeness(normal, normalName(other))),
    }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ other }) => other);
}

/** Shared words as a part of all words, from 0 to 1. */
function sharedWords(words: ReadonlySet<string>, others: readonly string[]): number {
  const all = new Set([...words, ...others]);
  return others.filter((word) => words.has(word)).length / all.size;
}

/** 1 for the same letters, 0 where more than a third of them differ. */
function likeness(a: string, b: string): number {
  const length = Math.max(a.length, b.length);
  const limit = Math.floor(length / 3);
  const distance = editDistance(a, b, limit);
  return distance > limit ? 0 : 1 - distance / length;
}
