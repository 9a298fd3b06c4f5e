import { tool } from '../../core/define-tool.ts';
import { ToolError, ToolUnavailableError } from '../../core/error.ts';
import type { Tool } from '../../core/tool.ts';
import { fields, oneOf, positiveNumber, text } from './object-schema.ts';

/** Made-up weather: enough for the story. `examples/cities` has the whole world. */
const WEATHER: Readonly<Record<string, string>> = {
  London: '14 °C, light rain',
  Tokyo: '22 °C, clear',
  Paris: '17 °C, cloudy',
};

/** What one unit is worth in US dollars. Made up, near the rates of 2025. */
const DOLLARS = { GBP: 1.34, EUR: 1.16, USD: 1, JPY: 0.0067 };

/** What the last reports said, for when the geocoder is down. Tokyo has none. */
const LAST_REPORTS: Readonly<Record<string, string>> = { London: '13 °C, rain' };

/** The tools of the cities story. The geocoder is down for the first call. */
export function citiesTools(): Tool[] {
  let lookups = 0;
  const getWeather = tool({
    name: 'get_weather',
    description: 'Current weather of a city.',
    schema: fields({ city: text }),
    effect: 'read',
    fallback({ city }) {
      const value = LAST_REPORTS[city];
      return value === undefined ? undefined : { value, ageMs: 3_600_000 };
    },
    execute({ city }) {
      const weather = WEATHER[city];
      if (weather === undefined) {
        throw new ToolError('No city of that name is known.', {
          hint: `Known cities: ${Object.keys(WEATHER).join(', ')}.`,
          retryable: false,
        });
      }
      lookups += 1;
      if (lookups === 1) throw new ToolUnavailableError('The geocoding service is down.');
      return weather;
    },
  });
  const convertCurrency = tool({
    name: 'convert_currency',
    description: 'Convert an amount of money from one currency to another.',
    schema: fields({
      amount: positiveNumber,
      from: oneOf('GBP', 'EUR', 'USD', 'JPY'),
      to: oneOf('GBP', 'EUR', 'USD', 'JPY'),
    }),
    effect: 'read',
    execute: ({ amount, from, to }) =>
      `${amount} ${from} = ${((amount * DOLLARS[from]) / DOLLARS[to]).toFixed(to === 'JPY' ? 0 : 2)} ${to}`,
  });
  return [getWeather, convertCurrency];
}
