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
  return {
    tool: undefined,
    // Worked out where it is told: most who ask only want to know whether there is a tool.
    get nearest() {
      return nearestNames(forms.at(-1) ?? name, tools);
    },
  };
}

/** What is looked at of each tool's name, worked out once for all calls. */
interface NameIndex {
  readonly bySpelling: ReadonlyMap<string, readonly Tool[]>;
  readonly names: readonly KnownName[];
  /** The places of the names that have a word. */
  readonly byWord: ReadonlyMap<string, readonly number[]>;
}

interface KnownName {
  readonly name: string;
  readonly normal: string;
  readonly words: ReadonlySet<string>;
  readonly letters: Uint8Array;
}

const indexes = new WeakMap<ReadonlyMap<string, Tool>, NameIndex>();

function indexOf(tools: ReadonlyMap<string, Tool>): NameIndex {
  const known = indexes.get(tools);
  if (known !== undefined) return known;
  const bySpelling = new Map<string, Tool[]>();
  const names = Array.from(tools.values(), (tool): KnownName => {
    const normal = normalName(tool.name);
    bySpelling.set(normal, [...(bySpelling.get(normal) ?? []), tool]);
    return { name: tool.name, normal, words: new Set(wordsOf(tool.name)), letters: lettersOf(normal) };
  });
  const byWord = new Map<string, number[]>();
  for (const [place, { words }] of names.entries())
    for (const word of words) byWord.set(word, [...(byWord.get(word) ?? []), place]);
  const index = { bySpelling, names, byWord };
  indexes.set(tools, index);
  return index;
}

function spelledAs(name: string, tools: ReadonlyMap<string, Tool>): readonly Tool[] {
  const wanted = normalName(name);
  return wanted === '' ? [] : (indexOf(tools).bySpelling.get(wanted) ?? []);
}

/** Chosen: a word by word comparison with the names that have the most letters in common is enough. */
const MAX_COMPARED = 8;

/** Names that share words with `name`, or differ from it in at most a third of their letters. */
function nearestNames(name: string, tools: ReadonlyMap<string, Tool>): string[] {
  const normal = normalName(name);
  if (normal === '') return [];
  const { names, byWord } = indexOf(tools);
  const scores = new Map<number, number>();
  const score = (place: number, points: number): void => {
    if (points > (scores.get(place) ?? 0)) scores.set(place, points);
  };
  const words = new Set(wordsOf(name));
  for (const [place, shared] of sharedWords(words, byWord))
    score(place, shared / (words.size + (names[place]?.words.size ?? 0) - shared));
  for (const place of alikePlaces(normal, names)) score(place, likeness(normal, names[place]?.normal ?? ''));
  return [...scores]
    .sort(([a, points], [b, others]) => others - points || a - b)
    .slice(0, MAX_SUGGESTIONS)
    .map(([place]) => names[place]?.name ?? '');
}

/** How many words each name shares with it; only those that share some. */
function sharedWords(words: ReadonlySet<string>, byWord: NameIndex['byWord']): Map<number, number> {
  const counts = new Map<number, number>();
  for (const word of words) for (const place of byWord.get(word) ?? []) counts.set(place, (counts.get(place) ?? 0) + 1);
  return counts;
}

/** The names that have the most letters in common with it. */
function alikePlaces(normal: string, names: readonly KnownName[]): number[] {
  const letters = lettersOf(normal);
  const alike: { readonly place: number; readonly differing: number }[] = [];
  for (let place = 0; place < names.length; place += 1) {
    const known = names[place];
    if (known === undefined) continue;
    const limit = Math.floor(Math.max(normal.length, known.normal.length) / 3);
    if (Math.abs(normal.length - known.normal.length) > limit) continue;
    const differing = differingLetters(letters, known.letters);
    if (differing <= limit) alike.push({ place, differing });
  }
  alike.sort((a, b) => a.differing - b.differing);
  return alike.slice(0, MAX_COMPARED).map(({ place }) => place);
}

/** How often each letter is there, by its low five bits. */
function lettersOf(normal: string): Uint8Array {
  const letters = new Uint8Array(32);
  for (let index = 0; index < normal.length; index += 1) {
    const letter = normal.charCodeAt(index) & 31;
    letters[letter] = (letters[letter] ?? 0) + 1;
  }
  return letters;
}

/** At least so many letters have to be added, dropped or changed, whatever their order. */
function differingLetters(a: Uint8Array, b: Uint8Array): number {
  let more = 0;
  let less = 0;
  for (let letter = 0; letter < 32; letter += 1) {
    const difference = (a[letter] ?? 0) - (b[letter] ?? 0);
    if (difference > 0) more += difference;
    else less -= difference;
  }
  return Math.max(more, less);
}

/** 1 for the same letters, 0 where more than a third of them differ. */
function likeness(a: string, b: string): number {
  const length = Math.max(a.length, b.length);
  const limit = Math.floor(length / 3);
  const distance = editDistance(a, b, limit);
  return distance > limit ? 0 : 1 - distance / length;
}
