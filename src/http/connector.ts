import { createRequire } from 'node:module';
import type { LookupFunction, Socket } from 'node:net';
import { isIP } from 'node:net';

import type * as Undici from 'undici';
import type { Agent, RequestInit, Response, buildConnector } from 'undici';

import type { Guard } from './guard.ts';
import { plainHost } from './guard.ts';
import type { Address, ResolveHost } from './name-resolver.ts';
import type { FailedReason, RefusedReason } from './send.ts';

const require = createRequire(import.meta.url);

/** Loaded on the first request: commands that send none start faster. */
export function undici(): typeof Undici {
  return require('undici') as typeof Undici;
}

const direct: { agent?: Agent } = {};

/** Requests a server on this machine, bypassing any proxy: a proxy elsewhere cannot reach it. */
export async function loopbackFetch(url: URL, init: RequestInit = {}): Promise<Response> {
  const { Agent, fetch } = undici();
  direct.agent ??= new Agent();
  return await fetch(url, { ...init, dispatcher: direct.agent });
}

const KEEP_ALIVE_MS = 60_000;
/** Allowance for headers and body framing. */
const FRAMING_BYTES = 1024 * 1024;
/** Bounds the map of connectors; the guard allows few ports anyway. */
const MANY_PORTS = 100;

/** Every address of a name is forbidden; reported as a refusal. */
class ForbiddenAddressError extends Error {
  override readonly name = 'ForbiddenAddressError';
}

/** A response has more bytes, framing included, than any body may have. */
class AnswerTooLargeError extends Error {
  override readonly name = 'AnswerTooLargeError';
}

/** Checks the address that is connected to, so DNS rebinding gains nothing. */
export function createConnector(options: {
  readonly guard: Guard;
  readonly connectMs: number;
  /** Limit per response body. Chunk extensions and other framing count too, since no handler sees them. */
  readonly maxAnswerBytes: number;
  readonly resolveHost: ResolveHost;
  /** Extra trusted certificate authorities, PEM. */
  readonly ca?: string | undefined;
}): buildConnector.connector {
  const { guard, resolveHost, connectMs, maxAnswerBytes, ca } = options;
  /** One connector per port: the guard's answer depends on the port, which a lookup does not know. */
  const byPort = new Map<number, buildConnector.connector>();

  return (target, callback) => {
    const host = plainHost(target.hostname);
    const mapping = guard.mapping(host);
    const port = mapping?.port ?? Number(target.port || (target.protocol === 'https:' ? 443 : 80));
    if (!mapping && isIP(host) !== 0) {
      const verdict = guard.checkAddress(host, host, port);
      if (verdict.kind === 'refused') {
        callback(new ForbiddenAddressError(verdict.message), null);
        return;
      }
    }
    // A mapped IP literal would skip the lookup, so the mapped address becomes the host.
    const hostname = mapping && isIP(host) !== 0 ? mapping.address : target.hostname;
    connectorAt(port)({ ...target, hostname, port: String(port) }, (...[error, socket]) => {
      if (error) {
        callback(error, null);
        return;
      }
      limitAnswers(socket, maxAnswerBytes + FRAMING_BYTES);
      discardContinues(socket);
      callback(null, socket);
    });
  };

  function connectorAt(port: number): buildConnector.connector {
    const known = byPort.get(port);
    if (known) return known;
    if (byPort.size >= MANY_PORTS) byPort.clear();
    const connector = undici().buildConnector({
      allowH2: false,
      timeout: connectMs,
      keepAliveInitialDelay: KEEP_ALIVE_MS,
      lookup: lookupAt(port),
      ...(ca !== undefined && { ca }),
    });
    byPort.set(port, connector);
    return connector;
  }

  function lookupAt(port: number): LookupFunction {
    return (hostname, wanted, done) => {
      const find = async (): Promise<void> => {
        let addresses: readonly Address[];
        try {
          addresses = await addressesOf(hostname, port);
        } catch (error) {
          done(error as NodeJS.ErrnoException, '', 4);
          return;
        }
        const [first] = addresses;
        if (wanted.all) done(null, [...addresses]);
        else if (first) done(null, first.address, first.family);
      };
      void find();
    };
  }

  async function addressesOf(hostname: string, port: number): Promise<readonly Address[]> {
    const mapping = guard.mapping(hostname);
    if (mapping?.address === 'none')
      throw Object.assign(new Error(`${hostname} is mapped to nothing`), { code: 'ENOTFOUND' });
    const mapped: Address[] = mapping
      ? [{ address: mapping.address, family: isIP(mapping.address) === 6 ? 6 : 4 }]
      : [];
    if (mapping && mapping.trusted !== false) return mapped;
    const found = mapping ? mapped : await resolveHost(hostname);
    const permitted = found.filter(({ address }) => guard.checkAddress(hostname, address, port).kind === 'allowed');
    if (permitted.length > 0) return permitted;
    if (found.length === 0) throw Object.assign(new Error(`${hostname} has no address`), { code: 'ENOTFOUND' });
    const addresses = found.map(({ address }) => address).join(', ');
    throw new ForbiddenAddressError(`${hostname} leads to ${addresses}, which is not public`);
  }
}

/** Destroys a socket that receives more than this per request; writing a request restarts the count. */
function limitAnswers(socket: Socket, maxBytes: number): void {
  let [written, readBefore, readSoFar] = [0, 0, 0];
  socket.on('readable', () => {
    if (socket.bytesWritten !== written) [written, readBefore] = [socket.bytesWritten, readSoFar];
    readSoFar = socket.bytesRead;
    if (readSoFar - readBefore > maxBytes)
      socket.destroy(new AnswerTooLargeError(`more than ${maxBytes} bytes in one answer, framing included`));
  });
}

const CONTINUE = /^HTTP\/1\.[01] 100[ \r]/;
const CONTINUE_START = 'HTTP/1.1 100';
const HEAD_END = '\r\n\r\n';
/** More than any interim answer has. */
const LONGEST_CONTINUE = 8_192;
const MOST_CONTINUES = 10;

/**
 * Discards `100 Continue` before an answer, as RFC 9110 (15.2.1) lets clients do that did not ask for it: undici ends
 * the connection.
 */
function discardContinues(socket: Socket): void {
  const read = socket.read.bind(socket);
  let [written, discarded, isBefore] = [0, 0, false];
  let held: Buffer | undefined;
  socket.read = (size?: number): Buffer | null => {
    const chunk = read(size) as Buffer | null;
    if (chunk === null) return null;
    if (socket.bytesWritten !== written) [written, discarded, isBefore] = [socket.bytesWritten, 0, true];
    if (!isBefore) return chunk;
    let rest = held === undefined ? chunk : Buffer.concat([held, chunk]);
    held = undefined;
    for (; discarded < MOST_CONTINUES; discarded += 1) {
      const start = rest.toString('latin1', 0, CONTINUE_START.length + 1);
      const end = CONTINUE.test(start) ? rest.indexOf(HEAD_END) : -1;
      if (end !== -1) {
        rest = rest.subarray(end + HEAD_END.length);
        continue;
      }
      const mayBeOne = CONTINUE.test(start) || CONTINUE_START.startsWith(start);
      if (!mayBeOne || rest.length > LONGEST_CONTINUE) break;
      if (rest.length > 0) held = rest;
      return null;
    }
    isBefore = false;
    return rest;
  };
}

export type Phase = 'connect' | 'headers' | 'body';

export type Failure =
  | { readonly kind: 'refused'; readonly reason: RefusedReason; readonly message: string }
  | { readonly kind: 'failed'; readonly reason: FailedReason; readonly message: string; readonly retryable: boolean };

const CONNECT_CODES = new Set(
  'ECONNREFUSED EHOSTUNREACH ENETUNREACH EHOSTDOWN ENETDOWN EADDRNOTAVAIL EACCES'.split(' '),
);
const RESET_CODES = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'UND_ERR_SOCKET']);
const TLS_CODE = /^(CERT_|ERR_TLS|ERR_SSL|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|EPROTO|HOSTNAME_MISMATCH|INVALID_CA)/;

export function failureOf(error: unknown, phase: Phase): Failure {
  for (const cause of causesOf(error)) {
    if (cause instanceof ForbiddenAddressError) {
      return { kind: 'refused', reason: 'private-address', message: cause.message };
    }
    if (cause instanceof AnswerTooLargeError)
      return { kind: 'refused', reason: 'body-too-large', message: cause.message };
  }
  const code = codeOf(error);
  const message = `${messageOf(error)}${code ? ` (${code})` : ''}`;
  const failed = (reason: FailedReason, retryable: boolean): Failure => ({
    kind: 'failed',
    reason,
    message,
    retryable,
  });
  if (code === 'UND_ERR_HEADERS_OVERFLOW' || code === 'HPE_HEADER_OVERFLOW') {
    return { kind: 'refused', reason: 'headers-too-large', message };
  }
  // undici's words for a proxy that does not let us through; it says nothing about the host.
  const refusal = /^Proxy (?:response|Authentication Required) \((\d{3})\)/.exec(message);
  if (refusal) return failed('connect', refusal[1] !== '407');
  if (code === 'UND_ERR_INVALID_ARG') return { kind: 'refused', reason: 'bad-url', message };
  if (code === 'EAI_AGAIN') return failed('dns', true);
  if (code === 'ENOTFOUND' || code.startsWith('EAI_') || code === 'ENODATA') return failed('dns', false);
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || (code === 'ETIMEDOUT' && phase === 'connect')) {
    return failed('connect-timeout', true);
  }
  if (CONNECT_CODES.has(code)) return failed('connect', true);
  if (TLS_CODE.test(code)) return failed('tls', false);
  // The parser reports a chunked body without its last chunk only in its message.
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' || message.includes('Invalid EOF state')) {
    return phase === 'body' ? failed('truncated', true) : failed('protocol', false);
  }
  if (RESET_CODES.has(code) || code === 'ETIMEDOUT') return failed(phase === 'body' ? 'truncated' : 'reset', true);
  // A server that violates the protocol will do so again.
  return failed('protocol', false);
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // OpenSSL's messages name its source files and end with a line break; `reason` is the part for people.
  return 'reason' in error && typeof error.reason === 'string' ? error.reason : error.message;
}

function codeOf(error: unknown): string {
  for (const cause of causesOf(error)) {
    if ('code' in cause && typeof cause.code === 'string') return cause.code;
  }
  return '';
}

function causesOf(error: unknown): Error[] {
  const found: Error[] = [];
  const visit = (each: unknown): void => {
    if (!(each instanceof Error) || found.includes(each) || found.length > 20) return;
    found.push(each);
    if (each instanceof AggregateError) for (const inner of each.errors) visit(inner);
    visit(each.cause);
  };
  visit(error);
  return found;
}
