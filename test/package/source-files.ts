import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's folder. */
export const root: string = resolve(fileURLToPath(import.meta.url), '..', '..', '..');

/** A file of the project, named from its root with `/`. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** Every file below a folder whose name ends in one of `endings`, in order. */
export function filesBelow(folder: string, endings: readonly string[] = ['.ts']): SourceFile[] {
  const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && endings.some((ending) => entry.name.endsWith(ending)))
    .map((entry) => read(join(entry.parentPath, entry.name)))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** One file, by its path from the root. */
export function fileAt(path: string): SourceFile {
  return read(join(root, path));
}

/** An import, a re-export or a dynamic import. */
export interface Import {
  readonly specifier: string;
  /** Gone when the types are erased. */
  readonly isType: boolean;
  /** Loaded when it is needed, not when the module is. */
  readonly isDynamic: boolean;
}

/** What a module imports. Reads the forms that our formatter and our build write. */
export function importsOf({ text }: SourceFile): Import[] {
  const code = text.replace(/\/\*[^]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
  const statements = code.matchAll(/^(?:import|export)\s+(type\s)?(?:[\w*${},\s]*?\sfrom\s+)?['"]([^'"]+)['"]/gm);
  const dynamic = code.matchAll(/\bimport\(\s*['"]([^'"]+)['"]\s*\)/g);
  return [
    ...Array.from(statements, ([, type, specifier = '']) => ({
      specifier,
      isType: type !== undefined,
      isDynamic: false,
    })),
    ...Array.from(dynamic, ([, specifier = '']) => ({ specifier, isType: false, isDynamic: true })),
  ];
}

/** The file that a relative import of `from` names, from the root. */
export function resolveImport(from: SourceFile, specifier: string): string {
  return relative(root, resolve(root, dirname(from.path), specifier))
    .split(sep)
    .join('/');
}

/** The code of a file: comments are removed and the contents of strings emptied, so that a search finds code only. */
export function codeOf({ text }: SourceFile): string {
  const pieces = /\/\*[^]*?\*\/|\/\/[^\n]*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\$]|\\.|\$(?!\{))*`/g;
  return text.replace(pieces, (piece) => (piece.startsWith('/') ? '' : "''"));
}

function read(absolute: string): SourceFile {
  return { path: relative(root, absolute).split(sep).join('/'), text: readFileSync(absolute, 'utf8') };
}
