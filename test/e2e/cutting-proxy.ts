import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect, createServer } from 'node:net';

/** A proxy in front of a server that breaks connections on request, as networks do. */
export interface CuttingProxy extends AsyncDisposable {
  readonly port: number;
  /** Breaks the next connections as soon as they are made. */
  refuseNext(connections: number): void;
  /** Breaks every connection now. */
  cut(): void;
  /** Forwards the next request to the server, and breaks the connection instead of forwarding the response. */
  loseNextAnswer(): void;
  /** Says nothing more on any connection, and accepts others without an answer: as a server that is suspended. */
  freeze(): void;
  /** Goes on, with the connections that are still open. */
  thaw(): void;
}

export async function startCuttingProxy(target: {
  readonly host: string;
  readonly port: number;
}): Promise<CuttingProxy> {
  const sockets = new Set<Socket>();
  let losing = false;
  let refusing = 0;
  let isFrozen = false;
  const server = createServer((client) => {
    if (refusing > 0) {
      refusing -= 1;
      client.destroy();
      return;
    }
    const upstream = connect(target.port, target.host);
    const both = [client, upstream];
    const end = (): void => {
      for (const socket of both) {
        socket.destroy();
        sockets.delete(socket);
      }
    };
    for (const socket of both) {
      sockets.add(socket);
      socket.on('error', end).on('close', end);
    }
    client.on('data', (bytes) => upstream.write(bytes));
    upstream.on('data', (bytes) => {
      if (losing) {
        losing = false;
        end();
      } else client.write(bytes);
    });
    if (isFrozen) for (const socket of both) socket.pause();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: address.port,
    cut,
    loseNextAnswer: () => (losing = true),
    refuseNext: (connections) => (refusing = connections),
    freeze() {
      isFrozen = true;
      for (const socket of sockets) socket.pause();
    },
    thaw() {
      isFrozen = false;
      for (const socket of sockets) socket.resume();
    },
    async [Symbol.asyncDispose]() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
