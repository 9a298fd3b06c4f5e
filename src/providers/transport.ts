/** One POST. The bytes may be part of a larger buffer and must not be kept after the exchange has ended. */
export interface TransportRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** What went wrong below HTTP. */
export interface TransportError {
  /** The system's or the host's code: `ECONNREFUSED`, `ECONNRESET`, `ENOTFOUND`; `ABORTED_BODY` for a body that ended too soon. */
  readonly code: string;
  readonly message: string;
  /** How far the exchange had come: `head` before the status line was there, `body` after it. */
  readonly phase: 'head' | 'body';
  /** True where a kept connection turned out to be closed by the other side: the request was never heard. */
  readonly isStale?: boolean | undefined;
  readonly cause?: unknown;
}

/**
 * Who listens to one exchange. The calls come in the order `onHead onChunk* (onEnd | onError)`, never before the
 * transport has returned, and none after `abort()`.
 */
export interface TransportListener {
  onHead(status: number, header: (name: string) => string | undefined): void;
  /** Decoded of any content encoding. The bytes are valid during the call only. */
  onChunk(bytes: Uint8Array): void;
  /** The body is complete: its length, its last chunk and its compression say so. */
  onEnd(): void;
  onError(error: TransportError): void;
}

/** A running exchange. */
export interface Exchange {
  /** Stops reading from the network until `resume`; a chunk or two may still come. */
  pause(): void;
  resume(): void;
  /** Frees the connection at once. Nothing more is heard. */
  abort(): void;
}

/**
 * The one place that touches the network. Bytes are pushed, one call per chunk, because a chain of streams or
 * an async iteration per chunk costs more than everything else in a turn. Redirects are not followed, and nothing is retried.
 */
export type Transport = (request: TransportRequest, listener: TransportListener) => Exchange;
