/** https://docs.ollama.com/faq */
export const OLLAMA_BASE_URL: string = 'http://127.0.0.1:11434';

const DEFAULT_PORT = '11434';

/**
 * The address that `OLLAMA_HOST` stands for. The variable is the server's too, so it may be `0.0.0.0`, `:8080`, a bare host or
 * a whole address.
 */
export function ollamaBaseURL(variable: string | undefined): string {
  const value = (variable ?? '').trim().replace(/^["']|["']$/g, '');
  if (value === '') return OLLAMA_BASE_URL;
  const hasScheme = /^https?:\/\//i.test(value);
  const address = hasScheme ? value : `http://${value.startsWith(':') ? `127.0.0.1${value}` : value}`;
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    return address;
  }
  // What a server listens on is no place to connect to.
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1';
  if (url.hostname === '[::]') url.hostname = '[::1]';
  // With a scheme its usual port stands for itself, as in Ollama's own client.
  if (!hasScheme && url.port === '' && !/:80(?:\/|$)/.test(address)) url.port = DEFAULT_PORT;
  return url.href;
}
