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

/** Binary data is told by its size: as numbers it is noise to a model, and many of them. */
function binaryText(view: ArrayBufferView): string {
  const { byteLength } = view;
  const size = 'length' in view && view.length !== byteLength ? `${String(view.length)} items` : `${byteLength} bytes`;
  return `[${tagOf(view)} of ${size}]`;
}

/** Node's streams are found by what they can do: the inner layers import nothing of Node. */
function isStream(value: object): boolean {
  return typeof Reflect.get(value, 'pipe') === 'function' && typeof Reflect.get(value, 'on') === 'function';
}
