import type { Json } from '../../core/json.ts';
import type { ReplyToolCall } from '../../core/provider.ts';
import type { DeltaSink } from '../assembler.ts';
import { ArgumentPieces } from '../argument-pieces.ts';
import { placeOf, recordOf, stringOf } from '../json-fields.ts';
import type { ChatFunction, ChatToolCall } from './wire.ts';

/** One call as far as it came. */
interface Slot {
  id: string;
  name: string;
  index: number | undefined;
  readonly pieces: ArgumentPieces;
  /** Arguments that came as a value and not as text. */
  value: unknown;
  vendorData: Json | undefined;
  /** Which delta touched it last: entries of one delta that name no place are calls of their own. */
  delta: number;
}

/**
 * Assembles tool calls from the entries of deltas and messages. By the book an entry names its place (`index`) and
 * only the first of a place has an id and a name. Servers leave the index out, give 0 to every call, repeat names and ids
 * in each entry, or send the name last; what makes a new call is decided in `#slotOf`.
 */
export class ToolCallSlots {
  readonly #slots: Slot[] = [];
  readonly #byIndex = new Map<number, Slot>();
  readonly #byId = new Map<string, Slot>();
  #delta = 0;
  readonly #issuer: string;
  readonly #sink: DeltaSink;

  constructor(issuer: string, sink: DeltaSink) {
    this.#issuer = issuer;
    this.#sink = sink;
  }

  /** Takes the `tool_calls` of one delta (pieces), or of a whole message, where each entry is a call. */
  take(entries: readonly unknown[], areWhole: boolean): void {
    this.#delta++;
    for (const entry of entries) {
      const call: ChatToolCall | undefined = recordOf(entry);
      if (call !== undefined) this.#takeCall(call, areWhole);
    }
  }

  /** The calls in order. */
  calls(): ReplyToolCall[] {
    const slots: Slot[] = [];
    for (const slot of this.#slots.filter(isSaid)) {
      const before = slots.at(-1);
      // One that was never given a name goes on with the call before it.
      if (slot.name !== '' || before === undefined) slots.push(slot);
      else before.pieces.add(textOf(slot));
    }
    return slots.map(toCall);
  }

  #takeCall(call: ChatToolCall, isWhole: boolean): void {
    // Some servers leave out the level of `function`.
    const fn: ChatFunction = recordOf(call.function) ?? recordOf(call) ?? {};
    const id = stringOf(call.id) ?? '';
    const name = stringOf(fn.name) ?? '';
    const index = placeOf(call.index);
    const args = fn.arguments ?? undefined;
    // A hole in the places says nothing.
    const extra = (call as { extra_content?: Json }).extra_content ?? undefined;
    if (id === '' && name === '' && args === undefined && extra === undefined) return;
    const slot =
      isWhole && (name !== '' || this.#slots.length === 0) ? this.#open(index) : this.#slotOf(index, id, name, args);
    if (index !== undefined && !this.#byIndex.has(index)) this.#place(slot, index);
    if (id !== '' && !this.#byId.has(id)) this.#byId.set(id, slot);
    // What comes whole has no model that still writes it.
    if (!isWhole) this.#sink.call((name === '' ? '' : `\n${name}`) + (typeof args === 'string' ? args : ''));
    slot.delta = this.#delta;
    if (slot.id === '') slot.id = id;
    slot.name = joinName(slot.name, name);
    if (typeof args === 'string') slot.pieces.add(args);
    else if (args !== undefined) slot.value = args;
    // Gemini's signature of a thought travels beside the call and must come back with it.
    if (extra !== undefined) slot.vendorData = { issuer: this.#issuer, extra_content: extra };
  }

  #slotOf(index: number | undefined, id: string, name: string, args: unknown): Slot {
    const last = index === undefined ? this.#slots.at(-1) : this.#byIndex.get(index);
    if (last === undefined) return this.#joined(index, id, name, args) ?? this.#open(index);
    if (id !== '' && last.id !== '') {
      // One delta holds no two pieces of one call, but some servers give all calls the same id.
      if (id === last.id) return last.delta === this.#delta && isAnother(last, name, args) ? this.#open(index) : last;
      // Another id in the same place: an earlier call that goes on, or a new one. An entry without a name goes on.
      return this.#byId.get(id) ?? (name === '' ? last : this.#open(index));
    }
    if (name === '') return last;
    // Without an index a name begins a call, unless it repeats that of a call that still goes on.
    if (index === undefined && (last.delta === this.#delta || (isSaid(last) && name !== last.name && last.name !== '')))
      return this.#open(index);
    return isAnother(last, name, args) ? this.#open(index) : last;
  }

  /**
   * The call that an entry in a new place goes on with. Without a name it goes on with the call of its id, else with the one
   * that came in this place before places were told, else with the latest; with an id of its own its name may come last. With
   * a name it is a second call, unless it repeats the id of one whose place was not told.
   */
  #joined(index: number | undefined, id: string, name: string, args: unknown): Slot | undefined {
    const known = this.#byId.get(id);
    if (name !== '') {
      const isLate = known !== undefined && known.index === undefined && known.name === name;
      return isLate && known.delta !== this.#delta && !isAnother(known, name, args) ? known : undefined;
    }
    const placed = index === undefined ? undefined : this.#slots[index];
    const unplaced = placed?.index === undefined ? placed : undefined;
    return known ?? unplaced ?? (id === '' ? this.#slots.at(-1) : undefined);
  }

  #open(index: number | undefined): Slot {
    const slot: Slot = {
      id: '',
      name: '',
      index: undefined,
      pieces: new ArgumentPieces(),
      value: undefined,
      vendorData: undefined,
      delta: this.#delta,
    };
    this.#slots.push(slot);
    if (index !== undefined) this.#place(slot, index);
    return slot;
  }

  #place(slot: Slot, index: number): void {
    slot.index ??= index;
    this.#byIndex.set(index, slot);
  }
}

/** True where an entry with a name can't belong to the call before it in the same place, because that one is whole. */
function isAnother(last: Slot, name: string, args: unknown): boolean {
  if (name === '') return false;
  const isOtherName = last.name !== '' && name !== last.name;
  if (last.value !== undefined) return isOtherName || args !== undefined;
  // A call whose arguments have not begun: the name comes in pieces.
  if (last.pieces.isEmpty || !last.pieces.isWhole()) return false;
  if (isOtherName) return true;
  // Arguments that begin anew; the same ones again are a repetition.
  return args !== undefined && args !== '' && args !== last.pieces.text();
}

/** Names come whole in the first entry, whole in every entry, growing, or in pieces. */
function joinName(before: string, name: string): string {
  return name.startsWith(before) ? name : before + name;
}

/** A place that was opened and never filled (a hole in the indexes) is no call. */
function isSaid(slot: Slot): boolean {
  return slot.name !== '' || slot.id !== '' || !slot.pieces.isEmpty || slot.value !== undefined;
}

function textOf({ pieces, value }: Slot): string {
  return pieces.isEmpty && value !== undefined ? JSON.stringify(value) : pieces.text();
}

function toCall(slot: Slot): ReplyToolCall {
  const text = slot.pieces.text();
  const isText = slot.value === undefined || text !== '';
  return {
    type: 'tool-call',
    id: slot.id,
    name: slot.name,
    arguments: isText ? { text } : { value: slot.value },
    isComplete: true,
    vendorData: slot.vendorData,
  };
}
