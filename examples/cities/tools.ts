import { tool, ToolError, ToolUnavailableError, type Tool } from 'oilcan';
import { z } from 'zod';
import { cities, currencies, dollars, findCity, localTime, type City } from './world.ts';

/** What the tools stand on; tests pass their own. */
export interface Surroundings {
  /** True: the geocoder fails for six calls out of ten. */
  readonly isOutage: boolean;
  readonly random: () => number;
  readonly now: () => Date;
}

/** The surroundings of this process: `SIMULATE_GEOCODING_OUTAGE=1` breaks the geocoder. */
export const realSurroundings: Surroundings = {
  isOutage: process.env['SIMULATE_GEOCODING_OUTAGE'] === '1',
  random: Math.random,
  now: () => new Date(),
};

const OUTAGE_RATE = 0.6;

/** Four tools about seven cities and eight currencies. */
export function cityTools({ isOutage, random, now }: Surroundings): Tool[] {
  // The last good reports. Some cities were asked for earlier today, some never.
  const reports = new Map(
    ['London', 'Paris', 'New York'].map((name) => [
      name,
      { weather: findCity(name)?.weather, at: now().getTime() - 3 * 3_600_000 },
    ]),
  );

  /** The name is checked on this machine, so a city that does not exist is known as such in an outage, too. */
  function geocode(name: string): City {
    const city = known(name);
    // Told apart from "you asked wrongly": the question was fine, the service is not.
    if (isOutage && random() < OUTAGE_RATE) throw new ToolUnavailableError('The geocoding service does not answer.');
    return city;
  }

  const getWeather = tool({
    name: 'get_weather',
    description: 'Current weather of a city.',
    schema: z.object({ city: z.string() }),
    effect: 'read',
    execute({ city: name }) {
      const city = geocode(name);
      reports.set(city.name, { weather: city.weather, at: now().getTime() });
      return city.weather;
    },
    // Asked when the service is unavailable. The model sees the value tagged as cached, with its age.
    fallback({ city: name }) {
      const report = reports.get(known(name).name);
      return report && { value: report.weather, ageMs: now().getTime() - report.at };
    },
  });

  const getLocalTime = tool({
    name: 'get_local_time',
    description: 'Current local date and time of a city.',
    schema: z.object({ city: z.string() }),
    effect: 'read',
    execute: ({ city }) => localTime(known(city).timeZone, now()),
  });

  const convertCurrency = tool({
    name: 'convert_currency',
    description: 'Convert an amount of money from one currency to another.',
    schema: z.object({ amount: z.number().positive(), from: z.enum(currencies), to: z.enum(currencies) }),
    effect: 'read',
    execute({ amount, from, to }) {
      const converted = (amount * dollars[from]) / dollars[to];
      // The yen has no smaller unit.
      return `${amount} ${from} = ${converted.toFixed(to === 'JPY' ? 0 : 2)} ${to}`;
    },
  });

  const getCityPopulation = tool({
    name: 'get_city_population',
    description: 'How many people live in a city.',
    schema: z.object({ city: z.string() }),
    effect: 'read',
    execute: ({ city }) => ({ city: known(city).name, population: known(city).population }),
  });

  return [getWeather, getLocalTime, convertCurrency, getCityPopulation];
}

function known(name: string): City {
  const city = findCity(name);
  if (city !== undefined) return city;
  throw new ToolError('No city of that name is known.', {
    hint: `Known cities: ${cities.map(({ name: each }) => each).join(', ')}. Tell the user which name is not known.`,
    retryable: false,
  });
}
