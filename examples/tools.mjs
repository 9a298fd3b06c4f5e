// A tools file for the command, self-contained:
//
//     oilcan run "What is the weather in London?" --tools examples/tools.mjs
import { tool, ToolError } from 'oilcan';
import { z } from 'zod';

const weather = new Map([
  ['london', '14 °C, light rain'],
  ['tokyo', '22 °C, clear'],
  ['nairobi', '19 °C, cloudy'],
]);

export default [
  tool({
    name: 'get_weather',
    description: 'Current weather of a city.',
    schema: z.object({ city: z.string() }),
    effect: 'read',
    execute({ city }) {
      const found = weather.get(city.toLowerCase());
      if (found !== undefined) return found;
      // The model reads this: what there is, and what to do now.
      throw new ToolError('No city of that name is known.', {
        hint: 'Known cities: London, Tokyo, Nairobi. Tell the user which name is not known.',
        retryable: false,
      });
    },
  }),
];
