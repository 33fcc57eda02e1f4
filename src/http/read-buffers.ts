import type { OnReadOpts, Socket } from 'node:net';

/** As much as one call of the system reads at most. */
const BUFFER_BYTES = 64 * 1024;
/** Buffers that wait for the next connection: enough for those of a large run, 8 MB at most. */
const MOST_FREE = 128;

/**
 * Buffers that sockets read into again and again. Node makes a new one for each read otherwise, and so many are dead soon
 * that the whole heap is searched for them several times a second.
 *
 * What a socket has read into is lent to its stream, and the next read goes into another one; the first is free again when
 * the stream is found empty at the next read, or when the socket has closed. Whoever reads the stream has therefore
 * done with a chunk, or copied it, before the call that brought it returns.
 *
 *   free ──ahead of a read──▶ ahead ──read into──▶ lent ──stream empty, socket closed──▶ free
 *                                                   └──a part is still unread──▶ left to the collector
 */
export class ReadBuffers {
  readonly #free: Buffer[] = [];

  /** The buffers of one connection; `attach` is called with its socket before anything is read. */
  reading(): {
    readonly onread: OnReadOpts;
    readonly highWaterMark: number;
    readonly attach: (socket: Socket) => void;
  } {
    let socket: Socket | undefined;
    let lent: Buffer | undefined;
    let ahead: Buffer | undefined;
    return {
      // More than one buffer, so that a full one does not stop the reading each time.
      highWaterMark: 2 * BUFFER_BYTES,
      onread: {
        buffer: () => (ahead = this.#free.pop() ?? Buffer.allocUnsafeSlow(BUFFER_BYTES)),
        callback: (bytes, buffer) => {
          if (socket?.readableLength === 0) this.#takeBack(lent);
          lent = buffer as Buffer;
          ahead = undefined;
          return socket?.push(lent.subarray(0, bytes)) ?? false;
        },
      },
      attach: (opened) => {
        socket = opened;
        socket.once('close', () => {
          this.#takeBack(lent);
          this.#takeBack(ahead);
          lent = ahead = undefined;
        });
      },
    };
  }

  #takeBack(buffer: Buffer | undefined): void {
    if (buffer !== undefined && this.#free.length < MOST_FREE) this.#free.push(buffer);
  }
}
