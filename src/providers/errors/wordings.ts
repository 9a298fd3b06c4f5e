import type { FailureKind } from '../../core/failure.ts';

/**
 * Under which statuses a row counts. `wrapping`: those that gateways put around another answer, and errors without a status.
 * `failing`: 5xx, and errors without a status.
 */
export type Under = 'any' | 'wrapping' | 'failing';

/** What a sentence of a server means. Patterns see the whole text in lower case, the machine's words at its end. */
export interface Wording {
  readonly kind: FailureKind;
  readonly under: Under;
  readonly pattern: RegExp;
}

/** The vendors' sentences, the first that fits counts. Sources are in docs/vendors.md. */
export const WORDINGS: readonly Wording[] = [
  // The request alone is larger than the limit of a minute: no wait makes it fit (OpenAI, Groq).
  { kind: 'too-large', under: 'any', pattern: /\brequest too large for .{0,200}(?:per min|\btpm\b)/ },

  // Qwen calls the limit of a minute a quota: "Throttling.AllocationQuota", with OpenAI's code for an empty account.
  {
    kind: 'rate-limited',
    under: 'any',
    pattern: /throttling\.\w*quota|error-code#token-limit|allocated quota exceeded/,
  },
  // OpenRouter, under a 404: no host of the model takes what was asked for.
  { kind: 'bad-request', under: 'any', pattern: /no endpoints found that (?:support|can handle)/ },
  // LiteLLM calls these a content policy, and a full context.
  {
    kind: 'bad-request',
    under: 'any',
    pattern:
      /invalid_encrypted_content|encrypted content .{0,400}could not be verified|'[^']{0,40}(?:\bid|call_id)': string too long/,
  },

  // Paid for is paid for; waiting within a run does not help.
  ...each('quota-exhausted', 'any', [
    /credit balance is too low|out of extra usage|(?:more|out of|any|no) (?:api )?credits\b/,
    /(?:reached|exceeded|hit) (?:[\w']+ ){0,4}(?:usage|spend(?:ing)?|credit|monthly|daily|assigned) (?:limits?|cap|allowance|quota)/,
    /(?:usage|spend(?:ing)?|key|credit|weekly|monthly|daily|subscription|plan)[^.,]{0,20}(?<!rate) (?:limit|cap|quota)(?: (?:is|has been|was))? (?:reached|exceeded|exhausted)/,
    /insufficient[ _](?:[a-z]+[ _])?(?:balance|credits?|funds)|(?:balance|credits?|funds)\b.{0,30}(?:insufficient|not enough|depleted|exhausted|used up|too low)/,
    /used all available credits|monthly (?:spending limit|included credits)|arrear|account is in good standing|account.{0,80}(?:overdue|past due)/,
    // A throttle of Google's has the same words.
    /^(?!.*(?:resource_exhausted|ai\.google\.dev)).*exceeded your current quota/,
    /free-models-per-day|per_?day_?per|(?:requests|tokens|per_?(?:model|project))_?per_?day|quota exceeded.{0,200}per day|too many tokens per day/,
    /free (?:tier|quota|allocation|plan)\b.{0,40}(?:exhausted|used up)|used up your .{0,40}(?:allocation|quota)|limit exhausted/,
    /suspended.{0,80}(?:spending|billing|balance|invoice|payment)|billing (?:hard limit|(?:to be|is not) (?:enabled|active)|is disabled)/,
    /budget (?:has been )?exceeded|exceeded ?budget|over budget|payment required|valid credit card|api calls \/ month/,
    /余额不足|欠费|额度(?:不足|已用)|(?:套餐|资源包).{0,10}(?:到期|用完|耗尽)/,
  ]),

  // Asking again gives the same refusal.
  ...each('refused', 'wrapping', [
    /content exists risk|inappropriate content|data_?inspection_?failed|considered high risk|不安全或敏感/,
    /(?:violat|flagged)\w*\b.{0,80}(?:usage|content|safety|guardrail)\b.{0,12}(?:polic|guideline)|content (?:filtering|management) policy/,
    /guardrail.{0,60}(?:intervened|violat|blocked|failed)|(?:violated|blocked by) (?:a |the )?(?:guardrail|safety)|hooks_failed|prompt blocked due to/,
  ]),

  // Templates of llama.cpp and its kin raise their errors as a 500. What they refuse they always refuse.
  ...each('bad-request', 'failing', [
    /jinja|chat.?template|roles must alternate|raise_exception|parser for this template/,
    // llama.cpp reads the arguments in the history; other servers say the same of the model's new reply.
    /failed to parse tool call arguments as json: \[json\.exception/,
    /failed to parse grammar|json schema conversion failed|\bun(?:supported|known)_parameter\b/,
  ]),

  ...each('unauthorized', 'wrapping', [
    /organization has been (?:restricted|disabled)|account (?:has been |is )(?:deactivated|restricted)/,
    /(?:incorrect|invalid|wrong|missing) api.?key|api.?key (?:not valid|expired|is invalid|not found)|invalid authentication|login fail/,
  ]),
  ...each('not-found', 'wrapping', [
    /invalid model name passed in|is not a valid model|unknown[ _]model|no such model|model not exist|model identifier is invalid/,
    /\bmodels?\b[^.]{0,100}(?:does not exist|not found|decommissioned)|supported api model names are|not found the model/,
  ]),
  ...each('overloaded', 'any', [
    /(?:temporarily|currently) (?:overloaded|unavailable|at capacity)|(?:is|are|model|server|engine|service) (?:is )?overloaded|at capacity|high demand|系统繁忙|访问量过大/,
  ]),
  ...each('rate-limited', 'wrapping', [
    /rate.?limit(?:ed|s)?\b.{0,20}(?:reached|exceeded|hit)|(?:reached|exceeded|hit|exceeds?) .{0,40}rate.?limit|rate increased too quickly/,
    /throttling|please wait before trying again|(?:requests|tokens) per min/,
  ]),
];

function each(kind: FailureKind, under: Under, patterns: readonly RegExp[]): Wording[] {
  return patterns.map((pattern) => ({ kind, under, pattern }));
}

/**
 * Words of `type`, `code` and class names that name a class, from the vendors' error pages, as `kindOfCode` leaves them.
 * The codes of Zhipu: in arrears, a limit of the plan, the plan's end, with status 429.
 */
const CODES: Partial<Record<FailureKind, string>> = {
  'quota-exhausted':
    'insufficientquota billinghardlimitreached billingnotactive billing billingdisabled insufficientbalance insufficientcredits insufficientfunds creditbalancetoolow creditbalanceexhausted enforcedspendlimitreached exceededcurrentquota paymentrequired usagelimitreached usagelimitexceeded budgetexceeded arrearage 1113 1308 1309 1310',
  // Content filters: Azure, OpenAI, LiteLLM, Portkey.
  refused:
    'contentfilter responsibleaipolicyviolation contentpolicyviolation guardrailraised moderationblocked hooksfailed',
  'rate-limited':
    'ratelimit ratelimitexceeded ratelimited ratelimitreached toomanyrequests throttling servicequotaexceeded resourceexhausted',
  overloaded:
    'overloaded engineoverloaded modeloverloaded serverisoverloaded slowdown capacityexceeded unavailable serviceunavailable modelnotready',
  // `no_db_connection` is what LiteLLM says of any key but its own where it has no database.
  unauthorized:
    'nodbconnection authentication invalidapikey invalidauthentication unauthenticated apikeyinvalid permission permissiondenied accessdenied unrecognizedclient expiredtoken',
  // `invalid_model` is Mistral's, with status 400.
  'not-found': 'notfound modelnotfound invalidmodel unknownmodel modeldecommissioned resourcenotfound',
  'too-large': 'requesttoolarge',
  'bad-request': 'invalidrequest invalidargument invalidprompt badrequest unprocessableentity validation',
  'server-error':
    'server api apiconnection internal internalserver modelstream modeltimeout midstreamfallback timeout deadlineexceeded',
  'context-overflow':
    'contextlengthexceeded contextoverflow exceedcontextsize contextwindowexceeded modelcontextwindowexceeded inputtoolong prompttoolong tokenslimitreached 1261',
};

const KIND_OF_CODE: ReadonlyMap<string, FailureKind> = new Map(
  Object.entries(CODES).flatMap(([kind, codes]) =>
    codes.split(' ').map((code) => [code, kind as FailureKind] as const),
  ),
);

/** What a code says in any spelling: `rate_limit_error`, `RateLimitError` and `RateLimitException` are `ratelimit`. */
export function kindOfCode(word: string): FailureKind | undefined {
  const bare = word.toLowerCase().replace(/[^a-z\d]/g, '');
  return KIND_OF_CODE.get(bare.replace(/(?:error|exception)$/, ''));
}

/** Those that are not what their first digit says: the client's fault, or the server's. */
export const STATUSES: Readonly<Record<number, FailureKind>> = {
  401: 'unauthorized',
  402: 'quota-exhausted',
  403: 'unauthorized',
  404: 'not-found',
  408: 'server-error',
  409: 'server-error',
  410: 'not-found',
  413: 'too-large',
  425: 'server-error',
  429: 'rate-limited',
  // Portkey: a guardrail.
  446: 'refused',
  // Groq: "flex tier capacity exceeded".
  498: 'overloaded',
  503: 'overloaded',
  // Anthropic.
  529: 'overloaded',
};

/** The fixed sentences in which client libraries and gateways tell the status of another server. */
export const STATUS_SENTENCES: readonly RegExp[] = [
  // The clients of OpenAI, Anthropic and Google, claude-code-router: a number directly before a body.
  /\b([45]\d\d)\)?(?: [A-Z_]{4,40}\.)?:?(?: -)? ?b?["']?[{[]/,
  /\berror code: ([45]\d\d) - /i,
  // httpx, requests, aiohttp.
  /\b(?:client|server) error '([45]\d\d) [^']{0,60}' for url/i,
  /\b([45]\d\d) (?:client|server) error: .{0,80} for url/i,
  // aiohttp. Its parser calls a broken connection a 400, too, but names no address.
  /\b([45]\d\d), message='[^']{0,200}', url=/,
  // axios, Go's clients, Cohere, Mistral.
  /\brequest failed with status code ([45]\d\d)/i,
  /\bstatus[ _]code: ([45]\d\d), (?:message|body)/i,
  /\bapi error occurred: status ([45]\d\d)/i,
  /\bprovider\([^)]{0,200}: ([45]\d\d)\)/,
];
