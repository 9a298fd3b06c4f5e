import type { VendorError } from './vendor-error.ts';

/**
 * The wordings in which vendors say that a request is longer than the model's context; the messages were collected from the
 * vendors' documentation, their sources and reports of their users. NEEDED and LIMIT stand for counts of tokens.
 */
const WORDINGS: readonly RegExp[] = [
  // OpenAI, Azure, DeepSeek, vLLM, OpenRouter, LiteLLM.
  /maximum context length (?:is|of) LIMIT tokens?(?:.{0,120}?(?:resulted in|requested(?: about)?|request has|contains at least) NEEDED (?:\w+ )?tokens?)?/,
  // vLLM.
  /(?:passed NEEDED input tokens.{0,120})?context length is only LIMIT/,
  // Anthropic.
  /prompt is too long(?:: NEEDED tokens? > LIMIT)?/,
  /exceed context limit: \d{1,12} \+ \d{1,12} > LIMIT/,
  // llama.cpp.
  /request \(NEEDED tokens\) exceeds the available context size(?: \(LIMIT tokens\))?/,
  // Gemini.
  /input token count(?: \(NEEDED\))? exceeds the maximum number of tokens allowed(?: \(LIMIT\))?/,
  // Mistral.
  /prompt contains NEEDED tokens.{0,80}?too large for model with LIMIT maximum context length/,
  // xAI.
  /maximum prompt length is LIMIT(?:.{0,40}?contains NEEDED)?/,
  // SGLang.
  /input \(NEEDED tokens\) is longer than the model's context length(?: \(LIMIT tokens\))?/,
  // GitHub Copilot.
  /prompt token count of NEEDED exceeds the limit of LIMIT/,
  // Cohere.
  /too many tokens: .{0,80}?cannot exceed LIMIT/,
  // Together, TGI.
  /`inputs` tokens \+ `max_new_tokens` must be <= LIMIT(?:\. given: NEEDED)?/,
  // Kimi.
  /exceeded model token limit(?:: LIMIT)?/,
  // LM Studio.
  /context the overflows(?:.{0,80}?context length of only LIMIT)?/,
  // LM Studio, llama.cpp.
  /context size has been exceeded/,
  // OpenAI Responses.
  /exceeds the context window/,
  // Groq.
  /reduce the length of the messages or completion/,
  // Ollama.
  /(?:input|prompt)(?: length)? (?:exceeds|too long; exceeded) (?:the |max(?:imum)? )?context length/,
  // Bedrock.
  /input is too long for requested model|too many input tokens/,
  // MiniMax.
  /context window exceeds limit/,
];

/** With or without thousands separators. */
const COUNT = String.raw`\d[\d,]{0,14}`;

const PATTERNS: readonly RegExp[] = WORDINGS.map(
  ({ source }) =>
    new RegExp(source.replace('NEEDED', `(?<needed>${COUNT})`).replace('LIMIT', `(?<limit>${COUNT})`), 'i'),
);

/** Words of an error's code or type that say it without reading the message. */
const CODES: ReadonlySet<string> = new Set([
  'context_length_exceeded',
  'exceed_context_size_error',
  'context_window_exceeded',
  'model_context_window_exceeded',
  'contextwindowexceedederror',
]);

/** What an overflow says: the tokens of the request and of the context, as far as named. */
export interface Overflow {
  readonly needed: number | undefined;
  readonly limit: number | undefined;
}

/** Recognises a context overflow, in any vendor's wording. */
export function findOverflow({ message, words, tokens }: VendorError): Overflow | undefined {
  for (const pattern of PATTERNS) {
    const match = pattern.exec(message);
    if (match === null) continue;
    const { needed, limit } = match.groups ?? {};
    return { needed: tokens?.needed ?? count(needed), limit: tokens?.limit ?? count(limit) };
  }
  return words.some((word) => CODES.has(word)) ? (tokens ?? { needed: undefined, limit: undefined }) : undefined;
}

function count(digits: string | undefined): number | undefined {
  return digits === undefined ? undefined : Number(digits.replaceAll(',', ''));
}
