import { createServer } from 'node:http';
import type { Server } from 'node:http';

import { listen } from './listen.ts';

/** Listeners on private addresses that clients must not contact; every connection is reported. */
export interface Canaries extends AsyncDisposable {
  readonly v4: number;
  /** Null if the machine has no IPv6 loopback. */
  readonly v6: number | null;
}

export async function openCanaries(after: number, onHit: (where: string, url: string) => void): Promise<Canaries> {
  const servers: Server[] = [];
  const open = async (host: string, wanted: number): Promise<number | null> => {
    const server = createServer((request, response) => {
      onHit(host, request.url ?? '/');
      response.end('you should not be here');
    });
    // Connecting is already a violation.
    server.on('connection', () => onHit(host, '(connection)'));
    try {
      const port = await listen(server, host, wanted).catch(() => listen(server, host, 0));
      servers.push(server);
      return port;
    } catch {
      return null;
    }
  };
  const v4 = await open('127.0.0.1', after + 1);
  const v6 = await open('::1', after + 2);
  return {
    v4: v4 ?? 0,
    v6,
    async [Symbol.asyncDispose]() {
      await Promise.all(
        servers.map((server) => {
          server.closeAllConnections();
          return new Promise((resolve) => server.close(resolve));
        }),
      );
    },
  };
}
