/** Chosen: a short list of numbers is read, a long one is noise. */
const MAX_NUMBERS = 20;

/** Kinds of objects whose content is not in their properties. What they hold has to be read by the tool itself. */
const UNREAD: ReadonlySet<string> = new Set([
  'Response',
  'Request',
  'ReadableStream',
  'WritableStream',
  'TransformStream',
  'Blob',
  'File',
  'FormData',
  'Promise',
  'Generator',
  'AsyncGenerator',
  'WeakMap',
  'WeakSet',
  'WeakRef',
]);

/**
 * A word for an object that is no data: binary data, an error, a stream that nobody read. Undefined for data.
 * May throw where the object's own code does.
 */
export function describeOpaque(value: object): string | undefined {
  if (value instanceof Error) return errorText(value);
  if (value instanceof RegExp) return String(value);
  if (value instanceof ArrayBuffer) return `[ArrayBuffer of ${value.byteLength} bytes]`;
  if (ArrayBuffer.isView(value)) return binaryText(value);
  const tag = Object.prototype.toString.call(value).slice(8, -1);
  if (UNREAD.has(tag)) return `[object ${tag}: it was returned unread]`;
  if (tag.endsWith(' Iterator')) return `[object ${tag}: it was returned unread]`;
  if (isStream(value)) return '[object Stream: it was returned unread]';
  return boxed(value);
}

/** Name and message; never the stack. */
function errorText(error: Error): string {
  const { name, message } = error;
  return message === '' ? name : `${name}: ${message}`;
}

function binaryText(view: ArrayBufferView): string {
  const kind = Object.prototype.toString.call(view).slice(8, -1);
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

function boxed(value: object): string | undefined {
  if (value instanceof String || value instanceof Number || value instanceof Boolean) return String(value);
  return undefined;
}
