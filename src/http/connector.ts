import { isIP } from 'node:net';

import { buildConnector } from 'undici';

import type { Guard } from './guard.ts';
import { plainHost } from './guard.ts';
import type { Address, ResolveHost } from './name-resolver.ts';

/** Thrown into the socket when every address of a name is forbidden; becomes a refusal, never an exception. */
export class ForbiddenAddressError extends Error {
  override readonly name = 'ForbiddenAddressError';
}

/**
 * Opens sockets whose own lookup is guarded: the address that is checked is the address that is connected to, so a
 * name that changes its mind between two lookups gains nothing.
 */
export function createConnector(options: {
  readonly guard: Guard;
  readonly connectMs: number;
  readonly resolveHost: ResolveHost;
  /** Extra trusted certificate authorities, PEM. */
  readonly ca?: string | undefined;
}): buildConnector.connector {
  const { guard, resolveHost } = options;
  const connectors = new Map<number, buildConnector.connector>();

  return (target, callback) => {
    const host = plainHost(target.hostname);
    const mapping = guard.mapping(host);
    const port = String(mapping?.port ?? (target.port || (target.protocol === 'https:' ? 443 : 80)));
    if (!mapping && isIP(host) !== 0) {
      const verdict = guard.checkAddress(host, host, Number(port));
      if (verdict.kind === 'refused') {
        callback(new ForbiddenAddressError(verdict.message), null);
        return;
      }
    }
    const connect = connectorFor(Number(port));
    // A mapped literal address would skip the lookup; giving the mapped address as the host has the same effect.
    const hostname = mapping && isIP(host) !== 0 ? mapping.address : target.hostname;
    connect({ ...target, hostname, port }, callback);
  };

  /** One connector per port, so that TLS sessions are taken up again; the port decides which addresses are allowed. */
  function connectorFor(port: number): buildConnector.connector {
    let connector = connectors.get(port);
    if (!connector) {
      connector = buildConnector({
        timeout: options.connectMs,
        allowH2: false,
        ...(options.ca !== undefined && { ca: options.ca }),
        lookup: (hostname, wanted, done) => {
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
        },
      });
      connectors.set(port, connector);
    }
    return connector;
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
