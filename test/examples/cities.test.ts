import { describe, expect, test } from 'vitest';
import { loopbackWires } from 'oilcan/testing';
import { main } from '../../examples/cities/main.ts';
import { cityTools, type Surroundings } from '../../examples/cities/tools.ts';
import { cities, currencies, dollars, findCity, localTime } from '../../examples/cities/world.ts';

const summer = new Date('2026-07-01T23:30:00Z');
const winter = new Date('2026-01-01T00:05:00Z');
const calm: Surroundings = { isOutage: false, random: () => 0, now: () => summer };

async function ask(flags: string[], surroundings: Surroundings): Promise<{ answer: string; trace: string }> {
  const lines: string[] = [];
  const answer = await main(flags, (line) => lines.push(line), surroundings);
  return { answer, trace: lines.join('\n') };
}

describe('the answer', () => {
  test.each(loopbackWires)('names what is known, and that Atlantis is not, on the %s wire', async (wire) => {
    const { answer, trace } = await ask(['--wire', wire], calm);
    expect(answer.split('\n')).toEqual([
      'London: 14 °C, light rain',
      'Tokyo: 22 °C, clear',
      'Atlantis: I do not know a city of that name.',
      '50 GBP in JPY: 50 GBP = 10000 JPY',
    ]);
    // The model wrote the amount as a text: mended, at the price of no turn.
    expect(trace).toContain('~ convert_currency: ');
  });

  test('speaks Ollama’s wire unless told otherwise', async () => {
    expect((await ask([], calm)).trace).toContain('ollama wire');
  });

  test('in an outage uses the last report, tagged, and says where there is none', async () => {
    const { answer, trace } = await ask([], { ...calm, isOutage: true });
    expect(answer.split('\n')).toEqual([
      expect.stringMatching(/^London: \[cached\b.*14 °C, light rain.*out of date/u),
      'Tokyo: the service does not answer at the moment, please ask again later.',
      'Atlantis: I do not know a city of that name.',
      '50 GBP in JPY: 50 GBP = 10000 JPY',
    ]);
    expect(trace).toContain('tool-unavailable');
  });

  test('is whole when the outage spares its calls', async () => {
    const { answer } = await ask([], { ...calm, isOutage: true, random: () => 0.6 });
    expect(answer).toContain('London: 14 °C, light rain\nTokyo: 22 °C, clear');
  });
});

describe('the tools', () => {
  async function use(name: string, input: object, surroundings = calm): Promise<unknown> {
    const found = cityTools(surroundings).find((tool) => tool.name === name)!;
    const context = {
      signal: new AbortController().signal,
      toolCallId: '1',
      runId: '1',
      idempotencyKey: '1',
      attempt: 1,
    };
    return found.options.execute(input, context);
  }

  test.each([
    { zone: 'Asia/Tokyo', now: summer, says: 'Thursday 2026-07-02 08:30, UTC+09:00' },
    { zone: 'Europe/London', now: summer, says: 'Thursday 2026-07-02 00:30, UTC+01:00' },
    { zone: 'Europe/London', now: winter, says: 'Thursday 2026-01-01 00:05, UTC+00:00' },
    { zone: 'America/New_York', now: summer, says: 'Wednesday 2026-07-01 19:30, UTC-04:00' },
    { zone: 'America/New_York', now: winter, says: 'Wednesday 2025-12-31 19:05, UTC-05:00' },
    { zone: 'Asia/Kolkata', now: winter, says: 'Thursday 2026-01-01 05:35, UTC+05:30' },
    { zone: 'Australia/Sydney', now: winter, says: 'Thursday 2026-01-01 11:05, UTC+11:00' },
  ])('$zone at $now is $says', ({ zone, now, says }) => {
    expect(localTime(zone, now)).toBe(says);
  });

  test.each(cities)('$name is known to every tool', async ({ name, population, weather }) => {
    expect(await use('get_weather', { city: name })).toBe(weather);
    expect(await use('get_local_time', { city: name })).toContain('UTC');
    expect(await use('get_city_population', { city: name })).toEqual({ city: name, population });
  });

  test.each(['São Paulo', ' sao paulo ', 'NEW YORK'])('"%s" is found', (name) => {
    expect(findCity(name)).toBeDefined();
  });

  test.each(['get_weather', 'get_local_time', 'get_city_population'])('%s does not know Atlantis', async (name) => {
    await expect(use(name, { city: 'Atlantis' })).rejects.toMatchObject({
      name: 'ToolError',
      message: 'No city of that name is known.',
      retryable: false,
    });
  });

  test('every currency converts into every other and back', async () => {
    for (const from of currencies) {
      for (const to of currencies) {
        const text = await use('convert_currency', { amount: 1_000_000, from, to });
        const converted = Number(/= ([\d.]+)/u.exec(String(text))?.[1]);
        expect((converted * dollars[to]) / dollars[from]).toBeCloseTo(1_000_000, -1);
      }
    }
  });

  test('an outage fails for six calls of ten', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, (_, index) =>
        use('get_weather', { city: 'Paris' }, { ...calm, isOutage: true, random: () => index / 10 }),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(6);
  });
});
