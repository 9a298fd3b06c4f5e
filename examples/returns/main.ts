import { fileURLToPath } from 'node:url';
import { createAgent } from 'oilcan';
import { returnsScript } from 'oilcan/testing';
import { openModel, play, trace } from '../model.ts';
import { returnTools } from './tools.ts';

/** Takes back a kettle, and explains why a lamp can't go back. Returns the model's answer. */
export async function main(
  flags: readonly string[],
  print: (line: string) => void = console.error,
  booked: string[] = [],
): Promise<string> {
  const model = await openModel(flags, { script: returnsScript(), wire: 'anthropic' });
  print(`Asking ${model.about}.`);
  const agent = createAgent({
    name: 'returns',
    provider: model.provider,
    tools: returnTools(booked),
    system:
      'You help customers of a small shop to return what they bought. Use the tools; promise nothing that they did not confirm.',
    limits: { sameCallFailures: 2 }, // A call that failed twice is not run a third time. This is also the default.
  });
  trace(agent, print);
  try {
    const { text } = await agent.run(
      'The kettle from order 4471 arrived broken: please take it back, and the lamp from order 3980 too.',
    );
    return text;
  } finally {
    await model.close();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await play(main);
