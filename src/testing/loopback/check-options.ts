import { checkNames, checkOptions, describeValue, invalidOption, kindOf } from '../../core/option-check.ts';
import { checkStep } from './check-step.ts';
import type { LoopbackServerOptions } from './server.ts';
import { loopbackWires } from './wire.ts';

const OPTIONS = {
  script: true,
  wire: true,
  port: true,
  apiKey: true,
  models: true,
  strict: true,
} satisfies Record<keyof LoopbackServerOptions, true>;

/**
 * Checks how a server is to be started, before it listens. What a function gives is checked when it has given it.
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
  // By index, for a hole in the array is no step either.
  for (let index = 0; index < script.length; index += 1) checkStep(script[index], `\`script[${index}]\``);
}
