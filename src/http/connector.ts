import type { LookupFunction, Socket } from 'node:net';
import { connect as connectPlain, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';

import type { buildConnector } from 'undici';

import type { Guard } from './guard.ts';
import { plainHost } from './guard.ts';
import type { Address, ResolveHost } from './name-resolver.ts';
import type { ReadBuffers } from './read-buffers.ts';
import { undici } from './undici.ts';

/** Hosts whose last TLS session is remembered, so that the next connection need not agree on keys again. */
const MOST_SESSIONS = 100;
const KEEP_ALIVE_MS = 60_000;

/** Thrown into the socket when every address of a name is forbidden; becomes a refusal, never an exception. */
export class ForbiddenAddressError extends Error {
  override readonly name = 'ForbiddenAddressError';
}

/** Thrown into the socket when an answer has more bytes, framing included, than any body may have. */
export class AnswerTooLargeError extends Error {
  override readonly name = 'AnswerTooLargeError';
}

/** Room for headers and for the framing of a body that is as large as allowed. */
const FRAMING_BYTES = 1024 * 1024;

/**
 * Opens sockets whose own lookup is guarded: the address that is checked is the address that is connected to, so a
 * name that changes its mind between two lookups gains nothing.
 */
export function createConnector(options: {
  readonly guard: Guard;
  readonly connectMs: number;
  /** Most bytes of one answer's body; chunk extensions and other framing count too, as no handler sees them. */
  readonly maxAnswerBytes: number;
  readonly resolveHost: ResolveHost;
  /** Extra trusted certificate authorities, PEM. */
  readonly ca?: string | undefined;
  /** Where sockets read into; buffers of their own otherwise. */
  readonly buffers?: ReadBuffers | undefined;
}): buildConnector.connector {
  const { guard, resolveHost, connectMs } = options;
  const sessions = new Map<string, Buffer>();

  return (target, callback) => {
    const host = plainHost(target.hostname);
    const mapping = guard.mapping(host);
    const isTls = target.protocol === 'https:';
    const port = mapping?.port ?? Number(target.port || (isTls ? 443 : 80));
    if (!mapping && isIP(host) !== 0) {
      const verdict = guard.checkAddress(host, host, port);
      if (verdict.kind === 'refused') {
        callback(new ForbiddenAddressError(verdict.message), null);
        return;
      }
    }
    // A mapped literal address would skip the lookup; giving the mapped address as the host has the same effect.
    const hostname = mapping && isIP(host) !== 0 ? mapping.address : target.hostname;
    const reading = options.buffers?.reading();
    const socket = open({ isTls, host, hostname, port, servername: target.servername }, reading);
    reading?.attach(socket);
    limitAnswers(socket, options.maxAnswerBytes + FRAMING_BYTES);
    socket.setKeepAlive(true, KEEP_ALIVE_MS).setNoDelay(true);
    const timer = setTimeout(() => {
      const { errors } = undici();
      socket.destroy(new errors.ConnectTimeoutError(`no connection to ${hostname}:${port} after ${connectMs} ms`));
    }, connectMs);
    let isTold = false;
    const tell = (error: Error | null): void => {
      clearTimeout(timer);
      if (isTold) return;
      isTold = true;
      if (error) callback(error, null);
      else callback(null, socket);
    };
    socket.once(isTls ? 'secureConnect' : 'connect', () => tell(null)).on('error', tell);
    socket.once('close', () => clearTimeout(timer));
  };

  function open(
    to: { isTls: boolean; host: string; hostname: string; port: number; servername: string | undefined },
    reading: ReturnType<ReadBuffers['reading']> | undefined,
  ): Socket {
    const common = {
      host: to.hostname,
      port: to.port,
      lookup: lookupFor(to.port),
      ...(reading && { onread: reading.onread, highWaterMark: reading.highWaterMark }),
    };
    if (!to.isTls) return connectPlain({ highWaterMark: 64 * 1024, ...common });
    const key = `${to.host}:${to.port}`;
    const socket = connectTls({
      highWaterMark: 16 * 1024,
      ...common,
      ALPNProtocols: ['http/1.1'],
      servername: to.servername ?? (isIP(to.host) === 0 ? to.host : ''),
      session: sessions.get(key),
      ...(options.ca !== undefined && { ca: options.ca }),
    });
    return socket.on('session', (session) => {
      sessions.delete(key);
      sessions.set(key, session);
      for (const oldest of sessions.keys()) {
        if (sessions.size <= MOST_SESSIONS) break;
        sessions.delete(oldest);
      }
    });
  }

  /** The port decides which addresses are allowed. */
  function lookupFor(port: number): LookupFunction {
    return (hostname, wanted, done) => {
      const find = async (): Promise<void> => {
        let addresses: readonly Address[];
        try {
          addresses = await lookup(hostname, port);
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

  async function lookup(hostname: string, port: number): Promise<readonly Address[]> {
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

/** Destroys a socket that reads more than this for one request; a request that is written begins the count again. */
function limitAnswers(socket: Socket, maxBytes: number): void {
  let [written, readBefore, readSoFar] = [0, 0, 0];
  socket.on('readable', () => {
    if (socket.bytesWritten !== written) [written, readBefore] = [socket.bytesWritten, readSoFar];
    readSoFar = socket.bytesRead;
    if (readSoFar - readBefore > maxBytes)
      socket.destroy(new AnswerTooLargeError(`more than ${maxBytes} bytes in one answer, framing included`));
  });
}
