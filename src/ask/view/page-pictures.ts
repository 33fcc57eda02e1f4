import { PdfInspector } from '../../parse/index.ts';

/** Pictures are small; what was drawn lately is not drawn again. */
const KEPT_BYTES = 32_000_000;
/** Pages that wait to be drawn: more than a person turns. */
const MOST_WAITING = 16;

/** Draws pages of PDFs when somebody looks at them, in a separate process. */
export class PagePictures implements Disposable {
  #inspector: PdfInspector | undefined;
  readonly #kept = new Map<string, Uint8Array>();
  #bytes = 0;
  #waiting = 0;

  /** A page as PNG; null where it cannot be drawn, undefined while too many others wait. */
  async draw(path: string, page: number, widthPixels: number): Promise<Uint8Array | null | undefined> {
    const key = `${page} ${widthPixels} ${path}`;
    const known = this.#kept.get(key);
    if (known) {
      this.#kept.delete(key);
      this.#kept.set(key, known);
      return known;
    }
    if (this.#waiting >= MOST_WAITING) return undefined;
    this.#waiting += 1;
    try {
      this.#inspector ??= new PdfInspector();
      const [drawn] = await this.#inspector.draw(path, { pages: [page], widthPixels });
      if (!drawn) return null;
      this.#keep(key, drawn.png);
      return drawn.png;
    } finally {
      this.#waiting -= 1;
    }
  }

  #keep(key: string, png: Uint8Array): void {
    this.#kept.set(key, png);
    this.#bytes += png.length;
    for (const [oldest, bytes] of this.#kept) {
      if (this.#bytes <= KEPT_BYTES) break;
      this.#kept.delete(oldest);
      this.#bytes -= bytes.length;
    }
  }

  [Symbol.dispose](): void {
    this.#inspector?.[Symbol.dispose]();
    this.#inspector = undefined;
  }
}
