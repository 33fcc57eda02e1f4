/** A PDF object reference. */
export type PdfObject = ReturnType<PDFKit.PDFDocument['ref']>;

/** A shaped word: its width in thousandths of the size, and its TJ content. */
interface Shaped {
  readonly width: number;
  readonly show: string;
}

/** A font. Shaped words are cached for the life of the process, which makes rendering fast. */
export interface Font {
  readonly name: string;
  has(codePoint: number): boolean;
  shape(text: string): Shaped;
  /** Writes the font objects into a document. */
  embed(document: PDFKit.PDFDocument): PdfObject;
}

/** Caches shaped words; bounded, because every nonce is a new word. */
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
