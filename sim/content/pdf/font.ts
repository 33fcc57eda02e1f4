/** An object of the file being written. */
export type PdfObject = ReturnType<PDFKit.PDFDocument['ref']>;

/** A word ready to be shown: its width in thousandths of the size, and what stands between the brackets of a TJ. */
interface Shaped {
  readonly width: number;
  readonly show: string;
}

/** One font program. Shaping is remembered for the life of the process, which is what makes rendering cheap. */
export interface Font {
  readonly name: string;
  has(codePoint: number): boolean;
  shape(text: string): Shaped;
  /** Writes the font's objects into a document. */
  embed(document: PDFKit.PDFDocument): PdfObject;
}

/** Remembers what was made of a word; the bound keeps a long-running simulator from growing with every nonce it ever set. */
export function remembered<T extends object>(shape: (text: string) => T, most = 20_000): (text: string) => T {
  const cache = new Map<string, T>();
  return (text) => {
    let shaped = cache.get(text);
    if (!shaped) {
      shaped = shape(text);
      if (cache.size >= most) cache.clear();
      cache.set(text, shaped);
    }
    return shaped;
  };
}
