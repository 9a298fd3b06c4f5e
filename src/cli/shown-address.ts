/** An address as it may be shown: without a password, and without a query, which may hold a key. */
export function shownAddress(address: string): string {
  if (!isHttpAddress(address)) return address.slice(address.lastIndexOf('@') + 1);
  const url = new URL(address);
  if (url.username === '' && url.password === '' && url.search === '') return address;
  url.username = '';
  url.password = '';
  url.search = '';
  return url.href;
}

/** True for a whole address that begins with http:// or https://. */
export function isHttpAddress(address: string): boolean {
  return /^https?:\/\//i.test(address.trim()) && URL.canParse(address);
}
