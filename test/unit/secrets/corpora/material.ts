/** Random characters, the same in each run: nothing in this folder is a real secret, and no scanner takes it for one. */
const ALPHABETS: Readonly<Record<string, string>> = {
  b62: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
  b64: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
  url: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_',
  hex: '0123456789abcdef',
  b36: 'abcdefghijklmnopqrstuvwxyz0123456789',
  B32: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567',
  B36: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789',
  dig: '123456789',
  abc: 'abcdefghijklmnopqrstuvwxyz',
};

/** A text in which `{b62:20}` is replaced by as many characters of that alphabet. */
export function filled(text: string, seed: number): string {
  let state = seed * 2_654_435_761 + 97;
  const random = (): number => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    const mixed = Math.imul(state ^ (state >>> 13), 0x297a2d39);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  };
  return text
    .replace(/\{uuid\}/g, '{hex:8}-{hex:4}-4{hex:3}-a{hex:3}-{hex:12}')
    .replace(/\{jwt\}/g, `ey${'J'}hbGciOiJIUzI1NiJ9.ey${'J'}{b62:40}.{url:43}`)
    .replace(/\{(\w+):(\d+)\}/g, (_, name: string, length: string) => {
      const alphabet = ALPHABETS[name] ?? '';
      return Array.from({ length: Number(length) }, () => alphabet[Math.floor(random() * alphabet.length)]).join('');
    });
}

/** A text with secrets in it, which are marked «so». */
export interface Leak {
  readonly text: string;
  readonly secrets: readonly string[];
}

/** Reads a marked text. */
export function leakOf(marked: string, seed: number): Leak {
  const text = filled(marked, seed);
  const secrets = Array.from(text.matchAll(/«([^»]*)»/g), ([, secret = '']) => secret);
  return { text: text.replace(/[«»]/g, ''), secrets };
}

/** True where half of a secret (six characters at least) can still be read. */
export function isLeaked(secret: string, masked: string): boolean {
  const length = Math.max(Math.min(6, secret.length), Math.ceil(secret.length / 2));
  for (let at = 0; at + length <= secret.length; at += 1)
    if (masked.includes(secret.slice(at, at + length))) return true;
  return false;
}
