import type { JsonlWriter } from '../../base/index.ts';

/** Lines that have gathered to this length are written without being asked for. */
const ENOUGH_CHARACTERS = 1 << 16;

/** Lines that wait for one writer. A write takes all that have gathered, so the lock and the disk are paid for once. */
export class LineGroup implements AsyncDisposable {
  readonly #open: () => Promise<JsonlWriter>;
  #writer: Promise<JsonlWriter> | undefined;
  /** One growing string: it is flattened once per write, where many lines would be joined. */
  #text = '';
  #writing: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;
  pending = 0;

  constructor(open: () => Promise<JsonlWriter>) {
    this.#open = open;
  }

  add(line: string): void {
    this.#text += line;
    this.pending += 1;
    if (this.#text.length >= ENOUGH_CHARACTERS) this.#writing ??= this.#write();
  }

  async #write(): Promise<void> {
    try {
      this.#writer ??= this.#open();
      const writer = await this.#writer;
      while (this.#text !== '') {
        const text = this.#text;
        const lines = this.pending;
        this.#text = '';
        await writer.appendLines(text);
        this.pending -= lines;
      }
    } catch (error) {
      this.#failure = { error };
    }
    this.#writing = undefined;
  }

  /** Writes what has gathered. A line that could not be written is thrown, and again each time: it must not be skipped. */
  async flush(): Promise<void> {
    if (!this.#failure && this.#text !== '') this.#writing ??= this.#write();
    await this.#writing;
    if (this.#failure) throw this.#failure.error;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#failure && this.#text !== '') this.#writing ??= this.#write();
    await this.#writing;
    await (await this.#writer)?.[Symbol.asyncDispose]();
  }
}
