import type { Failure, FailureKind } from '../core/failure.ts';
import type { RateLimit } from '../core/provider.ts';
import { rateLimitOf } from '../resilience/rate-limit.ts';
import type { HeaderLookup } from '../resilience/retry-after.ts';
import { rateLimitResetMs, retryAfterMs } from '../resilience/retry-after.ts';
import type { ReplyProblem } from './assembler.ts';
import { classifyAnswer, classifyPayload } from './classify-error.ts';
import type { Classified } from './classify-error.ts';
import { hintFor } from './hints.ts';
import { withoutSecrets } from './server.ts';
import type { Server } from './server.ts';
import type { TransportError } from './transport.ts';
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
  if (status >= 300 && status < 400) return redirectFailure(server, status, header);
  const error = readVendorError(bodyText);
  const classified = classifyAnswer(status, error);
  const what = error.message === '' ? 'without a message' : `: ${error.message}`;
  return failureOf(server, classified, error, {
    message: `${server.host} answered ${status}${what.startsWith(':') ? what : ` ${what}`}`,
    status,
    retryAfterMs: waitOf(classified.kind, header, error, nowMs),
    rateLimit: rateLimitOf(header, nowMs),
  });
}

/** The failure of a reply that began well: status 200, and then an error, rubbish or nothing. */
export function problemFailure(server: Server, problem: ReplyProblem): Failure {
  switch (problem.type) {
    case 'error-payload': {
      const error = vendorErrorOf(problem.payload);
      const code = error.status === undefined ? '' : ` (${error.status})`;
      const what = error.message === '' ? 'without a message' : error.message;
      return failureOf(server, classifyPayload(error), error, {
        message: `${server.host} reported an error inside its reply${code}: ${what}`,
        status: error.status,
        retryAfterMs: error.retryAfterMs,
      });
    }
    case 'malformed':
      return plainFailure(server, 'malformed-reply', `${server.host}: ${problem.message}`);
    case 'cut':
      return plainFailure(server, 'cut-reply', `${server.host}: ${problem.message}`);
  }
}

/** Codes after which asking again is of no use: the certificate, the protocol or the address is wrong. */
const FINAL_CODES: ReadonlySet<string> = new Set([
  'EPROTO',
  'ERR_INVALID_URL',
  'ERR_INVALID_CHAR',
  'ERR_INVALID_PROTOCOL',
  'ERR_UNESCAPED_CHARACTERS',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNKNOWN_ENCODING',
]);

/** The failure of a connection. */
export function transportFailure(server: Server, error: TransportError): Failure {
  const failure = plainFailure(server, 'network', transportMessage(server, error));
  return {
    ...failure,
    vendorCode: error.code,
    hint: hintFor(server, 'network', { code: error.code }),
    ...(FINAL_CODES.has(error.code) ? { final: true } : {}),
    ...(error.isStale === true ? { isStale: true } : {}),
    cause: error.cause,
  };
}

/** The failure of our own code between the request and the reply. */
export function bugFailure(server: Server, error: unknown): Failure {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return {
    ...plainFailure(
      server,
      'bug',
      `The request to ${server.host} could not be built or its reply not be read (${text}).`,
    ),
    cause: error,
  };
}

function transportMessage(server: Server, { code, message, phase }: TransportError): string {
  if (phase === 'body')
    return `The connection to ${server.host} broke off in the middle of the reply (${code}: ${message}).`;
  switch (code) {
    case 'ECONNREFUSED':
      return `${server.host} refused the connection (ECONNREFUSED).`;
    case 'ECONNRESET':
    case 'EPIPE':
      return `${server.host} closed the connection before it answered (${code}).`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `The name of ${server.host} could not be resolved (${code}).`;
    default:
      return `${server.host} could not be reached (${code}: ${message}).`;
  }
}

function redirectFailure(server: Server, status: number, header: HeaderLookup): Failure {
  const target = header('location') ?? 'another address';
  const failure = plainFailure(
    server,
    'bad-request',
    `${server.host} answered ${status}: it redirects to ${target.slice(0, 300)}.`,
  );
  return {
    ...failure,
    status,
    hint: 'Redirects are not followed, since they would lose the request. Set `baseURL` to the new address.',
  };
}

function plainFailure(server: Server, kind: FailureKind, message: string): Failure {
  return { kind, message: withoutSecrets(message, server), providerId: server.providerId };
}

interface FailureDetails {
  readonly message: string;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly rateLimit?: RateLimit | undefined;
}

function failureOf(
  server: Server,
  { kind, overflow }: Classified,
  error: VendorError,
  details: FailureDetails,
): Failure {
  const isOverflow = kind === 'context-overflow';
  return {
    kind,
    // Some vendors' sentences say it only in passing; the kind's name makes it plain in a log.
    message: withoutSecrets(isOverflow ? `${details.message} (context length exceeded)` : details.message, server),
    status: details.status,
    vendorCode: error.code === undefined ? undefined : withoutSecrets(error.code, server),
    retryAfterMs: details.retryAfterMs,
    hint: hintFor(server, kind, { status: details.status, message: error.message }),
    tokens: overflow,
    ...(details.rateLimit === undefined ? {} : { rateLimit: details.rateLimit }),
    providerId: server.providerId,
  };
}

/** The least wait before the next try. Vendors send reset headers with every answer: they count only for a rate limit. */
function waitOf(kind: FailureKind, header: HeaderLookup, error: VendorError, nowMs: number): number | undefined {
  const asked = retryAfterMs(header, nowMs) ?? error.retryAfterMs;
  return asked === undefined && kind === 'rate-limited' ? rateLimitResetMs(header, nowMs) : asked;
}
