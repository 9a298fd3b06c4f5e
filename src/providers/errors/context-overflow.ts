import type { VendorError } from './vendor-error.ts';
import { kindOfCode } from './wordings.ts';

/**
 * The sentences in which servers say that a request is longer than the model's context, with the figures in them. NEEDED and
 * LIMIT stand for counts of tokens. Sources are in docs/vendors.md.
 */
const SENTENCES: readonly RegExp[] = [
  // vLLM: the count of the output comes before that of the input, and their sum last.
  /maximum context length is LIMIT tokens?.{0,80}?output tokens(?:.{0,160}total of at least|.{0,80}?contains at least) NEEDED/,
  // OpenAI, Azure, DeepSeek, vLLM, OpenRouter, LiteLLM, Cloudflare.
  /maximum context length (?:is|of) LIMIT tokens?(?:.{0,120}?(?:resulted in|requested(?: about| a total of)?|request has|contains at least) NEEDED (?:\w+ )?tokens?)?/,
  /(?:passed NEEDED input tokens.{0,120})?context length is only LIMIT/,
  // Anthropic.
  /exceed context limit: \d{1,12} \+ \d{1,12} > LIMIT/,
  // llama.cpp, LM Studio.
  /context the overflows(?:.{0,80}?context length of only LIMIT)?/,
  /prompt has NEEDED tokens?, but the configured context size is LIMIT/,
  // Gemini.
  /input token count(?: \(NEEDED\))? exceeds the maximum number of tokens allowed(?::? \(?LIMIT)?/,
  // Mistral.
  /prompt contains NEEDED tokens.{0,80}?too large for model with LIMIT maximum context length/,
  // xAI.
  /maximum prompt length is LIMIT(?:.{0,40}?contains NEEDED)?/,
  // GitHub Copilot, GitHub Models.
  /prompt token count of NEEDED exceeds the limit of LIMIT/,
  /max size: LIMIT tokens/,
  // Cohere.
  /too many tokens: .{0,80}?cannot exceed LIMIT(?: - received NEEDED)?/,
  // TGI.
  /`inputs` tokens \+ `max_new_tokens` must be <= LIMIT(?:\. given: NEEDED)?/,
  /`inputs` must have less than LIMIT tokens(?:\. given: NEEDED)?/,
  // Kimi.
  /exceeded model token limit(?:: LIMIT)?(?: \(requested: NEEDED\))?/,
  // Cloudflare.
  /tokens \(NEEDED\) exceeded this model context window limit \(LIMIT\)/,
  // Qwen.
  /range of input length should be \[\d{1,9}, LIMIT\]/,
  // Bedrock.
  /max(?:imum)? input tokens?(?: limit)? of LIMIT/,
];

/**
 * What all of them have in common, for the wordings that are not in the list: what was sent, and that it is longer than the
 * model takes.
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

/** With or without thousands separators. */
const COUNT = String.raw`\d[\d,]{0,14}`;

const PATTERNS: readonly RegExp[] = SENTENCES.map(
  ({ source }) => new RegExp(source.replace('NEEDED', `(?<needed>${COUNT})`).replace('LIMIT', `(?<limit>${COUNT})`)),
);

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
  for (const pattern of PATTERNS) {
    const { groups } = pattern.exec(text) ?? {};
    if (groups === undefined) continue;
    const { needed, limit } = groups;
    return (needed ?? limit) === undefined ? pairIn(text) : { needed: count(needed), limit: count(limit) };
  }
  return !ANOTHER_LIMIT.test(text) && GENERAL.some((pattern) => pattern.test(text)) ? pairIn(text) : undefined;
}

/** Two counts in a sentence of no known form are what was needed, and the lower one what there is. */
function pairIn(text: string): Overflow {
  // Chosen: no context is smaller, and codes and statuses have three digits.
  const counts = [...new Set(text.match(/\b\d{1,3}(?:,\d{3})+\b|\b\d{4,9}\b/g))].map((digits) => count(digits) ?? 0);
  const isPair = counts.length === 2;
  return { needed: isPair ? Math.max(...counts) : undefined, limit: isPair ? Math.min(...counts) : undefined };
}

function count(digits: string | undefined): number | undefined {
  return digits === undefined ? undefined : Number(digits.replaceAll(',', ''));
}
