import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Limits the number of connections. At the limit, the connection idle longest is closed, so that a client that opens
 * thousands and sends nothing cannot lock others out.
 */
export class Connections {
  readonly #most: number;
  /** Idle connections, longest idle first. */
  readonly #silent = new Set<Socket>();
  #count = 0;

  constructor(server: Server, most: number) {
    this.#most = most;
    server.on('connection', (socket) => this.#opened(socket));
    server.on('request', (request, response) => {
      const { socket } = request;
      this.#silent.delete(socket);
      response.on('close', () => {
        if (!socket.destroyed) this.#silent.add(socket);
      });
    });
  }

  get size(): number {
    return this.#count;
  }

  #opened(socket: Socket): void {
    this.#count += 1;
    socket.on('close', () => {
      this.#count -= 1;
      this.#silent.delete(socket);
    });
    if (this.#count > this.#most) {
      const [oldest = socket] = this.#silent;
      oldest.destroy();
      if (oldest === socket) return;
    }
    this.#silent.add(socket);
  }
}
