/** Longest piece of a name that is looked at: names come from a model and may be of any length. */
const MAX_CHARS = 200;

/** Name spaces that models put in front of a tool's name (`functions.` OpenAI, `default_api:` Gemini, `tools.` and `tool.` others). */
const NAME_SPACE = /^(?:functions?|tools?|default_api|multi_tool_use|namespace|api|mcp)[.:/]+/i;

/** The prefix of a tool server, as several MCP clients write it (`github__search`, `mcp__github__search`). */
const SERVER = /^[A-Za-z0-9_-]{1,64}?__/;

/** What may follow a name: control tokens of a chat template (`<|channel|>…`), a call's number (`:0`), a call's brackets. */
const TAIL = /(?:<\|.*|:\d{1,4}|\(.*\)?)$/s;

/** A name without case, separators and control characters: what is left is what it means. */
export function normalName(name: string): string {
  return name
    .slice(0, MAX_CHARS)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
}

/** The ways in which a model's word may name a tool: as it is, then with one prefix after the other dropped. */
export function nameForms(name: string): string[] {
  let rest = name.slice(0, MAX_CHARS).trim().replace(TAIL, '');
  const forms = [rest];
  // Two servers deep is the deepest in use (`mcp__github__search`); the bound keeps odd names cheap.
  for (let round = 0; round < 4; round += 1) {
    const shorter = rest.replace(NAME_SPACE, '');
    const next = shorter === rest ? rest.replace(SERVER, '') : shorter;
    if (next === rest || next === '') break;
    forms.push(next);
    rest = next;
  }
  return forms;
}

/** The words of a name, in lower case: split at separators and where small letters turn into capitals. */
export function wordsOf(name: string): string[] {
  return name
    .slice(0, MAX_CHARS)
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}
