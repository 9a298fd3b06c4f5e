/** What stands in place of a path. */
const PATH = '[path]';

/** Frames of a stack (V8's form): each in a line of its own that ends with a place in the code. */
const FRAME =
  /\r?\n[ \t]{1,20}at [^\n]{0,2000}?(?::\d{1,9}:\d{1,9}\)?|\((?:<anonymous>|native|index \d{1,9})\))[ \t\r]{0,9}(?=\n|$)/g;

/** Folders that begin paths of a machine: what begins otherwise is an address of a service. */
const ROOTS =
  'home|Users|root|var|usr|opt|etc|tmp|srv|mnt|private|Library|Applications|Volumes|app|workspaces?|proc|sys|snap|nix|node_modules';

/** Endings that only files of programs have. */
const ENDINGS =
  '[cm]?[jt]sx?|py|rb|go|rs|java|kt|php|cs|cpp|json|ya?ml|toml|ini|conf|env|pem|key|crt|sqlite3?|db|log|sh|sock';

/** A name in a path. */
const NAME = '[^\\s"\'`()<>\\[\\]{}:,;|?#/\\\\]{1,255}';

/** Line and column behind a path. */
const PLACE = '(?::\\d{1,7}){0,2}';

/** Not after a letter, a dot or a slash: there it would be the path of an address (`host/path`, `://host/path`). */
const BEFORE = '(?<![\\w./:~%@-])';

const UNIX = new RegExp(
  `${BEFORE}(?:/(?:${ROOTS})(?:/${NAME}){1,60}/?|(?:/${NAME}){2,60}?\\.(?:${ENDINGS})(?![\\w./]))${PLACE}`,
  'g',
);
const HOME = new RegExp(`${BEFORE}~(?:/${NAME}){1,60}${PLACE}`, 'g');
const WINDOWS = new RegExp(
  `(?<![A-Za-z0-9])[A-Za-z]:(?:\\\\{1,2}|/)(?:(?:Program Files(?: \\(x86\\))?|${NAME})(?:\\\\{1,2}|/)?){1,60}${PLACE}`,
  'g',
);
const FILE_URL = /file:\/\/[^\s"'`<>)\]]{1,2000}/g;

/**
 * Takes stack frames and absolute paths of this machine out of a text for a model. Addresses, routes of a service
 * (`/orders/4711`), dates (`1/2/3`) and single names (`/tmp`) stay.
 */
export function stripPaths(text: string): string {
  if (!text.includes('/') && !text.includes('\\') && !text.includes('\n')) return text;
  let safe = text;
  if (safe.includes('at ')) safe = safe.replace(FRAME, '');
  if (safe.includes('file://')) safe = safe.replace(FILE_URL, PATH);
  if (safe.includes(':\\') || safe.includes(':/'))
    safe = safe.replace(WINDOWS, (match) => (match.startsWith('//', 2) ? match : PATH));
  if (safe.includes('~/')) safe = safe.replace(HOME, PATH);
  return safe.includes('/') ? safe.replace(UNIX, PATH) : safe;
}
