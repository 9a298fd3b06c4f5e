import type { Tool } from '../../core/tool.ts';
import type { LoopbackScript } from '../loopback/step.ts';
import { citiesScript } from './cities-script.ts';
import { citiesTools } from './cities-tools.ts';
import { returnsScript } from './returns-script.ts';
import { returnsTools } from './returns-tools.ts';
import { templeScript } from './temple-script.ts';
import { templeTools } from './temple-tools.ts';

/** A small world and a scripted model that stumbles through it: what `oilcan demo` plays. */
export interface DemoStory {
  /** One sentence: what to watch for. */
  readonly about: string;
  readonly question: string;
  readonly system: string;
  readonly tools: readonly Tool[];
  /** The model's side, for the loopback server. It goes by what it is told, so it fits any correct loop. */
  readonly script: LoopbackScript;
}

/** The stories by name; each call makes a fresh world. */
export const demoStories: Readonly<Record<'temple' | 'cities' | 'returns', () => DemoStory>> = {
  temple: () => ({
    about: 'A server that fails three times, a model that errs twice, and a rusted lock.',
    question: 'Open the temple door.',
    system: 'You play a text adventure through tools. Say only what the tools have shown you.',
    tools: templeTools(),
    script: templeScript(),
  }),
  cities: () => ({
    about: 'A service that is down for a moment, a city that does not exist, and an answer that says so.',
    question: 'What is the weather in London, Tokyo and Atlantis, and how much is 50 GBP in JPY?',
    system: 'You answer questions about cities. Use the tools; say plainly what they do not know.',
    tools: citiesTools(),
    script: citiesScript(),
  }),
  returns: () => ({
    about: 'Errors that the model must tell apart: try again, correct it, or explain it to the customer.',
    question: 'The kettle from order 4471 arrived broken: please take it back, and the lamp from order 3980 too.',
    system:
      'You help customers of a small shop to return what they bought. Use the tools; promise nothing that they did not confirm.',
    tools: returnsTools(),
    script: returnsScript(),
  }),
};
