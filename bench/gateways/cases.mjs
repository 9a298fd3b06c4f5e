// What the server behind a gateway does, what the agent must make of it, and how to tell that the gateway has kept to
// itself what the agent would need to know.

const TEXT = 'The door is rusted shut.';
const call = { calls: [{ name: 'look', input: { at: 'door' } }] };

const words = {
  overflow: {
    openai: {
      status: 400,
      code: 'context_length_exceeded',
      message:
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens. Please reduce the length of the messages.",
    },
    anthropic: { status: 400, message: 'prompt is too long: 9000 tokens > 8192 maximum' },
    ollama: { status: 400, message: 'the input length exceeds the context length' },
  },
  spent: {
    openai: {
      status: 429,
      type: 'insufficient_quota',
      code: 'insufficient_quota',
      message: 'You exceeded your current quota, please check your plan and billing details.',
    },
    anthropic: {
      status: 400,
      message:
        'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
    },
    ollama: { status: 429, message: 'you have reached your weekly usage limit, upgrade for higher limits' },
  },
};

const completed = ({ result }) => result.status === 'completed' && result.text === TEXT;
const failed =
  (kind, requests = 1) =>
  ({ result, upstream }) =>
    result.status === 'failed' && result.failure.kind === kind && upstream.length <= requests;
const said =
  (...patterns) =>
  ({ raw }) =>
    patterns.some((pattern) => pattern.test(raw));

/** `isRight` judges the run; `survives` says whether the gateway's answer still holds what a client needs to know. */
export const cases = [
  {
    name: 'good answer',
    steps: () => [{ text: TEXT }],
    isRight: completed,
    survives: said(/rusted shut|rusted.{0,400}shut/s),
  },
  {
    name: 'tool call',
    steps: () => [call, { text: TEXT }],
    isRight: (seen) => completed(seen) && JSON.stringify(seen.looked) === '["door"]',
    survives: said(/"look"/),
  },
  {
    name: '429 with wait',
    steps: () => [{ status: 429, headers: { 'retry-after': '2' } }, { text: TEXT }],
    isRight: (seen) => completed(seen) && seen.delays.length === 1 && seen.delays[0] >= 2000,
    survives: said(/retry-after(?:-ms)?: ?\d|try again in/i),
  },
  {
    name: '503',
    steps: () => [{ status: 503 }, { text: TEXT }],
    isRight: (seen) => completed(seen) && seen.upstream.length === 2,
    survives: said(/\b5\d\d\b|overloaded/),
  },
  {
    name: 'overflow',
    steps: (vendor) => [words.overflow[vendor]],
    isRight: failed('context-overflow', 2),
    survives: said(/maximum context length|too long|exceeds the context/),
  },
  {
    name: 'spent account',
    steps: (vendor) => [words.spent[vendor], { text: TEXT }],
    isRight: failed('quota-exhausted'),
    survives: said(/quota|credit balance|usage limit/),
  },
  {
    name: 'cut stream',
    modes: ['stream'],
    steps: () => [
      { text: ['The door ', 'is ', 'rusted ', 'shut.'], cut: { after: 'text', count: 2, how: 'reset' } },
      { text: TEXT },
    ],
    isRight: completed,
    // Nothing tells a whole answer from a cut one where the gateway ends it in good order.
    survives: ({ answers }) =>
      !/"finish_reason": ?"stop"|"type": ?"(?:message_stop|response\.completed)"/.test(answers[0]?.body ?? ''),
  },
  {
    name: 'refusal',
    steps: (vendor) => [
      vendor === 'openai' ? { refusal: 'I will not.' } : { text: 'I will not.', finish: 'content-filter' },
    ],
    isRight: ({ result, upstream }) =>
      upstream.length === 1 && (result.status === 'failed' ? result.failure.kind === 'refused' : false),
    survives: said(/content_filter|refusal"?: ?"[^"]|"refusal"/),
  },
  {
    name: 'wrong key',
    steps: () => [{ status: 401 }, { text: TEXT }],
    isRight: failed('unauthorized'),
    survives: said(/\b401\b|api key|authenticat/i),
  },
  {
    name: 'unknown model',
    steps: () => [{ status: 404 }, { text: TEXT }],
    isRight: failed('not-found'),
    survives: said(/\b404\b|not.found|does not exist/i),
  },
  {
    name: "gateway's key",
    needsModels: true,
    apiKey: 'sk-wrong-0123456789',
    steps: () => [{ text: TEXT }],
    isRight: failed('unauthorized', 0),
    survives: said(/\b401\b|no_db_connection/),
  },
  {
    name: "gateway's model",
    needsModels: true,
    model: 'nobody-knows',
    steps: () => [{ text: TEXT }],
    isRight: failed('not-found', 0),
    survives: said(/model/i),
  },
];
