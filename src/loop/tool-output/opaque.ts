/** Chosen: a short list of numbers is read, a long one is noise. */
const MAX_NUMBERS = 20;

/** Kinds of objects whose content is not in their properties. What they hold has to be read by the tool itself. */
const UNREAD =
  /^(?:Response|Request|(?:Readable|Writable|Transform)Stream|Blob|File|FormData|Promise|(?:Async)?Generator|Weak(?:Map|Set|Ref)|.* Iterator)$/;

/**
 * A word for an object that is no data: binary data, an error, a stream that nobody read. Undefined for data.
 * May throw where the object's own code does.
 */
export function describeOpaque(value: object): string | undefined {
  if (value instanceof Error) return errorText(value);
  if (value instanceof RegExp) return String(value);
  if (value instanceof ArrayBuffer) return `[ArrayBuffer of ${value.byteLength} bytes]`;
  if (ArrayBuffer.isView(value)) return binaryText(value);
  const unread = isStream(value) ? 'Stream' : UNREAD.exec(tagOf(value))?.[0];
  if (unread !== undefined) return `[object ${unread}: it was returned unread]`;
  const isBoxed = value instanceof String || value instanceof Number || value instanceof Boolean;
  return isBoxed ? String(value) : undefined;
}

/** What the language calls the object's kind. */
function tagOf(value: object): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}

/** Name and message; never the stack. */
function errorText(error: Error): string {
  const { name, message } = error;
  return message === '' ? name : `${name}: ${message}`;
}

function binaryText(view: ArrayBufferView): string {
  const kind = tagOf(view);
  if (!isNumbers(view)) return `[${kind} of ${view.byteLength} bytes]`;
  if (view.length > MAX_NUMBERS) return `[${kind} of ${view.length} items]`;
  return `[${[...view].join(', ')}]`;
}

function isNumbers(
  view: ArrayBufferView,
): view is ArrayBufferView & { readonly length: number } & Iterable<number | bigint> {
  return 'length' in view && Symbol.iterator in view;
}

/** Node's streams are found by what they can do: the inner layers import nothing of Node. */
function isStream(value: object): boolean {
  return typeof Reflect.get(value, 'pipe') === 'function' && typeof Reflect.get(value, 'on') === 'function';
}
