/** What can be done about a failure; each code needs the fields that are named beside it. */
export type AdviceCode =
  /** `origin` */
  | 'start-ollama'
  | 'start-server'
  | 'check-host'
  | 'use-http'
  | 'trust-certificate'
  | 'follow-redirect'
  /** `variable`, where the environment may hold the key. */
  | 'check-key'
  | 'drop-bearer'
  | 'drop-quotes'
  | 'pass-key'
  /** `variable` and `vendor`: the key in the environment goes to that vendor only. */
  | 'pass-kept-key'
  /** `model` */
  | 'check-permissions'
  | 'pull-model'
  | 'check-model'
  | 'take-model-with-tools'
  /** `url` */
  | 'check-address'
  /** `url`, and in `wire` the wire that was asked for. */
  | 'check-wire'
  /** In `wire` the wire that the reply looks like. */
  | 'take-wire'
  | 'shorten'
  /** In `option` the way to a larger context. */
  | 'enlarge-context'
  | 'send-less'
  | 'check-billing'
  | 'rephrase';

/** What to do about a failure, as data: it can be said in any words, and to anybody. */
export interface Advice {
  readonly code: AdviceCode;
  /** Scheme, host and port of the server. */
  readonly origin?: string | undefined;
  /** The address that was asked, without its query. */
  readonly url?: string | undefined;
  readonly model?: string | undefined;
  /** A variable of the environment. */
  readonly variable?: string | undefined;
  readonly vendor?: string | undefined;
  /** The id of a wire: `openai-chat`, `openai-responses`, `anthropic`, `ollama`. */
  readonly wire?: string | undefined;
  readonly option?: string | undefined;
}
