/** Chosen: what is larger is written piece by piece, so that it can be stopped. */
const MAX_NODES = 20_000;
const MAX_CHARS = 500_000;
const MAX_DEPTH = 50;

/**
 * True where `JSON.stringify` says all there is to say about a value, without a surprise: lists, plain objects, texts,
 * finite numbers; no cycle, nothing deep or huge, no method that could throw.
 */
export function isPlainData(value: unknown): boolean {
  try {
    return isPlain(value, 0, { nodes: MAX_NODES, chars: MAX_CHARS });
  } catch {
    // A getter or a trap of the value threw.
    return false;
  }
}

function isPlain(value: unknown, depth: number, left: { nodes: number; chars: number }): boolean {
  left.nodes -= 1;
  if (left.nodes < 0) return false;
  switch (typeof value) {
    case 'string':
      left.chars -= value.length;
      return left.chars >= 0;
    case 'number':
      return Number.isFinite(value);
    case 'boolean':
      return true;
    case 'object':
      break;
    default:
      return false;
  }
  if (value === null) return true;
  if (depth >= MAX_DEPTH) return false;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) if (!isPlain(value[index], depth + 1, left)) return false;
    return !('toJSON' in value);
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if ((prototype !== Object.prototype && prototype !== null) || 'toJSON' in value) return false;
  for (const key of Object.keys(value)) {
    left.chars -= key.length;
    const member: unknown = Reflect.get(value, key);
    // JSON leaves such a member out, and so does the writer for everything else.
    if (member !== undefined && !isPlain(member, depth + 1, left)) return false;
  }
  return left.chars >= 0;
}
