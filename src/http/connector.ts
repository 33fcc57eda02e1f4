import type { LookupFunction, Socket } from 'node:net';
import { isIP } from 'node:net';

import type { buildConnector } from 'undici';

import type { Guard } from './guard.ts';
import { plainHost } from './guard.ts';
import type { Address, ResolveHost } from './name-resolver.ts';
import { undici } from './undici.ts';

const KEEP_ALIVE_MS = 60_000;
/** Room for headers and for the framing of a body that is as large as allowed. */
const FRAMING_BYTES = 1024 * 1024;
/** The guard closes nearly all ports; this bounds what an allow-list of many keeps. */
const MANY_PORTS = 100;

/** Every address of a name is forbidden; becomes a refusal, never an exception. */
export class ForbiddenAddressError extends Error {
  override readonly name = 'ForbiddenAddressError';
}

/** An answer has more bytes, framing included, than any body may have. */
export class AnswerTooLargeError extends Error {
  override readonly name = 'AnswerTooLargeError';
}

/**
 * undici's connector with a guarded lookup: the address that is checked is the address that is connected to, so a name
 * that resolves differently the second time gains nothing.
 */
export function createConnector(options: {
  readonly guard: Guard;
  readonly connectMs: number;
  /** Most bytes of one answer's body; chunk extensions and other framing count too, as no handler sees them. */
  readonly maxAnswerBytes: number;
  readonly resolveHost: ResolveHost;
  /** Extra trusted certificate authorities, PEM. */
  readonly ca?: string | undefined;
}): buildConnector.connector {
  const { guard, resolveHost, connectMs, maxAnswerBytes, ca } = options;
  /** The port decides which addresses are allowed, and a lookup does not know the port. */
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
    // A mapped literal address would skip the lookup; giving the mapped address as the host has the same effect.
    const hostname = mapping && isIP(host) !== 0 ? mapping.address : target.hostname;
    connectorAt(port)({ ...target, hostname, port: String(port) }, (...[error, socket]) => {
      if (error) {
        callback(error, null);
        return;
      }
      limitAnswers(socket, maxAnswerBytes + FRAMING_BYTES);
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

/** Destroys a socket that reads more than this for one request; a request that is written restarts the count. */
function limitAnswers(socket: Socket, maxBytes: number): void {
  let [written, readBefore, readSoFar] = [0, 0, 0];
  socket.on('readable', () => {
    if (socket.bytesWritten !== written) [written, readBefore] = [socket.bytesWritten, readSoFar];
    readSoFar = socket.bytesRead;
    if (readSoFar - readBefore > maxBytes)
      socket.destroy(new AnswerTooLargeError(`more than ${maxBytes} bytes in one answer, framing included`));
  });
}
