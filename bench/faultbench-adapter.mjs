// What the fault bench and the performance bench call: their words on the left, ours on the right.
import { readFileSync } from 'node:fs';
import * as oilcan from '../dist/index.js';

export const name = 'oilcan';
export const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

const both = { stream: true, json: true };
/**
 * `defaults` sets nothing but the model, the tools, the signal and `maxTurns`: what needs an option is not asked of it.
 * `uncapped` is the same without the limit of a tool's output, for the case of the performance bench that is about it.
 */
export const capabilities = (variant) => {
  const isExpert = variant.startsWith('expert');
  return {
    wires: { openai: both, ...(oilcan.anthropic && { anthropic: both }), ...(oilcan.ollama && { ollama: both }) },
    retryCount: isExpert,
    requestTimeout: isExpert,
    idleTimeout: isExpert,
    toolTimeout: isExpert,
    toolRetry: isExpert,
    toolFallback: isExpert,
    outputLimit: true,
    anyReturn: true,
  };
};

const providers = {
  openai: ({ baseURL, ...options }) => oilcan.openai({ ...options, baseURL: `${baseURL}/v1` }),
  anthropic: (options) => oilcan.anthropic(options),
  ollama: (options) => oilcan.ollama(options),
};

/** The bench hands over the same tool objects for one run; a tool is made of each. */
function toolOf({ name, description, schema, execute }, extras) {
  return oilcan.tool({
    name,
    description,
    schema,
    execute,
    ...(extras.toolRetry && { effect: 'read', retry: { maxAttempts: extras.toolRetry.attempts } }),
    ...(extras.toolFallback && { fallback: () => extras.toolFallback.value }),
  });
}

function expertOptions({ retry, timeouts }) {
  const { requestMs, idleMs, toolMs } = timeouts;
  return {
    retry: { maxAttempts: retry.maxAttempts },
    deadlines: { firstByteMs: requestMs, totalMs: Math.max(requestMs, idleMs ?? 0), idleMs, toolMs },
  };
}

export async function run({
  wire,
  stream,
  variant,
  baseURL,
  apiKey,
  model,
  system,
  tools,
  prompt,
  maxTurns,
  retry,
  timeouts,
  extras,
  signal,
  onText,
}) {
  const [base, slips] = variant.split('-');
  const agent = oilcan.createAgent({
    provider: providers[wire]({ baseURL, apiKey, model, stream }),
    system,
    tools: tools.map((tool) => toolOf(tool, extras)),
    maxTurns,
    ...(base === 'expert' && expertOptions({ retry, timeouts })),
    ...(base === 'uncapped' && { maxOutputChars: Infinity }),
    ...(slips && { slips }),
  });
  agent.on('text-delta', ({ text }) => onText(text));
  agent.on('text-void', () => onText.reset());
  try {
    const { text, status, messages } = await agent.run(prompt, { signal });
    return { text, stopReason: status, messages };
  } catch (error) {
    error.transcript = error.run?.messages;
    throw error;
  }
}
