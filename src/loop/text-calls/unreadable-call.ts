import type { Tool } from '../../core/tool.ts';
import type { FoundCalls } from './scanner.ts';

/** What announces a call: control tokens and tags with such words in them, markers, ReAct's lines. At the begin of a line. */
const SIGN = new RegExp(
  String.raw`(?:^|\n)[ \t*]*(` +
    [
      String.raw`<[|｜][^|｜<>\s]{0,40}(?:tool|call|action|func|channel|python|recipient|plugin)[^|｜<>\s]{0,40}[|｜]?>`,
      String.raw`<(?:｜DSML｜)?[\w:.-]{0,30}(?:tool|function|invoke|call|action)[\w:.-]{0,30}(?:[ =][^<>\n]{0,100})?\/?>`,
      String.raw`\[\/?(?:TOOL|FUNCTION|tool|function|call)[\w -]{0,20}[\]:]`,
      '```(?:tool|function)\\w{0,20}',
      String.raw`(?:Action|Tool|Function)(?: name| call| use)?\*{0,2}:(?=\*{0,2}[ \t]*(?:\S{1,100}[ \t]*(?:\n|$)|[\w.-]{1,100}[([]))`,
      String.raw`functools\b`,
      String.raw`>>>(?=\w)`,
      String.raw`call:(?=\w)`,
    ].join('|') +
    ')',
  'g',
);

/** Chosen: a text with more signs than this is about them. */
const MAX_SIGNS = 20;
/** Chosen: the name stands right behind the sign, perhaps with a type, an id or another tag between. */
const MAX_CHARS = 200;
const MAX_WORDS = 8;

/**
 * A call in a markup that can't be read: a sign of a call with the name of a tool beside it. It is not run, and no answer
 * either, so the model hears that it could not be read. A text that explains such a markup to the user stays an answer:
 * the markup stands in a fence, or between words.
 */
export function unreadableCall(
  text: string,
  { toolOf }: { readonly toolOf: (name: string) => Tool | undefined },
): FoundCalls | undefined {
  SIGN.lastIndex = 0;
  for (let signs = 0; signs < MAX_SIGNS; signs += 1) {
    const sign = SIGN.exec(text);
    if (sign === null) return byItsName(text, toolOf);
    const start = sign.index + sign[0].length - (sign[1] ?? '').length;
    const name = nameBeside(text.slice(start, start + MAX_CHARS), toolOf);
    if (name !== undefined && !isExplained(text, start)) return told(text, start, name);
  }
  return undefined;
}

/** A tag that is called like a tool: `<get_weather><city>Paris</city></get_weather>`; or its name with a bracket. */
function byItsName(text: string, toolOf: (name: string) => Tool | undefined): FoundCalls | undefined {
  const found = /(?:^|\n)[ \t]*(?=<([A-Za-z_][\w.-]{1,63})(?:\s[^<>\n]{0,200})?\/?>)/.exec(text);
  const [, name] = found ?? [];
  if (found === null || name === undefined || toolOf(name)?.name !== name) return undefined;
  const start = found.index + found[0].length;
  return isExplained(text, start) ? undefined : told(text, start, name);
}

function told(text: string, start: number, name: string): FoundCalls {
  const call = {
    name,
    arguments: { text: text.slice(start) },
    isComplete: true,
    problem: 'its form is not known here',
    beside: [],
    isPlain: false,
  };
  return { before: text.slice(0, start).trim(), calls: [call], endsInRepeat: false };
}

/** The tool that is named right behind the sign. */
function nameBeside(text: string, toolOf: (name: string) => Tool | undefined): string | undefined {
  let words = 0;
  const plain = text.replace(/<[|｜][^|｜<>\s]{1,60}[|｜]>/g, ' ');
  for (const [word] of plain.matchAll(/[A-Za-z_][\w.-]*/g)) {
    const tool = toolOf(word) ?? toolOf(word.replace(/\..*/, ''));
    // A word of every other text is the name only where nothing but the markup stands before it.
    if (tool !== undefined && (/[_\d]|[a-z][A-Z]/.test(tool.name) || words < 4)) return tool.name;
    words += 1;
    if (words >= MAX_WORDS) return undefined;
  }
  return undefined;
}

/** Whether what begins at `start` is shown to somebody: in a fence with words around it, or with words on both sides. */
function isExplained(text: string, start: number): boolean {
  const before = text.slice(0, start);
  const fence = openFence(before);
  const rest = text.slice(start);
  const behind = fence === undefined ? rest : rest.slice(endOfFence(rest));
  const hasWordsBefore = /[A-Za-z]{2}/.test(before.slice(0, fence));
  if (fence === undefined) return hasWordsBefore && endsInWords(behind);
  return hasWordsBefore || endsInWords(behind);
}

/** Where the fence begins that a text leaves open; undefined where there is none. */
export function openFence(text: string): number | undefined {
  let open: number | undefined;
  for (const { index } of text.matchAll(/^[ \t]*```/gm)) open = open === undefined ? index : undefined;
  return open;
}

function endOfFence(rest: string): number {
  const end = rest.indexOf('\n```');
  return end < 0 ? rest.length : end + 4;
}

/** A last line of plain words: what a model says to a person behind what it shows. */
function endsInWords(text: string): boolean {
  const last =
    text
      .trimEnd()
      .split(/\n\s*\n/)
      .at(-1) ?? '';
  const line = last.slice(last.lastIndexOf('\n') + 1).trim();
  if (/^(?:Observation|Thought|Final Answer|Action|Action Input|Question)\b/i.test(line)) return false;
  return /^[^<>{}[\]|]*[.!?)]$/.test(line) && /(?:\b[\p{L}'’-]+\b[^\p{L}]*){4}/u.test(line);
}
