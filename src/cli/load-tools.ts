import { existsSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isRecord } from '../core/json.ts';
import type { Tool } from '../core/tool.ts';
import { UserError } from './user-error.ts';

const EXAMPLE = "a tools file says: import { tool } from 'oilcan'; export default [tool({ ... })];";

/**
 * The tools of a module: its default export (a tool or an array of tools), else every exported tool.
 * @throws UserError where there is no such file, it can't be loaded, or it exports no tool.
 */
export async function loadTools(file: string): Promise<Tool[]> {
  const path = resolve(file);
  if (!existsSync(path)) throw new UserError(`There is no file ${file}.`, EXAMPLE);
  if (/^\.[cm]?ts$/.test(extname(path)) && !readsTypeScript()) {
    const hint = 'use Node 22.18 or later, or compile the file and name the .js';
    throw new UserError(`Node ${process.versions.node} can't load TypeScript (${file}).`, hint);
  }
  const tools = toolsOf(await load(path, file));
  if (tools.length === 0) throw new UserError(`${file} exports no tool.`, EXAMPLE);
  return tools;
}

async function load(path: string, file: string): Promise<unknown> {
  try {
    return (await import(pathToFileURL(path).href)) as unknown;
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new UserError(`${file} can't be loaded: ${message}`, 'run it on its own with node to see where it fails', {
      cause,
    });
  }
}

function toolsOf(module: unknown): Tool[] {
  if (!isRecord(module)) return [];
  const main = module['default'];
  const candidates = Array.isArray(main) ? main : main === undefined ? Object.values(module) : [main];
  return (candidates as unknown[]).filter(isTool);
}

/** By shape, not by class: the module may have loaded its own copy of oilcan. */
function isTool(value: unknown): value is Tool {
  if (!isRecord(value)) return false;
  const { name, description, inputSchema, options } = value;
  return typeof name === 'string' && typeof description === 'string' && isRecord(inputSchema) && isRecord(options);
}

/** Node says `strip` or `transform` where it takes TypeScript as it is (22.18+); older versions have no such field. */
function readsTypeScript(): boolean {
  const features: Readonly<Record<string, unknown>> = { ...process.features };
  return typeof features['typescript'] === 'string';
}
