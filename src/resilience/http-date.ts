const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** `Sun, 06 Nov 1994 08:49:37 GMT` and the older `Sunday, 06-Nov-94 08:49:37 GMT` (RFC 9110 5.6.7). */
const DAY_FIRST = /^[a-z]{3,9}, (\d\d?)[ -]([a-z]{3})[ -](\d\d|\d{4}) ([\d:]{8}) (?:gmt|utc)$/i;

/** `Sun Nov  6 08:49:37 1994`, the form of C's asctime (RFC 9110 5.6.7). */
const ASCTIME = /^[a-z]{3} ([a-z]{3}) {1,2}(\d\d?) ([\d:]{8}) (\d{4})$/i;

/** `2026-11-30T08:49:37.5Z` or with an offset (RFC 3339), and the same with a named month. 60 is a leap second. */
const DATE =
  /^(\d\d|\d{4})-(\d\d|[a-z]{3})-(\d\d?)[t ]([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(\.\d{1,9})?(?:z|([+-])(\d\d):(\d\d))$/i;

/** Reads a date of an HTTP header, in any of the three forms of RFC 9110 or that of RFC 3339: milliseconds since 1970. */
export function parseHttpDate(text: string): number | undefined {
  const fields = DATE.exec(text.replace(DAY_FIRST, '$3-$2-$1T$4Z').replace(ASCTIME, '$4-$1-$2T$3Z'));
  if (fields === null) return undefined;
  const [, year = '', month = '', day, hour, minute, second, fraction = 0, sign, zoneHours = 0, zoneMinutes = 0] =
    fields;
  // Two-digit years: those over 68 are of the last century (POSIX strptime).
  const century = year.length > 2 ? '' : year > '68' ? '19' : '20';
  const named = MONTHS.indexOf(month.toLowerCase());
  const monthIndex = named < 0 ? Number(month) - 1 : named;
  const date = new Date(Date.UTC(Number(century + year), monthIndex, Number(day)));
  // The 31st of April is the first of May for the host, and no date for us.
  if (date.getUTCMonth() !== monthIndex) return undefined;
  const zone = (Number(zoneHours) * 60 + Number(zoneMinutes)) * (sign === '-' ? -1 : 1);
  const minutesOfDay = Number(hour) * 60 + Number(minute) - zone;
  return date.getTime() + (minutesOfDay * 60 + Number(second)) * 1000 + Math.floor(Number(fraction) * 1000);
}
