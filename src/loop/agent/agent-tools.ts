import { isRecord } from '../../core/json.ts';
import { noSuchToolToForce } from '../act/hook-results.ts';
import { hasMethod, invalidOption } from '../../core/option-check.ts';
import type { Provider, ToolChoice, ToolDeclaration } from '../../core/provider.ts';
import type { Tool } from '../../core/tool.ts';

/**
 * The tools of an agent by their names.
 * @throws OilcanError `invalid-option` for what is no tool, and for two of one name.
 */
export function toolMap(tools: readonly Tool[]): ReadonlyMap<string, Tool> {
  if (!Array.isArray(tools)) throw invalidOption('Expected `tools` to be an array of tools made by `tool({ … })`.');
  const map = new Map<string, Tool>();
  for (const [index, tool] of tools.entries()) {
    if (!isTool(tool)) throw invalidOption(`Expected \`tools[${index}]\` to be made by \`tool({ … })\`.`);
    if (map.has(tool.name))
      throw invalidOption(`Duplicate tool name \`${tool.name}\`. Each tool of an agent needs a name of its own.`);
    map.set(tool.name, tool);
  }
  return map;
}

function isTool(value: unknown): value is Tool {
  return isRecord(value) && typeof value['name'] === 'string' && hasMethod(value['options'], 'execute');
}

/** By first tool: agents that are made anew with the same tools share what providers have built of them. */
const declarationCache = new WeakMap<Tool, readonly ToolDeclaration[]>();

/** What a model is told of the tools: the same array for the same tools. */
export function declarationsOf(tools: ReadonlyMap<string, Tool>): readonly ToolDeclaration[] {
  const list = [...tools.values()];
  const [first] = list;
  if (first === undefined) return [];
  const cached = declarationCache.get(first);
  if (cached?.length === list.length && cached.every((declaration, index) => declaration === list[index]))
    return cached;
  declarationCache.set(first, list);
  return list;
}

/**
 * Asks for a choice that the tools and every provider make possible.
 * @throws OilcanError `invalid-option`
 */
export function checkToolChoice(
  choice: ToolChoice,
  tools: ReadonlyMap<string, Tool>,
  providers: readonly Provider[],
): void {
  if (typeof choice === 'object' && !tools.has(choice.toolName)) throw noSuchToolToForce(choice.toolName, tools);
  const kind = typeof choice === 'object' ? 'tool' : choice;
  if (kind === 'auto') return;
  if (kind !== 'none' && tools.size === 0)
    throw invalidOption(`\`toolChoice\` is ${kind}, but the agent has no tools.`);
  for (const { id, capabilities } of providers) {
    if (!capabilities.toolChoice.includes(kind))
      throw invalidOption(
        `The provider \`${id}\` cannot express \`toolChoice\`: ${kind}. It knows ${capabilities.toolChoice.join(', ')}.`,
      );
  }
}

/**
 * `true` asks for nothing: it is what a server does that is not told.
 * @throws OilcanError `invalid-option`
 */
export function checkParallelToolCalls(isAllowed: boolean | undefined, providers: readonly Provider[]): void {
  if (isAllowed !== false) return;
  for (const { id, capabilities } of providers) {
    if (!capabilities.parallelToolCalls)
      throw invalidOption(
        `The provider \`${id}\` cannot express \`parallelToolCalls\`: false. Leave it out; \`toolConcurrency: 1\` runs calls one after the other.`,
      );
  }
}
