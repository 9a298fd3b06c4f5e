import type { ConversationView, ViewToolResult } from './view.ts';
import type { LoopbackWire } from './wire.ts';

/** What a script that is a function knows about the request. */
export interface LoopbackContext {
  /** Which request this is, from 0. Requests that a strict vendor refuses are not counted. */
  readonly requestIndex: number;
  readonly wire: LoopbackWire;
  readonly isStream: boolean;
  /** The conversation, the same for every wire. */
  readonly view: ConversationView;
  /** The tool results that came after the last reply. */
  readonly lastResults: readonly ViewToolResult[];
  /** The request's body as parsed. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
}
