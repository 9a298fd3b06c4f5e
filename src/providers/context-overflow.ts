/** One vendor's way to say that a request is longer than the model's context. Named groups hold the figures. */
interface Wording {
  readonly vendor: string;
  readonly pattern: RegExp;
}

/** A count of tokens, with or without thousands separators. */
const N = String.raw`\d[\d,]{0,14}`;

/**
 * The wordings, one for each vendor that we have seen; the messages were collected from the vendors' documentation,
 * their sources and reports of their users.
 */
const WORDINGS: readonly Wording[] = [
  {
    vendor: 'OpenAI, Azure, DeepSeek, vLLM, OpenRouter, LiteLLM',
    pattern: new RegExp(
      `maximum context length (?:is|of) (?<limit>${N}) tokens?(?:.{0,120}?(?:resulted in|requested(?: about)?|request has|contains at least) (?<needed>${N}) (?:\\w+ )?tokens?)?`,
      'i',
    ),
  },
  {
    vendor: 'vLLM',
    pattern: new RegExp(`(?:passed (?<needed>${N}) input tokens.{0,120})?context length is only (?<limit>${N})`, 'i'),
  },
  {
    vendor: 'Anthropic',
    pattern: new RegExp(`prompt is too long(?:: (?<needed>${N}) tokens? > (?<limit>${N}))?`, 'i'),
  },
  { vendor: 'Anthropic', pattern: /exceed context limit: \d{1,12} \+ \d{1,12} > (?<limit>\d{1,12})/i },
  {
    vendor: 'llama.cpp',
    pattern: new RegExp(
      `request \\((?<needed>${N}) tokens\\) exceeds the available context size(?: \\((?<limit>${N}) tokens\\))?`,
      'i',
    ),
  },
  {
    vendor: 'Gemini',
    pattern: new RegExp(
      `input token count(?: \\((?<needed>${N})\\))? exceeds the maximum number of tokens allowed(?: \\((?<limit>${N})\\))?`,
      'i',
    ),
  },
  {
    vendor: 'Mistral',
    pattern: new RegExp(
      `prompt contains (?<needed>${N}) tokens.{0,80}?too large for model with (?<limit>${N}) maximum context length`,
      'i',
    ),
  },
  {
    vendor: 'xAI',
    pattern: new RegExp(`maximum prompt length is (?<limit>${N})(?:.{0,40}?contains (?<needed>${N}))?`, 'i'),
  },
  {
    vendor: 'SGLang',
    pattern: new RegExp(
      `input \\((?<needed>${N}) tokens\\) is longer than the model's context length(?: \\((?<limit>${N}) tokens\\))?`,
      'i',
    ),
  },
  {
    vendor: 'GitHub Copilot',
    pattern: new RegExp(`prompt token count of (?<needed>${N}) exceeds the limit of (?<limit>${N})`, 'i'),
  },
  { vendor: 'Cohere', pattern: new RegExp(`too many tokens: .{0,80}?cannot exceed (?<limit>${N})`, 'i') },
  {
    vendor: 'Together, TGI',
    pattern: new RegExp(
      `\`inputs\` tokens \\+ \`max_new_tokens\` must be <= (?<limit>${N})(?:\\. given: (?<needed>${N}))?`,
      'i',
    ),
  },
  { vendor: 'Kimi', pattern: new RegExp(`exceeded model token limit(?:: (?<limit>${N}))?`, 'i') },
  {
    vendor: 'LM Studio',
    pattern: new RegExp(`context the overflows(?:.{0,80}?context length of only (?<limit>${N}))?`, 'i'),
  },
  { vendor: 'LM Studio, llama.cpp', pattern: /context size has been exceeded/i },
  { vendor: 'OpenAI Responses', pattern: /exceeds the context window/i },
  { vendor: 'Groq', pattern: /reduce the length of the messages or completion/i },
  {
    vendor: 'Ollama',
    pattern: /(?:input|prompt)(?: length)? (?:exceeds|too long; exceeded) (?:the |max(?:imum)? )?context length/i,
  },
  { vendor: 'Bedrock', pattern: /input is too long for requested model|too many input tokens/i },
  { vendor: 'MiniMax', pattern: /context window exceeds limit/i },
];

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
export function findOverflow(message: string, words: readonly string[]): Overflow | undefined {
  for (const { pattern } of WORDINGS) {
    const groups = pattern.exec(message);
    if (groups !== null) return { needed: count(groups.groups?.['needed']), limit: count(groups.groups?.['limit']) };
  }
  return words.some((word) => CODES.has(word)) ? { needed: undefined, limit: undefined } : undefined;
}

function count(digits: string | undefined): number | undefined {
  return digits === undefined ? undefined : Number(digits.replaceAll(',', ''));
}
