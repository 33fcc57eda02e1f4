import type { JsonlWriter } from '../base/index.ts';

/** Lines that wait for one writer; the next write takes all that have gathered. */
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
    this.#writing ??= this.#write();
  }

  async #write(): Promise<void> {
    // One turn of the loop lets everything that ends now share the write.
    await new Promise(setImmediate);
    try {
      this.#writer ??= this.#open();
      const writer = await this.#writer;
      while (this.pending > 0) {
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

  async flush(): Promise<void> {
    await this.#writing;
    // A row that could not be written is the end of the run: it must not go on as if it had been.
    if (this.#failure) throw this.#failure.error;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writing;
    await (await this.#writer)?.[Symbol.asyncDispose]();
  }
}
