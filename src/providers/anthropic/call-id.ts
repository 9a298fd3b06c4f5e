/** What the vendor takes as the id of a call: `^[a-zA-Z0-9_-]+$`. */
const VALID = /^[a-zA-Z0-9_-]+$/;

/**
 * The id of a call as the vendor accepts it. Valid ones are echoed exactly; in others the wrong characters are
 * replaced, and a mark of the whole id keeps two of them apart. The same for the call and its result.
 */
export function callId(id: string): string {
  if (VALID.test(id)) return id;
  return `${id.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 40)}_${fingerprint(id)}`;
}

/** FNV-1a over UTF-16 units, once forwards and once backwards: 64 bits, so that ids of a run do not meet by chance. */
function fingerprint(text: string): string {
  let forwards = 0x811c9dc5;
  let backwards = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    forwards = Math.imul(forwards ^ text.charCodeAt(index), 0x01000193);
    backwards = Math.imul(backwards ^ text.charCodeAt(text.length - 1 - index), 0x01000193);
  }
  return (forwards >>> 0).toString(36) + (backwards >>> 0).toString(36);
}
