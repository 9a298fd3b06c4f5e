/** Month names as HTTP dates write them, each at three times its number. */
const MONTHS = 'janfebmaraprmayjunjulaugsepoctnovdec';

const MS_PER_DAY = 86_400_000;

/** `Sun, 06 Nov 1994 08:49:37 GMT` and the older `Sunday, 06-Nov-94 08:49:37 GMT` (RFC 9110 5.6.7). */
const DAY_FIRST = /^[a-z]{3,9}, (\d{1,2})[ -]([a-z]{3})[ -](\d{2}|\d{4}) (\d{2}):(\d{2}):(\d{2}) (?:gmt|utc)$/i;

/** `Sun Nov  6 08:49:37 1994`, the form of C's asctime (RFC 9110 5.6.7). */
const ASCTIME = /^[a-z]{3} ([a-z]{3}) {1,2}(\d{1,2}) (\d{2}):(\d{2}):(\d{2}) (\d{4})$/i;

/** `2026-11-30T08:49:37.5Z` or with an offset (RFC 3339). */
const INTERNET_DATE = /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(\.\d{1,9})?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;

/** Reads a date of an HTTP header, in any of the three forms of RFC 9110 or that of RFC 3339: milliseconds since 1970. */
export function parseHttpDate(text: string): number | undefined {
  const dayFirst = DAY_FIRST.exec(text);
  if (dayFirst !== null) {
    const [, day, month, year, hour, minute, second] = dayFirst;
    return toEpochMs(fullYear(year), monthNumber(month), number(day), number(hour), number(minute), number(second));
  }
  const internet = INTERNET_DATE.exec(text);
  if (internet !== null) {
    const [, year, month, day, hour, minute, second, fraction, sign, offsetHours, offsetMinutes] = internet;
    const local = toEpochMs(number(year), number(month), number(day), number(hour), number(minute), number(second));
    if (local === undefined) return undefined;
    const offsetMs = sign === undefined ? 0 : (number(offsetHours) * 60 + number(offsetMinutes)) * 60_000;
    const fractionMs = fraction === undefined ? 0 : Math.floor(Number(fraction) * 1000);
    return local + fractionMs - (sign === '-' ? -offsetMs : offsetMs);
  }
  const asctime = ASCTIME.exec(text);
  if (asctime === null) return undefined;
  const [, month, day, hour, minute, second, year] = asctime;
  return toEpochMs(number(year), monthNumber(month), number(day), number(hour), number(minute), number(second));
}

function number(digits: string | undefined): number {
  return Number(digits ?? Number.NaN);
}

/** Two-digit years: those over 68 are of the last century (POSIX strptime). */
function fullYear(digits: string | undefined): number {
  const year = number(digits);
  if (digits?.length !== 2) return year;
  return year > 68 ? 1900 + year : 2000 + year;
}

function monthNumber(name: string | undefined): number {
  const at = MONTHS.indexOf((name ?? '?').toLowerCase());
  return at % 3 === 0 ? at / 3 + 1 : 0;
}

function toEpochMs(
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
): number | undefined {
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined;
  // 60 is a leap second: RFC 9110 allows it, and it is the first second of the next minute here.
  if (hour > 23 || minute > 59 || second > 60) return undefined;
  return daysSince1970(year, month, day) * MS_PER_DAY + ((hour * 60 + minute) * 60 + second) * 1000;
}

function daysIn(year: number, month: number): number {
  if (month !== 2) return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
  return isLeap(year) ? 29 : 28;
}

function isLeap(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}

/** Days of the proleptic Gregorian calendar, counted in years that begin in March so that a leap day comes last. */
function daysSince1970(year: number, month: number, day: number): number {
  const shiftedYear = month <= 2 ? year - 1 : year;
  const shiftedMonth = (month + 9) % 12;
  const dayOfYear = Math.floor((153 * shiftedMonth + 2) / 5) + day - 1;
  const leapDays = Math.floor(shiftedYear / 4) - Math.floor(shiftedYear / 100) + Math.floor(shiftedYear / 400);
  // 719,468 days lie between the first of March of the year 0 and the first of January 1970.
  return shiftedYear * 365 + leapDays + dayOfYear - 719_468;
}
