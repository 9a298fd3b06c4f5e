import { isRecord } from '../../core/json.ts';
import type { OptionGroup, OptionRule } from '../../core/option-rules.ts';
import { aString, integerFrom, needed, notNegative, oneOf, positive, trueOrFalse } from '../../core/option-rules.ts';
import { anArray, anObject, aTextOrPieces, callOptions } from '../../providers/script-rules.ts';
import type {
  LoopbackDelivery,
  LoopbackFaultStep,
  LoopbackPoint,
  LoopbackQuirks,
  LoopbackRawStep,
  LoopbackReplyStep,
  LoopbackStatusStep,
  LoopbackVendorError,
} from './step.ts';

type RulesOf<T> = Readonly<Record<T extends T ? keyof T : never, OptionRule | true>>;

/** Chosen: what Node sends as the last answer to a request. */
const aStatus: OptionRule = {
  wanted: 'an integer from 200 to 999',
  fits: (value) => Number.isInteger(value) && Number(value) >= 200 && Number(value) <= 999,
};

const aCode: OptionRule = {
  wanted: 'a string or a number',
  fits: (value) => typeof value === 'string' || typeof value === 'number',
};

const headers: OptionRule = {
  wanted: "an object of strings such as { 'retry-after': '7' }",
  fits: (value) => isRecord(value) && Object.values(value).every((header) => typeof header === 'string'),
};

const json: OptionRule = { wanted: 'a value that JSON can hold', fits: isJson };

const raw: OptionRule = {
  wanted: 'a string, bytes or an array of strings',
  fits: (value) => value instanceof Uint8Array || aTextOrPieces.fits(value),
};

const point = {
  after: needed(oneOf('start', 'reasoning', 'text', 'call', 'arguments', 'finish', 'raw')),
  count: integerFrom(1),
} satisfies RulesOf<LoopbackPoint>;

const vendorError = {
  message: aString,
  type: aString,
  code: aCode,
  status: aStatus,
} satisfies RulesOf<LoopbackVendorError>;

/** What may be said of the bytes, with the groups in it. */
const delivery = {
  delayMs: notNegative,
  cut: true,
  stall: true,
  errorEvent: true,
  gapMs: notNegative,
  bytesPerWrite: integerFrom(1),
  oneWrite: trueOrFalse,
  crlf: trueOrFalse,
  comments: trueOrFalse,
  bom: trueOrFalse,
  latin1: trueOrFalse,
  tightData: trueOrFalse,
  gzip: oneOf('accepted', 'always'),
  contentType: aString,
  headers,
} satisfies RulesOf<LoopbackDelivery>;

/** What can go wrong on the way. */
export type DeliveryFault = 'cut' | 'stall' | 'errorEvent';

/** What each of them wants to know. */
export const deliveryFaults: Readonly<Record<DeliveryFault, OptionGroup>> = {
  cut: {
    example: "{ after: 'text', how: 'reset' }",
    rules: { ...point, how: needed(oneOf('reset', 'end', 'drop')) } satisfies RulesOf<LoopbackDelivery['cut'] & {}>,
  },
  stall: {
    example: "{ after: 'text' }",
    rules: { ...point, pingMs: positive } satisfies RulesOf<LoopbackDelivery['stall'] & {}>,
  },
  errorEvent: {
    example: "{ after: 'text', message: 'Overloaded.' }",
    rules: { ...point, ...vendorError, event: json } satisfies RulesOf<LoopbackDelivery['errorEvent'] & {}>,
  },
};

/** The quirks of a reply. */
export const quirkOptions: OptionGroup = {
  example: "{ callIds: 'missing' }",
  rules: {
    callIndex: oneOf('missing', 'zero'),
    callIds: oneOf('missing', 'empty', 'every-piece'),
    callNames: oneOf('every-piece', 'split', 'last'),
    callArguments: oneOf('whole', 'cumulative', 'again-at-end', 'value'),
    interleaved: trueOrFalse,
    terminal: oneOf('missing', 'no-done'),
    reasoningField: oneOf('reasoning_content', 'reasoning'),
  } satisfies RulesOf<LoopbackQuirks>,
};

/** A call of a reply. */
export const replyCallOptions: OptionGroup = { ...callOptions, rules: { ...callOptions.rules, input: json } };

const OTHER_NAMES = {
  toolCalls: 'calls',
  tool_calls: 'calls',
  finishReason: 'finish',
  content: 'text',
  failure: '`status`, `fault` or `errorEvent`: a server has no failures, it is how they come about',
};

/** A step that is a reply. */
export const replyStep: OptionGroup = {
  example: "{ text: 'Hello.' } or { status: 503 }",
  rules: {
    ...delivery,
    text: aTextOrPieces,
    reasoning: aString,
    refusal: aString,
    calls: anArray,
    finish: aString,
    usage: { ...anObject, fits: (value) => value === null || anObject.fits(value) },
    quirks: true,
  } satisfies RulesOf<LoopbackReplyStep>,
  otherNames: OTHER_NAMES,
};

/** A step that is an HTTP error. */
export const statusStep: OptionGroup = {
  example: '{ status: 503 }',
  rules: {
    ...vendorError,
    status: needed(aStatus),
    headers,
    body: json,
    contentType: aString,
    delayMs: notNegative,
  } satisfies RulesOf<LoopbackStatusStep>,
  otherNames: { text: '`message` or `body`: a step with a `status` is an HTTP error' },
};

/** A step without an HTTP answer. */
export const faultStep: OptionGroup = {
  example: "{ fault: 'reset' }",
  rules: {
    fault: needed(oneOf('reset', 'hang', 'refuse')),
    delayMs: notNegative,
    forMs: notNegative,
  } satisfies RulesOf<LoopbackFaultStep>,
};

/** A step of raw bytes. */
export const rawStep: OptionGroup = {
  example: "{ raw: 'Hello.' }",
  rules: { ...delivery, raw: needed(raw), status: aStatus } satisfies RulesOf<LoopbackRawStep>,
};

function isJson(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
}
