import { ByStart } from './first-look.ts';
import { isReference, isRandom, hasRandomPart } from './value-look.ts';
import type { RunEnds } from './run-ends.ts';
import type { Span } from './span.ts';

/** One form that is a secret wherever it stands. */
interface StrongForm {
  /** Three characters in small letters with which it begins. */
  readonly start: string;
  readonly find: (text: string, place: number, ends: RunEnds) => Span | undefined;
}

/** The end of an escape: of JSON and other languages, of an address, of a terminal's colors. */
const ESCAPE = /(?:\\(?:[abefnrtv]|u[\da-f]{4}|u\{[\da-f]{1,6}\}|x[\da-f]{2}|[0-7]{1,3})|%[\da-f]{2}|\[[\d;]{0,12}m)$/i;

/** A letter or digit before it makes it a part of another word, unless that ends an escape: the `n` of `\n`. */
function isBoundary(text: string, place: number): boolean {
  const code = text.charCodeAt(place - 1);
  const isPart = (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
  return !isPart || ESCAPE.test(text.slice(Math.max(0, place - 14), place));
}

/**
 * Beginnings of keys, from the vendors' own documentation and the public rules of secret scanners. Behind them stand
 * letters, digits, `_` and `-` (`word`), or `+`, `/` and `=`, too (`base64`): as many as said, or more.
 * `random`: the beginning is also one of words, so what follows has to be random.
 */
const KEYS: readonly (readonly [
  beginnings: string,
  minChars: number,
  rest?: 'random' | 'any',
  alphabet?: 'alnum' | 'word' | 'base64',
])[] = [
  ['sk-proj- sk-ant- sk-or-v1- sk-svcacct- sk-admin-', 16], // OpenAI, Anthropic, OpenRouter
  ['sk-', 16, 'random'], // everybody who followed them
  ['sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_', 10, 'any', 'alnum'], // Stripe, Clerk
  ['whsec_', 16, 'any', 'base64'],
  ['ghp_ gho_ ghu_ ghs_ ghr_', 16, 'any', 'alnum'],
  ['github_pat_', 20],
  ['glpat- glptt- gldt- glrt- glcbt- glsoat- glft- glagent- gloas-', 16],
  ['xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xoxc- xoxd- xapp- xoxe.', 10],
  ['AIza', 30],
  ['ya29.', 20],
  ['GOCSPX-', 20],
  ['1//0', 30, 'random'],
  ['hf_', 20, 'random', 'alnum'],
  ['npm_', 30, 'random', 'alnum'],
  ['pypi-AgE', 30],
  ['gsk_', 20, 'random', 'alnum'], // Groq
  ['xai-', 20, 'random'],
  ['r8_', 20, 'random', 'alnum'],
  ['pplx-', 20, 'random', 'alnum'],
  ['tvly-', 16, 'random'],
  ['nvapi-', 20, 'random'],
  ['doo_v1_ dop_v1_ dor_v1_ dot_v1_', 32],
  ['shpat_ shpca_ shppa_ shpss_ shptka_', 20],
  ['lin_api_ lin_oauth_', 20],
  ['figd_', 20, 'random'],
  ['dapi', 32, 'random', 'alnum'],
  ['key-', 32, 'random', 'alnum'], // Mailgun
  ['AGE-SECRET-KEY-1', 20],
  ['sbp_ sb_secret_', 20, 'random'],
  ['dckr_pat_ dckr_oat_', 20],
  ['PMAK-', 20, 'random'],
  ['EAACEdEose0cBA EAAG EAAB', 40, 'random'], // Meta
  ['sq0atp- sq0csp- EAAA', 20, 'random'], // Square
  ['NRAK- NRII- NRJS-', 20], // New Relic
  ['glc_ glsa_', 20, 'random', 'base64'], // Grafana
  ['hvs. hvb. hvr.', 20, 'random'], // Vault
  ['pul-', 40, 'random'],
  ['rubygems_', 40],
  ['ATATT3 ATCTT3', 30, 'any', 'base64'], // Atlassian
  ['ntn_ secret_', 40, 'random'], // Notion
  ['pat-na1- pat-eu1-', 30], // HubSpot
  ['xkeysib- xsmtpsib-', 40], // Brevo
  ['sntrys_ sntryu_', 30, 'any', 'base64'],
  ['phc_ phx_', 30, 'random'],
  ['ddp_ ddapi_', 30, 'random'],
  ['fo1_ fm1_ fm2_', 20, 'any', 'base64'], // Fly.io
  ['pscale_pw_ pscale_tkn_ pscale_oauth_', 20],
  ['tskey-', 16, 'random'],
  ['ops_ey', 60],
  ['dp.pt. dp.st. dp.ct.', 20], // Doppler
  ['vercel_blob_rw_ nfp_ vcp_', 20, 'random'],
  ['jina_ fw_ tgp_v1_ csk- co_ el_ nk_ lsv2_pt_ lsv2_sk_ pcsk_ fc-', 24, 'random'], // of model and search services
  ['CFPAT- v1.0-', 40, 'random'],
  ['AQ.Ab', 30, 'random'],
];

/** Chosen: looks at one run of characters before it is taken for a secret. */
const MAX_TRIES = 16;

function keyForms(): StrongForm[] {
  return KEYS.flatMap(([beginnings, minChars, rest, alphabet = 'word']) =>
    beginnings.split(' ').map((beginning): StrongForm => ({
      start: beginning.slice(0, 3).toLowerCase(),
      find: (text, place, ends) => {
        if (!text.startsWith(beginning, place) || !isBoundary(text, place)) return undefined;
        const from = place + beginning.length;
        let end = ends.end(alphabet, from);
        // Parts with a dot between, as in `SG.` and `hvs.`.
        if (text[end] === '.' && ends.end(alphabet, end + 1) - end > 16) end = ends.end(alphabet, end + 1);
        if (end - from < minChars) return undefined;
        // No word holds so many beginnings: what does is masked without a further look.
        if (ends.triesIn(end) > MAX_TRIES) return { start: place, end };
        const head = text.slice(from, Math.min(end, from + 64));
        return /x{6}|X{6}/.test(head) || (rest === 'random' && !hasRandomPart(head))
          ? undefined
          : { start: place, end };
      },
    })),
  );
}

/** A form as a sticky pattern with bounded repetition. Its last group is the secret, or all of it. */
function form(starts: string, pattern: RegExp, isWord = false): StrongForm[] {
  return starts.split(' ').map((start) => ({
    start,
    find: (text, place) => {
      if (isWord && !isBoundary(text, place)) return undefined;
      pattern.lastIndex = place;
      const match = pattern.exec(text);
      const secret = match?.findLast((group) => group !== undefined);
      if (match === null || secret === undefined) return undefined;
      const end = place + match[0].length;
      return { start: end - secret.length, end };
    },
  }));
}

/** RFC 7519: header, payload and signature, the first two beginning with `{"` in Base64. */
function webToken(text: string, place: number, ends: RunEnds): Span | undefined {
  if (!text.startsWith('eyJ', place) || !isBoundary(text, place)) return undefined;
  const payload = ends.end('word', place);
  if (payload - place < 8 || text[payload] !== '.') return undefined;
  const signature = ends.end('word', payload + 1);
  const hasSignature = text[signature] === '.';
  if (signature - payload < 5 || (!hasSignature && !text.startsWith('eyJ', payload + 1))) return undefined;
  let end = signature;
  // Two more parts where it is encrypted.
  for (let part = 0; part < 3 && text[end] === '.'; part += 1) end = ends.end('word', end + 1);
  return { start: place, end: text[end - 1] === '.' ? end - 1 : end };
}

const PEM_BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y;
const PEM_END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y;

/**
 * RFC 7468: from the first line to the last. Where the last is missing: as far as Base64, white space and their escapes
 * go, so that code which only names the first line stays.
 */
function privateKey(text: string, place: number, ends: RunEnds): Span | undefined {
  PEM_BEGIN.lastIndex = place;
  const begin = PEM_BEGIN.exec(text);
  if (begin === null) return undefined;
  const from = place + begin[0].length;
  const dashes = ends.next('-----', from);
  PEM_END.lastIndex = dashes;
  const last = dashes < 0 ? null : PEM_END.exec(text);
  if (last !== null && dashes - from < 20_000)
    return /[A-Za-z0-9]{3}/.test(text.slice(from, dashes)) ? { start: place, end: dashes + last[0].length } : undefined;
  const end = ends.end('pem', from);
  return /\s|\\n/.test(text.slice(from, from + 2)) && end - from >= 5 ? { start: place, end } : undefined;
}

/** The same in Base64, as in a kubeconfig. A certificate is none. */
function encodedPrivateKey(text: string, place: number, ends: RunEnds): Span | undefined {
  if (!text.startsWith('LS0tLS1CRUdJTi', place)) return undefined;
  const isKey = /PRIVATE/.test(
    atob(/^[A-Za-z0-9+/]{4,64}/.exec(text.slice(place, place + 64))?.[0].replace(/^((?:.{4})*).*$/, '$1') ?? ''),
  );
  return isKey ? { start: place, end: ends.end('base64', place) } : undefined;
}

const FORMS: readonly StrongForm[] = [
  { start: '---', find: privateKey },
  { start: 'ls0', find: encodedPrivateKey },
  { start: 'eyj', find: webToken },
  ...keyForms(),
  ...form('sg.', /SG\.[\w-]{10,80}\.[\w-]{10,100}/y),
  ...form('aki asi abi acc', /(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])/y, true),
  // A bot of Telegram: number, colon, 35 characters.
  ...form(':aa', /:(AA[\w-]{30,40})/y),
  // Hashes of passwords: crypt(3), htpasswd, Argon2, LDAP.
  ...form('$2a $2b $2y', /\$2[aby]\$\d\d\$[./A-Za-z0-9]{20,60}/y),
  ...form(
    '$ap $1$ $5$ $6$ $y$',
    /\$(?:apr1|1|5|6|y)\$(?:rounds=\d{1,9}\$)?[./A-Za-z0-9]{1,20}\$(?:[./A-Za-z0-9]{1,20}\$)?[./A-Za-z0-9]{20,90}/y,
  ),
  ...form('$ar', /\$argon2(?:id?|d)\$[\w=,$+/.]{20,300}/y),
  ...form('{sh {ss', /\{S{1,2}HA\d{0,3}\}[A-Za-z0-9+/]{20,120}={0,2}/y),
  { start: '://', find: credentials },
  // Addresses that let everybody post who knows them.
  ...form('hoo', /hooks\.slack(?:-gov)?\.com\/(?:services|workflows|triggers)\/([\w/-]{10,200})/y),
  ...form('hoo', /hooks?\.(?:zapier\.com\/hooks\/catch|[\w-]{1,30}\.make\.com|[\w.-]{1,60}\/hooks?)\/([\w/-]{6,200})/y),
  ...form('/we', /\/webhooks?(?:b2|\/v\d)?\/(\d{6,25}\/[\w-]{20,200}|[\da-f-]{30,40}@[\w@/.-]{20,400})/y),
  ...form('/bo', /\/bots?\/v\d\/hook\/([\w-]{16,100})/y),
  ...form('/wi', /\/with\/key\/([\w-]{8,100})/y),
];

/** The three characters with which the forms begin. */
export const STRONG_STARTS: readonly string[] = FORMS.map(({ start }) => start);

const FORMS_AT = new ByStart(FORMS.map(({ start, find }) => [start, find]));

/** The form that stands at a place: the first that is found counts. */
export function strongFormAt(text: string, place: number, ends: RunEnds): Span | undefined {
  for (const find of FORMS_AT.at(text, place)) {
    const span = find(text, place, ends);
    if (span !== undefined) return span;
  }
  return undefined;
}

const USER_AND_PASSWORD =
  /:\/\/([^\s/?#:@"'<>`]{0,200}:(?:[^\s/?#"'<>`]{1,400}|(?!\d{1,5}[/?#])[^\s"'<>@`]{1,200}))(?=@[\w.[-])/y;
const USER = /:\/\/([^\s/?#:@"'<>`]{16,400})(?=@[\w.[-])/y;

/** RFC 3986 section 3.2.1: user and password before the host, or a token as the user. Scheme and host stay readable. */
function credentials(text: string, place: number, ends: RunEnds): Span | undefined {
  const sign = ends.next('@', place);
  if (sign < 0 || sign - place > 400) return undefined;
  for (const pattern of [USER_AND_PASSWORD, USER]) {
    pattern.lastIndex = place;
    const found = pattern.exec(text)?.[1];
    if (found === undefined) continue;
    const password = found.slice(found.indexOf(':') + 1);
    if (pattern === USER ? isRandom(found) : !isReference(password, true) && !/^[A-Z_]{4,}$/.test(password))
      return { start: place + 3, end: place + 3 + found.length };
  }
  return undefined;
}
