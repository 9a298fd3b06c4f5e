import { fileURLToPath } from 'node:url';
import { createAgent } from 'oilcan';
import { templeScript } from 'oilcan/testing';
import { openModel, play, trace } from '../model.ts';
import { enterTemple } from './tools.ts';

/** Plays the temple with a real model or, without flags, with the scripted one. Returns the model's last words. */
export async function main(flags: readonly string[], print: (line: string) => void = console.error): Promise<string> {
  const model = await openModel(flags, { script: templeScript(), wire: 'openai' });
  print(`Asking ${model.about}.`);
  const agent = createAgent({
    name: 'temple',
    provider: model.provider,
    tools: enterTemple().tools,
    system: 'You play a text adventure through tools. Say only what the tools have shown you.',
    maxTurns: 20,
  });
  trace(agent, print);
  try {
    const { text } = await agent.run('Open the temple door.');
    return text;
  } finally {
    await model.close();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await play(main);
