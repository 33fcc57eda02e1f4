import { closeSync, fdatasync, openSync, rmSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';

import { commitPart, partPath } from '../../base/index.ts';

const syncData = promisify(fdatasync);
const PIECE_LENGTH = 65_536;

/** A text file that is written piece by piece and has its name only once it is whole. */
export class AtomicText implements Disposable {
  readonly #path: string;
  readonly #part: string;
  #descriptor: number | undefined;
  #pieces: string[] = [];
  #length = 0;

  constructor(path: string) {
    this.#path = path;
    this.#part = partPath(path);
    this.#descriptor = openSync(this.#part, 'wx');
  }

  write(text: string): void {
    this.#pieces.push(text);
    this.#length += text.length;
    if (this.#length >= PIECE_LENGTH) this.#flush();
  }

  /** Makes it durable under its name. */
  async commit(): Promise<void> {
    this.#flush();
    if (this.#descriptor === undefined) return;
    await syncData(this.#descriptor);
    closeSync(this.#descriptor);
    this.#descriptor = undefined;
    await commitPart(this.#part, this.#path);
  }

  /** Removes what was not committed. */
  [Symbol.dispose](): void {
    if (this.#descriptor === undefined) return;
    closeSync(this.#descriptor);
    this.#descriptor = undefined;
    rmSync(this.#part, { force: true });
  }

  #flush(): void {
    if (this.#descriptor === undefined || this.#length === 0) return;
    const bytes = Buffer.from(this.#pieces.join(''));
    this.#pieces = [];
    this.#length = 0;
    for (let written = 0; written < bytes.length;) written += writeSync(this.#descriptor, bytes, written);
  }
}
