/** A word that names a key, alone or glued to what it is a key of: `key`, `apikey`, `authorization`. */
const KEY_WORD =
  /^x?(?:api|access|auth|secret|private|subscription|session|virtual|client)?(?:keys?|token|secret|cookie|auth|authorization|password|signature|sig|jwt|credentials?)$/;

/** True for the name of a header, or of a part of an address, that lets a request in: `x-api-key` is one, `x-portkey-provider` is not. */
export function isKeyName(name: string): boolean {
  return name
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .some((word) => KEY_WORD.test(word));
}
