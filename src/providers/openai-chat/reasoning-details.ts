import type { Json } from '../../core/json.ts';
import { isRecord } from '../../core/json.ts';

/** Fields of a block whose pieces are joined; every other field is replaced by the latest. */
const TEXT_FIELDS: ReadonlySet<string> = new Set(['text', 'summary', 'data']);

/** OpenRouter's blocks of reasoning, which come in pieces and must be sent back as they were. */
export class ReasoningDetails {
  readonly #blocks: Record<string, Json>[] = [];
  readonly #byPlace = new Map<string, Record<string, Json>>();

  take(pieces: readonly unknown[]): void {
    for (const piece of pieces) {
      if (!isRecord(piece)) continue;
      const place = `${String(piece['index'])}:${String(piece['type'])}`;
      const block = piece['index'] === undefined ? undefined : this.#byPlace.get(place);
      if (block !== undefined) join(block, piece);
      else {
        const copy = { ...piece } as Record<string, Json>;
        this.#blocks.push(copy);
        this.#byPlace.set(place, copy);
      }
    }
  }

  value(): Json | undefined {
    return this.#blocks.length === 0 ? undefined : { reasoning_details: this.#blocks };
  }
}

function join(block: Record<string, Json>, piece: Record<string, unknown>): void {
  for (const [key, value] of Object.entries(piece)) {
    const before = block[key];
    if (TEXT_FIELDS.has(key) && typeof before === 'string' && typeof value === 'string') block[key] = before + value;
    else if (value !== null && value !== undefined) block[key] = value as Json;
  }
}
