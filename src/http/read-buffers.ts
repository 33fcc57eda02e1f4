import type { OnReadOpts, Socket } from 'node:net';

/** As much as one call of the system reads at most. */
const BUFFER_BYTES = 64 * 1024;
/** Buffers that wait for the next connection: enough for those of a large run, 8 MB at most. */
const MOST_FREE = 128;

/**
 * Buffers that sockets read into again and again. Node makes a new one for each read otherwise, and so many are dead soon
 * that the whole heap is searched for them several times a second.
 *
 * What a socket has read into is lent to its stream, and the next read goes into another one. The first is free again when
 * a part of a body in it was used and the stream is found empty at the next read, or after the socket has closed. One that
 * holds nothing but headers is not used again: the parser keeps them where they are until the last of them has come.
 *
 *   free ──ahead of a read──▶ ahead ──read into──▶ lent ──used, stream empty──▶ free
 *                                                   └──headers, or a part is unread──▶ left to the collector
 */
export class ReadBuffers {
  readonly #free: Buffer[] = [];
  /** Lent, and nothing in them was used yet. */
  readonly #unused = new Set<ArrayBufferLike>();

  /** The buffers of one connection; `attach` is called with its socket before anything is read. */
  reading(): {
    readonly onread: OnReadOpts;
    readonly highWaterMark: number;
    readonly attach: (socket: Socket) => void;
  } {
    let socket: Socket | undefined;
    let lent: Buffer | undefined;
    let ahead: Buffer | undefined;
    const settle = (): void => {
      if (lent !== undefined && !this.#unused.delete(lent.buffer) && socket?.readableLength === 0) this.#takeBack(lent);
      lent = undefined;
    };
    return {
      // More than one buffer, so that a full one does not stop the reading each time.
      highWaterMark: 2 * BUFFER_BYTES,
      onread: {
        buffer: () => (ahead = this.#free.pop() ?? Buffer.allocUnsafeSlow(BUFFER_BYTES)),
        callback: (bytes, buffer) => {
          settle();
          lent = buffer as Buffer;
          ahead = undefined;
          this.#unused.add(lent.buffer);
          return socket?.push(lent.subarray(0, bytes)) ?? false;
        },
      },
      attach: (opened) => {
        socket = opened;
        socket.once('close', () => {
          settle();
          if (ahead !== undefined) this.#takeBack(ahead);
          ahead = undefined;
        });
      },
    };
  }

  /** A part of a body was used, or copied, by whoever it was given to. */
  used(chunk: Buffer): void {
    this.#unused.delete(chunk.buffer);
  }

  #takeBack(buffer: Buffer): void {
    if (this.#free.length < MOST_FREE) this.#free.push(buffer);
  }
}
