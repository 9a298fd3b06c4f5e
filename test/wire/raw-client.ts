import { type Agent, request } from 'node:http';
import { constants, gunzipSync } from 'node:zlib';

/** What a client that adds nothing of its own sees of an exchange. */
export interface RawAnswer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** The body as far as it came. */
  readonly text: string;
  readonly bytes: Buffer;
  /** The pieces in which the body came. */
  readonly chunks: readonly string[];
  /** The system's code or the message of what broke; undefined for a whole answer. */
  readonly error: string | undefined;
}

/** Asks with nothing but `node:http`: no retry, no decoding, a connection of its own. */
export function ask(
  url: string,
  body: unknown,
  options: {
    readonly headers?: Record<string, string>;
    readonly method?: string;
    readonly leaveAfter?: string;
    readonly agent?: Agent;
  } = {},
): Promise<RawAnswer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let status: number | undefined;
    let headers: Record<string, string> = {};
    const done = (error?: string): void => {
      const bytes = Buffer.concat(chunks);
      const isZipped = headers['content-encoding'] === 'gzip' && error === undefined;
      // Takes what is there, also where the end is missing.
      const text = (isZipped ? gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH }) : bytes).toString();
      resolve({ status, headers, text, bytes, chunks: chunks.map(String), error });
    };
    const outgoing = request(
      url,
      {
        method: options.method ?? 'POST',
        agent: options.agent ?? false,
        headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', ...options.headers },
      },
      (answer) => {
        status = answer.statusCode;
        headers = Object.fromEntries(Object.entries(answer.headers).map(([name, value]) => [name, String(value)]));
        answer.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          if (options.leaveAfter !== undefined && Buffer.concat(chunks).includes(options.leaveAfter)) {
            outgoing.destroy();
            done('left');
          }
        });
        answer.on('end', () => done());
        answer.on('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message));
      },
    );
    outgoing.on('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message));
    const isText = typeof body === 'string' || body instanceof Uint8Array;
    outgoing.end(body === undefined || isText ? body : JSON.stringify(body));
  });
}
