import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Bounds the connections of a server. When there are too many, the one that has been silent longest makes room for the
 * next: whoever opens thousands and says nothing keeps nobody else out.
 */
export class Connections {
  readonly #most: number;
  /** Those that nobody has asked anything on, or not since their last answer; the longest silent first. */
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
