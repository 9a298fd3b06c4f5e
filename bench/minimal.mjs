// deps: oilcan zod
// The least that one writes with oilcan: what is timed as cold import, and bundled.
import { createAgent, openai, tool } from '../dist/index.js';
import { z } from 'zod';

export async function main(baseURL, apiKey) {
  const step = tool({
    name: 'step',
    description: 'Does one step.',
    schema: z.object({ n: z.number() }),
    execute: () => 'ok',
  });
  const provider = openai({ model: 'perf-model', baseURL: `${baseURL}/v1`, apiKey, stream: false });
  const agent = createAgent({ provider, tools: [step], system: 'Help.', maxTurns: 20 });
  return (await agent.run('Do the steps.')).text;
}
