/**
 * The forms in which a secret may stand in a text: as it is, percent-encoded, as in JSON, and in Base64, alone or as
 * a part of something longer (`user:secret` begins the secret at any of three places of a Base64 group).
 */
export function exactForms(secret: string): string[] {
  const forms = [secret, JSON.stringify(secret).slice(1, -1)];
  try {
    forms.push(encodeURIComponent(secret));
  } catch {
    // A lone surrogate has no percent-encoding.
  }
  const bytes = new TextEncoder().encode(secret);
  for (const shift of [0, 1, 2]) {
    const form = base64Core(bytes, shift);
    // A few characters of Base64 could be anything.
    if (form.length >= 8) forms.push(form, form.replaceAll('+', '-').replaceAll('/', '_'));
  }
  // Alone, it ends with its padding.
  forms.push(base64(bytes));
  return forms;
}

/** The Base64 characters that depend on the secret alone when it begins `shift` bytes into a group. */
function base64Core(bytes: Uint8Array, shift: number): string {
  const encoded = base64(bytes, shift);
  // Six bits a character: those that share bits with a neighbour are left out, but at the edges of a secret that stands alone.
  const start = Math.ceil((shift * 8) / 6);
  const end = Math.floor(((shift + bytes.length) * 8) / 6);
  return encoded.slice(start, end);
}

function base64(bytes: Uint8Array, shift = 0): string {
  let binary = '\0'.repeat(shift);
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}
