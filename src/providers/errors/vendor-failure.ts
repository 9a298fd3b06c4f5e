import type { Failure, FailureKind } from '../../core/failure.ts';
import { rateLimitOf } from '../../resilience/rate-limit.ts';
import type { HeaderLookup } from '../../resilience/retry-after.ts';
import { rateLimitResetMs, retryAfterMs } from '../../resilience/retry-after.ts';
import type { ReplyProblem } from '../assembler.ts';
import { classifyError } from './classify-error.ts';
import type { Classified } from './classify-error.ts';
import { describeText, excerpt } from '../describe-text.ts';
import type { Mask } from '../describe-text.ts';
import { answerAdvice, connectionAdvice, hinted, isCertificateCode, isPlainAnswerCode, wireName } from './hints.ts';
import { withoutSecrets } from '../server.ts';
import type { Server } from '../server.ts';
import type { TransportError } from '../transport.ts';
import { readVendorError, vendorErrorOf } from './vendor-error.ts';
import type { VendorError } from './vendor-error.ts';

/** The failure of an answer with an error status. */
export function httpFailure(
  server: Server,
  status: number,
  header: HeaderLookup,
  bodyText: string,
  nowMs: number,
): Failure {
  if (status >= 300 && status < 400) {
    // What stands behind the path may be long, and hold a key.
    const address = (header('location') ?? 'another address').replace(/[?#].*/s, '');
    const target = excerpt(address, MAX_ADDRESS_CHARS, maskOf(server));
    return failureOf(server, 'bad-request', `${server.host} answered ${status}: it redirects to ${target}.`, {
      status,
      ...hinted({ code: 'follow-redirect' }),
    });
  }
  const error = readVendorError(bodyText, maskOf(server));
  const classified = classifyError(error, status);
  return vendorFailure(server, error, classified, `answered ${status}`, {
    status,
    ...limitsIn(error, classified.kind, header, nowMs),
  });
}

/** What is known of a reply beside its problem. */
export interface ReplySoFar {
  readonly nowMs: number;
  /** True once a piece of text or of thoughts has been shown. */
  readonly hasBegun: boolean;
  /** The wire that its first event looks like, where it looks like one. */
  readonly looksLike?: string | undefined;
}

const PROBLEM_KINDS = { cut: 'cut-reply', malformed: 'malformed-reply', circle: 'repeating-reply' } as const;

/** The failure of a reply that began well: status 200, and then an error, rubbish or nothing. */
export function problemFailure(server: Server, problem: ReplyProblem, soFar: ReplySoFar): Failure {
  const { nowMs, hasBegun, looksLike } = soFar;
  if (problem.type !== 'error-payload')
    return otherWireFailure(server, looksLike) ?? brokenFailure(server, problem.type, problem);
  const error = vendorErrorOf(problem.payload, maskOf(server));
  const otherWire = error.message === '' ? otherWireFailure(server, looksLike) : undefined;
  if (otherWire !== undefined) return otherWire;
  const { status } = error;
  const what = `reported an error inside its reply${status === undefined ? '' : ` (${status})`}`;
  const classified = classifyError(error);
  // A request that was being answered was no bad request: what broke is behind the server.
  const kind = hasBegun && classified.kind === 'bad-request' ? 'server-error' : classified.kind;
  return vendorFailure(server, error, { ...classified, kind }, what, {
    status,
    ...limitsIn(error, kind, () => undefined, nowMs),
  });
}

function brokenFailure(
  server: Server,
  type: keyof typeof PROBLEM_KINDS,
  { message, got }: { readonly message: string; readonly got?: string },
): Failure {
  const shown = got === undefined ? '' : `: ${describeText(got, maskOf(server))}`;
  return failureOf(server, PROBLEM_KINDS[type], `${server.host}: ${message}${shown}`);
}

/** A reply that is one of another wire: each try would be answered in the same way. */
function otherWireFailure(server: Server, wire: string | undefined): Failure | undefined {
  if (wire === undefined || wire === server.providerId) return undefined;
  const message = `${server.host}: The reply is not one of ${wireName(server.providerId)}. It looks like a reply of ${wireName(wire)}.`;
  return failureOf(server, 'malformed-reply', message, { ...hinted({ code: 'take-wire', wire }), remedy: 'never' });
}

function limitsIn(
  error: VendorError,
  kind: FailureKind,
  header: HeaderLookup,
  nowMs: number,
): Pick<Failure, 'retryAfterMs' | 'rateLimit'> {
  // LiteLLM forwards the vendor's headers under other names, OpenRouter inside the body.
  const found: HeaderLookup = (name) => header(name) ?? header(`llm_provider-${name}`) ?? error.headers[name];
  const asked = retryAfterMs(found, nowMs) ?? error.retryAfterMs;
  return {
    // Vendors send reset headers with every answer: they count only for a rate limit.
    retryAfterMs: asked ?? (kind === 'rate-limited' ? rateLimitResetMs(found, nowMs) : undefined),
    rateLimit: rateLimitOf(found, nowMs),
  };
}

/** Codes of what is wrong with the protocol, the address or the headers. */
const FINAL_CODES: ReadonlySet<string> = new Set([
  'ERR_INVALID_URL',
  'ERR_INVALID_CHAR',
  'ERR_INVALID_PROTOCOL',
  'ERR_UNESCAPED_CHARACTERS',
  'UNKNOWN_ENCODING',
]);

/** The failure of a connection. */
export function transportFailure(server: Server, error: TransportError): Failure {
  const { code, isStale, cause } = error;
  // Asking again does not mend an address or a certificate.
  const isFinal = FINAL_CODES.has(code) || isPlainAnswerCode(code) || isCertificateCode(code);
  return failureOf(server, 'network', transportMessage(server, error), {
    vendorCode: code,
    ...hinted(connectionAdvice(server, code)),
    remedy: isFinal ? 'never' : isStale === true ? 'at-once' : undefined,
    cause,
  });
}

/** The failure of our own code between the request and the reply. */
export function bugFailure(server: Server, cause: unknown): Failure {
  const text = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
  const message = `The request to ${server.host} could not be built or its reply not be read (${text}).`;
  return failureOf(server, 'bug', message, { cause });
}

/** Errors of OpenSSL are `error:number:library:function:reason:file:line`. */
const OPENSSL_ERROR = /\berror:[0-9a-f]{8}:[^:]*:[^:]*:([^:]+)/i;

function transportMessage({ host }: Server, { code, message, phase }: TransportError): string {
  const reason = OPENSSL_ERROR.exec(message)?.[1] ?? message.trim();
  if (phase === 'body') return `The connection to ${host} broke off in the middle of the reply (${code}: ${reason}).`;
  switch (code) {
    case 'ECONNREFUSED':
      return `${host} refused the connection (${code}).`;
    case 'ECONNRESET':
    case 'EPIPE':
      return `${host} closed the connection before it answered (${code}).`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `The name of ${host} could not be resolved (${code}).`;
    default:
      return `${host} could not be reached (${code}: ${reason}).`;
  }
}

/** The failure that a server tells in its own words; `what` it did, as the beginning of a sentence. */
function vendorFailure(
  server: Server,
  error: VendorError,
  { kind, overflow }: Classified,
  what: string,
  details: Partial<Failure>,
): Failure {
  const words = error.message === '' ? ' without a message' : `: ${error.message}`;
  // Some vendors' sentences say it only in passing; the kind's name makes it plain in a log.
  const plain = overflow === undefined ? '' : ' (context length exceeded)';
  return failureOf(server, kind, `${server.host} ${what}${words}${plain}`, {
    ...details,
    vendorCode: error.code,
    ...hinted(answerAdvice(server, kind, details.status, error, overflow)),
    tokens: overflow,
  });
}

/** Chosen: holds a vendor's longest sentence (see `readVendorError`) and what stands around it. */
const MAX_MESSAGE_CHARS = 1000;

/** Chosen: holds the longest address that whoever reads it can use. */
const MAX_ADDRESS_CHARS = 300;

function maskOf(server: Server): Mask {
  return (text) => withoutSecrets(text, server);
}

function failureOf(server: Server, kind: FailureKind, message: string, details: Partial<Failure> = {}): Failure {
  const line = excerpt(message, MAX_MESSAGE_CHARS, maskOf(server));
  return { ...details, kind, message: line, providerId: server.providerId };
}
