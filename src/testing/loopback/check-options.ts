import { isRecord } from '../../core/json.ts';
import { checkNames, checkOptions, describeValue, invalidOption, kindOf } from '../../core/option-check.ts';
import type { LoopbackServerOptions } from './server.ts';
import type { LoopbackStep } from './step.ts';
import { loopbackWires } from './wire.ts';

const OPTIONS = {
  script: true,
  wire: true,
  port: true,
  apiKey: true,
  models: true,
  strict: true,
} satisfies Record<keyof LoopbackServerOptions, true>;

type NamesOf<Step> = Step extends Step ? keyof Step : never;

/** What a step may say, whichever kind it is; the compiler keeps the list whole. */
const STEP_NAMES = {
  text: true,
  reasoning: true,
  refusal: true,
  calls: true,
  finish: true,
  usage: true,
  quirks: true,
  status: true,
  message: true,
  type: true,
  code: true,
  body: true,
  fault: true,
  forMs: true,
  raw: true,
  delayMs: true,
  cut: true,
  stall: true,
  errorEvent: true,
  gapMs: true,
  bytesPerWrite: true,
  oneWrite: true,
  crlf: true,
  comments: true,
  bom: true,
  tightData: true,
  gzip: true,
  contentType: true,
  headers: true,
} satisfies Record<NamesOf<LoopbackStep>, true>;

/** What they are called elsewhere. */
const OTHER_STEP_NAMES = { toolCalls: 'calls', tool_calls: 'calls', finishReason: 'finish', content: 'text' };

/**
 * Checks how a server is to be started, before it listens. Steps that a function gives are not looked at.
 * @throws OilcanError `invalid-option`
 */
export function checkServerOptions(options: LoopbackServerOptions): void {
  checkOptions('the options of `startLoopbackServer`', options, "{ script: [{ text: 'Hello.' }] }");
  checkNames('startLoopbackServer', options, OPTIONS, { steps: 'script', replies: 'script', responses: 'script' });
  checkScript(options.script);
  const { wire, port, apiKey, models, strict } = options;
  if (wire !== undefined && wire !== 'auto' && !loopbackWires.includes(wire))
    throw invalidOption(
      `Expected \`wire\` to be 'auto' or one of ${loopbackWires.join(', ')}, got ${describeValue(wire)}.`,
    );
  if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port <= 65_535))
    throw invalidOption(`Expected \`port\` to be an integer from 0 to 65535, got ${describeValue(port)}.`);
  if (apiKey !== undefined && typeof apiKey !== 'string')
    throw invalidOption(`Expected \`apiKey\` to be a text, got ${kindOf(apiKey)}.`);
  if (models !== undefined && !Array.isArray(models))
    throw invalidOption(`Expected \`models\` to be an array of names, got ${kindOf(models)}.`);
  if (strict !== undefined && typeof strict !== 'boolean')
    throw invalidOption(`Expected \`strict\` to be true or false, got ${describeValue(strict)}.`);
}

function checkScript(script: unknown): void {
  if (typeof script === 'function') return;
  if (!Array.isArray(script))
    throw invalidOption(
      `Expected \`script\` to be an array of steps, as in [{ text: 'Hello.' }], or a function that gives one, got ${kindOf(script)}.`,
    );
  for (const [index, step] of script.entries()) {
    if (!isRecord(step))
      throw invalidOption(
        `Expected \`script[${index}]\` to be an object such as { text: 'Hello.' } or { status: 503 }, got ${kindOf(step)}.`,
      );
    checkNames(`\`script[${index}]\``, step, STEP_NAMES, OTHER_STEP_NAMES);
  }
}
