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
  const patience = limitOnLoading(file);
  try {
    return await Promise.race([import(pathToFileURL(path).href) as Promise<unknown>, patience.ended]);
  } catch (cause) {
    if (cause instanceof UserError) throw cause;
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new UserError(`${file} can't be loaded: ${message}`, 'run it on its own with node to see where it fails', {
      cause,
    });
  } finally {
    patience.stop();
  }
}

/** chosen: a file that connects to something slow may take a while; nobody waits longer for a command to begin. */
const LOADING_MS = 30_000;

/** Rejects where a module never finishes loading: after a time, or as soon as nothing is left that could settle it. */
function limitOnLoading(file: string): { readonly ended: Promise<never>; readonly stop: () => void } {
  const { promise: ended, reject } = promiseOfNothing();
  const giveUp = (): void =>
    reject(
      new UserError(
        `${file} never finishes loading: an \`await\` at its top level waits for something that does not come.`,
        'move what waits into the `execute` of a tool',
      ),
    );
  const timer = setTimeout(giveUp, LOADING_MS);
  // Otherwise the timer itself would be something left to wait for, and Node could not tell that all else is over.
  timer.unref();
  process.once('beforeExit', giveUp);
  const stop = (): void => {
    clearTimeout(timer);
    process.off('beforeExit', giveUp);
  };
  return { ended, stop };
}

function promiseOfNothing(): { readonly promise: Promise<never>; readonly reject: (reason: UserError) => void } {
  let reject: (reason: UserError) => void = () => {};
  const promise = new Promise<never>((_resolve, rejectIt) => (reject = rejectIt));
  return { promise, reject };
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
