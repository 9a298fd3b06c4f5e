import type { Json } from '../../core/json.ts';
import type { JsonSchema } from '../../core/schema.ts';
import { readLenient } from '../input/lenient-reader.ts';
import { allowedValuesOf, branchesOf, propertyNode, rootNode, typesOf } from '../input/schema-view.ts';
import type { SchemaNode } from '../input/schema-view.ts';
import { AROUND, NAME_SPACE } from './markups.ts';

// Values between tags: `<parameter=key>value</parameter>`. They are written as they are, so a value may hold the tag that
// ends it, and nothing in the text says of what type it is.

/** What may follow the end of a value: the next one, or the end of the call with another call or nothing behind it. */
const NEXT = String.raw`<${NAME_SPACE}parameter(?:=| name=)["']?[\w.-]{1,100}["']?[^<>]{0,100}>|<(?:longcat_)?arg_key>`;
const CLOSERS = String.raw`<\/${NAME_SPACE}(?:function|invoke|${AROUND})>`;
const BEHIND = String.raw`$|<${NAME_SPACE}(?:function=|invoke name=|${AROUND})|<[|｜]|<\/s>|${'```'}`;
const SURE = new RegExp(String.raw`\s*(?:${NEXT}|(?:${CLOSERS}[\s;,]*)+(?:${BEHIND})|$)`, 'y');
const LIKELY = new RegExp(String.raw`\s*(?:${NEXT}|${CLOSERS})`, 'y');

/**
 * Where the value that begins at `start` ends; undefined where it does not. A value may hold its own end (a file about
 * such markups), so the place counts behind which the call goes on or ends.
 */
export function endOfValue(text: string, start: number, close: string, budget: { left: number }): number | undefined {
  let likely: number | undefined;
  let first: number | undefined;
  for (let at = text.indexOf(close, start); at >= 0; at = text.indexOf(close, at + close.length)) {
    first ??= at;
    budget.left -= 1;
    if (budget.left < 0) break;
    if (stands(SURE, text, at + close.length)) return at;
    if (likely === undefined && stands(LIKELY, text, at + close.length)) likely = at;
  }
  return likely ?? first;
}

function stands(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

/** The value as the schema has it: a text where a text is taken, else the JSON that stands there, if it is any. */
export function typedValue(
  written: string,
  key: string,
  schema: JsonSchema | undefined,
  isText: boolean | undefined,
): Json {
  if (isText === true) return written;
  const node = schema === undefined ? undefined : propertyNode(rootNode(schema), key);
  if (isText === undefined && node !== undefined && takesText(node, 0)) return written;
  // Where any value is taken, the word is more likely than nothing at all, which is left out.
  if (isText === undefined && written.trim() === 'null' && !isTyped(node)) return written;
  const value = written.trim();
  // Most values are no JSON. The blank tells a whole number from one that was cut.
  const reading = /^[-\d{["tfnTFN]/.test(value) ? readLenient(`${value} `, 0) : undefined;
  const isJson = reading?.ok === true && reading.end === value.length && (isTyped(node) || reading.repairs.size === 0);
  return isJson ? reading.value : written;
}

/** Chosen: unions of unions of unions are an accident. */
const MAX_DEPTH = 3;

function isTyped(node: SchemaNode | undefined): boolean {
  return (
    node !== undefined &&
    (typesOf(node).length > 0 || branchesOf(node) !== undefined || allowedValuesOf(node) !== undefined)
  );
}

function takesText(node: SchemaNode, depth: number): boolean {
  if (typesOf(node).includes('string') || allowedValuesOf(node)?.some((value) => typeof value === 'string') === true)
    return true;
  return depth < MAX_DEPTH && branchesOf(node)?.some((branch) => takesText(branch, depth + 1)) === true;
}
