/** A city as the geocoder and the other services know it. */
export interface City {
  readonly name: string;
  readonly timeZone: string;
  /** People in the city proper, rounded. */
  readonly population: number;
  /** Made up, so that every run tells the same. */
  readonly weather: string;
}

/** The seven cities of the example. */
export const cities: readonly City[] = [
  { name: 'London', timeZone: 'Europe/London', population: 8_900_000, weather: '14 °C, light rain' },
  { name: 'Tokyo', timeZone: 'Asia/Tokyo', population: 14_000_000, weather: '22 °C, clear' },
  { name: 'Sao Paulo', timeZone: 'America/Sao_Paulo', population: 11_500_000, weather: '26 °C, thunderstorms' },
  { name: 'Paris', timeZone: 'Europe/Paris', population: 2_100_000, weather: '17 °C, cloudy' },
  { name: 'New York', timeZone: 'America/New_York', population: 8_300_000, weather: '9 °C, windy' },
  { name: 'Sydney', timeZone: 'Australia/Sydney', population: 5_400_000, weather: '24 °C, sunny' },
  { name: 'Mumbai', timeZone: 'Asia/Kolkata', population: 12_500_000, weather: '31 °C, humid' },
];

/** The eight currencies of the example. */
export const currencies = ['USD', 'EUR', 'GBP', 'JPY', 'BRL', 'CAD', 'AUD', 'INR'] as const;
export type Currency = (typeof currencies)[number];

/** What one unit is worth in US dollars. Made up, near the rates of 2025. */
export const dollars: Readonly<Record<Currency, number>> = {
  USD: 1,
  EUR: 1.16,
  GBP: 1.34,
  JPY: 0.0067,
  BRL: 0.185,
  CAD: 0.72,
  AUD: 0.66,
  INR: 0.0114,
};

/** Finds a city however it is spelled: "São Paulo", "new york". */
export function findCity(name: string): City | undefined {
  const wanted = plain(name);
  return cities.find((city) => plain(city.name) === wanted);
}

function plain(name: string): string {
  return name.normalize('NFD').replace(/\p{M}/gu, '').trim().toLowerCase();
}

/** The local date and time in a zone, with its distance from UTC: "Monday 2026-11-30 18:05, UTC+09:00". */
export function localTime(timeZone: string, now: Date): string {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'long',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'longOffset',
  });
  const parts = Object.fromEntries(format.formatToParts(now).map(({ type, value }) => [type, value]));
  const { weekday, year, month, day, hour, minute, timeZoneName } = parts;
  // London in winter is plain "GMT".
  const offset = timeZoneName === 'GMT' ? '+00:00' : (timeZoneName ?? '').replace('GMT', '');
  return `${weekday} ${year}-${month}-${day} ${hour}:${minute}, UTC${offset}`;
}
