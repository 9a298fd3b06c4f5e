import { fileURLToPath } from 'node:url';
import { createAgent } from 'oilcan';
import { citiesScript } from 'oilcan/testing';
import { openModel, play, trace } from '../model.ts';
import { cityTools, realSurroundings, type Surroundings } from './tools.ts';

/** Asks about three cities, one of which does not exist. Returns the model's answer. */
export async function main(
  flags: readonly string[],
  print: (line: string) => void = console.error,
  surroundings: Surroundings = realSurroundings,
): Promise<string> {
  const model = await openModel(flags, { script: citiesScript(), wire: 'ollama' });
  print(`Asking ${model.about}.`);
  const agent = createAgent({
    name: 'cities',
    provider: model.provider,
    tools: cityTools(surroundings),
    system:
      'You answer questions about cities. Use the tools; say plainly what they do not know, and what may be out of date.',
  });
  trace(agent, print);
  try {
    const { text } = await agent.run(
      'What is the weather in London, Tokyo and Atlantis, and how much is 50 GBP in JPY?',
    );
    return text;
  } finally {
    await model.close();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await play(main);
