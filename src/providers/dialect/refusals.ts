import type { Message } from '../../core/message.ts';
import { isRefusedField, isUnknownField, namesField } from '../errors/unknown-field.ts';
import type { VendorError } from '../errors/vendor-error.ts';
import type { Dialect } from './dialect.ts';

/** What was sent, as far as a refusal can be about it. */
export interface SentRequest {
  /** The top-level fields of the body that are ours to leave out. */
  readonly fields: readonly string[];
  readonly messages: readonly Message[];
}

/** Words by which a server refuses a request for its dialect, and what is changed. */
export interface Refusal {
  /** Said to a developer, as a warning beside the next good reply. */
  readonly note: string | ((changed: Dialect) => string);
  readonly words?: RegExp;
  /** True where the row may act more than once. @defaultValue false */
  readonly repeats?: boolean;
  /** What is different from now on; undefined where the refusal can't be about what was sent. */
  readonly change: (dialect: Dialect, error: VendorError, sent: SentRequest) => Partial<Dialect> | undefined;
}

/**
 * Every refusal that changes a dialect. The first row that fits and changes something counts. A row acts once in the life of a
 * provider: a server that refuses the changed form as well is not asked again for that reason.
 */
export const REFUSALS: readonly Refusal[] = [
  {
    note: "The server wants the model's thoughts back; they are sent from now on.",
    // DeepSeek: "The `reasoning_content` in the thinking mode must be passed back to the API." and "content[].thinking";
    // Moonshot: "thinking is enabled but reasoning_content is missing in assistant tool call message at index 2".
    words:
      /(?:reasoning_content|reasoning|thinking)\b.{0,160}(?:must be (?:passed|sent|provided|included|returned)|is (?:missing|required)|missing in)|missing.{0,60}(?:reasoning_content|thinking block)/is,
    change: (_dialect, { message }) => {
      if (/content\[\]|thinking block|`?type`?: .?thinking/i.test(message)) return { thoughtsIn: 'thinking' };
      return { thoughtsIn: /reasoning_content|thinking/i.test(message) ? 'reasoning_content' : 'reasoning' };
    },
  },
  {
    note: 'The server takes ids of calls of nine letters or digits only; others are replaced from now on.',
    // Mistral (code 3280): "Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9."; its chat templates:
    // "Tool call IDs should be alphanumeric strings with length 9!"
    words: /(?:call|tool)[ _-]?(?:call)?[ _-]?ids?\b.{0,160}(?:length (?:of )?9\b|9 characters|nine)/is,
    change: () => ({ callIds: 'nine' }),
  },
  {
    note: 'The server takes short ids of calls in plain letters only; others are replaced from now on.',
    // OpenAI: "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40", `input[3].call_id`: 64.
    // Anthropic and Bedrock behind a gateway: "tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'", `toolUseId`.
    words: /(?:tool_calls\[\d+\]\.id|call_id|tool_?use\.?_?id)\b.{0,160}(?:too long|length less than|pattern)/is,
    change: ({ callIds }, { text }) =>
      callIds === 'any' ? { callIds: /pattern/.test(text) ? 'word' : 'short' } : undefined,
  },
  {
    note: "The server takes no user's message directly behind a tool's result; an assistant's message goes between them from now on.",
    // Mistral (code 3230): "Unexpected role 'user' after role 'tool'"; chat templates of llama.cpp, vLLM and LM Studio:
    // "After the optional system message, conversation roles must alternate user and assistant roles".
    words: /unexpected role .?user.? after role .?tool|roles? must alternate|alternate.{0,40}(?:user|assistant)/is,
    change: (_dialect, _error, { messages }) => (hasUserBehindTool(messages) ? { bridgesToolToUser: true } : undefined),
  },
  {
    note: 'The server wants the user to speak first; a history that begins with the model gets a first word from now on.',
    // Google: "Please ensure that function call turn comes immediately after a user turn or after a function response turn."
    words:
      /function call turn comes immediately after a user|first message.{0,40}(?:must|should) be.{0,20}user|must start with a user/is,
    change: (_dialect, _error, { messages }) => (messages[0]?.role === 'assistant' ? { userFirst: true } : undefined),
  },
  {
    note: 'The server wants a text beside calls; an empty one is sent from now on.',
    // Cloudflare: "Type mismatch of '/messages/1/content', 'null' not in 'string'", "required properties at '/messages/1' are 'role,content'".
    words:
      /type mismatch of '\/messages\/\d+\/content|required properties at '\/messages\/\d+' are 'role,content|\bcontent\b.{0,40}(?:null not allowed|expected (?:a )?string|must be a string|cannot be null)/is,
    change: ({ emptyText }, _error, { messages }) =>
      !emptyText && messages.some(isCallOnly) ? { emptyText: true } : undefined,
  },
  {
    note: 'The server takes no thoughts in its messages; none are sent from now on.',
    // Groq: "property 'reasoning_content' is unsupported"; Cerebras: "messages.2.assistant.reasoning_content: property ... is unsupported".
    words: /\breasoning(?:_content)?\b.{0,80}(?:unsupported|not supported|not permitted|unknown|unrecognized)/is,
    change: ({ thoughtsIn }) =>
      thoughtsIn === 'reasoning' || thoughtsIn === 'reasoning_content' ? { thoughtsIn: undefined } : undefined,
  },
  {
    note: 'The server wants a thought signature on every first call; calls of other models get the placeholder from now on.',
    // Google: "Function call is missing a thought_signature in functionCall parts", "... in the `1.` content block is missing a `thought_signature`".
    words: /missing a.{0,4}thought.?signature/is,
    change: () => ({ signsCalls: true }),
  },
  {
    note: 'The server takes a part of JSON Schema only; schemas of tools are rewritten for it from now on.',
    // Google: 'Invalid JSON payload received. Unknown name "$schema" at 'tools[0]...': Cannot find field.'; Vertex: "functionDeclaration
    // `parameters.weight` schema specified other fields alongside any_of"; Moonshot: "tools.function.parameters is not a valid moonshot
    // flavored json schema"; older Ollama: "cannot unmarshal array into Go struct field .tools.function.parameters.properties.type".
    words:
      /unknown name .{1,80} at '?(?:tools|request\.tools|[\w.[\]]*function_declarations)|function_?declarations?[\s`'"[\]\d.]+parameters|flavored json schema|cannot unmarshal .{0,40}tools\.function\.parameters/is,
    change: ({ schemas }) => (schemas === 'google' ? undefined : { schemas: 'google' }),
  },
  {
    note: 'The server can build no grammar of the patterns in schemas; they are left out from now on.',
    // llama.cpp: "JSON schema conversion failed: Pattern must start with '^' and end with '$'", "failed to parse grammar".
    words: /pattern must start with|failed to parse grammar|regex.{0,60}(?:unsupported|not supported|invalid)/is,
    change: ({ schemas }) => (schemas === 'common' ? { schemas: 'no-patterns' } : undefined),
  },
  {
    note: 'The server seals no thoughts for this model; none are asked for from now on.',
    // OpenAI: "Encrypted content is not supported with this model."
    words: /encrypted.content.{0,60}not supported/is,
    change: ({ leftOut }, _error, { fields }) =>
      fields.includes('include') ? { leftOut: [...leftOut, 'include'] } : undefined,
  },
  {
    note: ({ maxTokensField }) => `The server knows the limit of the output as \`${maxTokensField}\`.`,
    change: ({ maxTokensField }, error, { fields }) => {
      if (!fields.includes(maxTokensField) || !namesField(error, maxTokensField)) return undefined;
      // "max_tokens" also stands in errors about its value: only a server that does not know the name gets the other one.
      const other = maxTokensField === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens';
      if (!error.message.includes(other) && !isUnknownField(error)) return undefined;
      return { maxTokensField: other };
    },
  },
  {
    note: ({ leftOut }) => `The server refuses \`${leftOut.at(-1)}\`; it is left out from now on.`,
    repeats: true,
    change: ({ leftOut }, error, { fields }) => {
      const field = fields.find(
        (name) =>
          !KEPT.has(name) &&
          !leftOut.includes(name) &&
          namesField(error, name) &&
          (FORMAL.has(name) || isRefusedField(error)),
      );
      return field === undefined ? undefined : { leftOut: [...leftOut, field] };
    },
  },
];

/** Fields without which a request is another one: they are never left out. */
const KEPT: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'input',
  'instructions',
  'system',
  'tools',
  'stream',
  'store',
  'max_tokens',
  'max_completion_tokens',
  'max_output_tokens',
]);

/** Fields that say how a reply is told and not what is asked: any error that names them is about them. */
const FORMAL: ReadonlySet<string> = new Set(['stream_options', 'parallel_tool_calls', 'include', 'response_format']);

/** True for a message of the model that calls and says nothing. */
function isCallOnly(message: Message): boolean {
  return (
    message.role === 'assistant' &&
    message.content.some(({ type }) => type === 'tool-call') &&
    message.content.every((part) => part.type !== 'text' || part.text === '')
  );
}

function hasUserBehindTool(messages: readonly Message[]): boolean {
  return messages.some(
    (message, index) =>
      message.role === 'tool' &&
      (messages[index + 1]?.role === 'user' ||
        message.content.some(({ content }) => content.some((part) => part.type === 'image'))),
  );
}

/**
 * True where a server says that it can't take back thoughts that it has sealed itself, or that another host of the same model has:
 * Anthropic ("Invalid `signature` in `thinking` block"), OpenAI ("The encrypted content ... could not be verified", "Item 'rs_...' not found"),
 * Google behind a router ("Corrupted thought signature.").
 */
export function refusesThoughts({ message, words }: VendorError): boolean {
  if (words.includes('invalid_encrypted_content')) return true;
  if (/missing a.{0,4}thought|must be passed back|is missing/i.test(message)) return false;
  return (
    /signature|thinking.{0,120}cannot be modified|encrypted.content.{0,120}(?:verif|decrypt|invalid)|'rs_|of type 'reasoning'/i.test(
      message,
    ) ||
    /(?:corrupt|invalid|malformed|undecryptable|can(?:no|')t (?:be )?decrypt).{0,80}(?:thought|thinking|reasoning)/i.test(
      message,
    ) ||
    /(?:thought|thinking|reasoning).{0,80}(?:corrupt|invalid|malformed|not valid|could not be (?:verified|decrypted))/i.test(
      message,
    )
  );
}
