import type { VendorError } from './vendor-error.ts';
import { kindOfCode } from './wordings.ts';

/**
 * Sentences in which servers say that a request is longer than the model's context, and that say it in no words which all of
 * them have in common. Sources are in docs/vendors.md.
 */
const SENTENCES =
  /maximum (?:context|prompt) length (?:is|of) \d|context length is only \d|exceed context limit: |configured context size is|context the overflows|input token count\b.{0,24} exceeds|too large for model with|prompt token count of|max size: [\d,]+ tokens|too many tokens: .{0,80}cannot exceed|`inputs` (?:tokens \+|must have less)|exceeded model token limit|range of input length should be|max(?:imum)? input tokens?(?: limit)? of/;

/**
 * What most of them have in common: what was sent, and that it is longer than the model takes.
 */
const GENERAL: readonly RegExp[] = [
  /context[ _-]?(?:length|window|size|limit)\b[^.]{0,80}(?:exceed|overflow|too (?:long|large|small)|is full|ran out|limit reached)|out of (?:room|space)[^.]{0,40}context window/,
  /(?:exceed\w*|longer|greater|larger|more|overflow\w*|beyond|outside|fit)\b[^.]{0,80}\b(?:context[ _-]?(?:length|window|size|limit)|maximum context)\b/,
  /(?:prompt|input|request|conversation|messages?|history)\b[^.]{0,40} too long|too long for (?:the |this )?(?:requested )?model/,
  /(?:prompt|input|request|messages?|conversation|tokens?)\b[^.]{0,60}(?:exceed\w*|more than|longer than|greater than|larger than|over)\b[^.]{0,60}(?:\btokens?\b|(?:input|prompt|model|max\w*) (?:length|limit))/,
  /too many (?:input |prompt )?tokens|token limit (?:was )?exceeded/,
  /reduce the (?:length|size|number of tokens)[^.]{0,20} (?:messages|prompt|input|conversation|context)/,
  // A template, after a server has cut the front of the conversation: the user's message was in it.
  /no user (?:message|query) found/,
  /上下文.{0,20}(?:过长|超|限)|(?:输入|提示词?|prompt|tokens?)[^。]{0,16}(?:过长|超过|超出|超长)/,
];

/** Words of a limit of time, under any sentence: Bedrock's throttle is "Too many tokens, please wait". */
const THROTTLE = /\bper (?:min|minute|hour|day|second)\b|rate.?limit|throttl|please wait|\btpm\b/;

/** What is too large in other respects: the answer that was asked for, a body, an image, a name. */
const ANOTHER_LIMIT =
  /max_(?:completion_|output_|new_)?tokens[`'" ]*(?:must|should|is too|: |\(|exceed|cannot)|(?:output|completion) tokens? (?:limit|count|allowed)|\b(?:bytes|characters|[km]i?b)\b|\bimages?\b/;

/** What an overflow says: the tokens of the request and of the context, as far as named. */
export interface Overflow {
  readonly needed: number | undefined;
  readonly limit: number | undefined;
}

/** Recognises a context overflow, in any vendor's wording. */
export function findOverflow({ text, words, tokens }: VendorError): Overflow | undefined {
  if (/'[^']{0,40}id': string too long/.test(text)) return undefined;
  const said = THROTTLE.test(text) ? undefined : overflowIn(text);
  if (said === undefined && !words.some((word) => kindOfCode(word) === 'context-overflow')) return undefined;
  return { needed: tokens?.needed ?? said?.needed, limit: tokens?.limit ?? said?.limit };
}

function overflowIn(text: string): Overflow | undefined {
  const isOverflow =
    SENTENCES.test(text) || (!ANOTHER_LIMIT.test(text) && GENERAL.some((pattern) => pattern.test(text)));
  return isOverflow ? figuresIn(text) : undefined;
}

/** Words before a count that is what there is, and not what was sent. */
const LIMIT_BEFORE =
  /(?:\blimit|\bmax(?!_)\w*|context (?:length|window|size|limit)|\bonly|\d, |exceeds?|less than|<=|>)[^\d,.]{0,40}$/;

/**
 * Chosen: no context is smaller than four digits, and statuses have three. No code or id (`5021: `, `limit (2013)`), no date, no part of a sum, and
 * not by how much a request is too long.
 */
const COUNTS = /(?<!\b(?:by|at|on|id|code):? |\+ )\b(?:\d{1,3}(?:,\d{3})+|\d{5,9}|(?<!limit \()\d{4})\b(?!: | \+ |-)/g;

/** The counts of tokens in a sentence: of two the larger one was needed, of more the largest that is no limit. */
function figuresIn(text: string): Overflow {
  const counts: number[] = [];
  let limit: number | undefined;
  let done = 0;
  for (const { 0: digits, index } of text.matchAll(COUNTS)) {
    const count = Number(digits.replaceAll(',', ''));
    if (LIMIT_BEFORE.test(text.slice(Math.max(done, index - 60), index))) limit ??= count;
    if (!counts.includes(count)) counts.push(count);
    done = index + digits.length;
  }
  const largest = Math.max(...counts);
  if (counts.length === 2) return { needed: largest, limit: Math.min(...counts) };
  return { needed: limit !== undefined && largest > limit ? largest : undefined, limit };
}
