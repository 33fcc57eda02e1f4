import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';

const BUFFER_BYTES = 1 << 20;

/** A file written from the start in large pieces. */
export class BufferedFile implements AsyncDisposable {
  readonly #handle: FileHandle;
  #buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  #used = 0;
  size = 0;

  private constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  static async create(path: string): Promise<BufferedFile> {
    return new BufferedFile(await open(path, 'w+'));
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.size += bytes.length;
    if (this.#used + bytes.length > BUFFER_BYTES) await this.#flush();
    if (bytes.length > BUFFER_BYTES) await this.#handle.writeFile(bytes);
    else {
      this.#buffer.set(bytes, this.#used);
      this.#used += bytes.length;
    }
  }

  async sync(): Promise<void> {
    await this.#flush();
    await this.#handle.sync();
  }

  async *readBack(): AsyncGenerator<Uint8Array> {
    await this.#flush();
    const block = Buffer.allocUnsafe(BUFFER_BYTES);
    for (let at = 0; at < this.size;) {
      const { bytesRead } = await this.#handle.read(block, 0, block.length, at);
      if (bytesRead === 0) return;
      at += bytesRead;
      yield block.subarray(0, bytesRead);
    }
  }

  async #flush(): Promise<void> {
    if (this.#used > 0) await this.#handle.writeFile(this.#buffer.subarray(0, this.#used));
    this.#used = 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
  }
}
