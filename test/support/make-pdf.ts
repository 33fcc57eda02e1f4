import Pdf from 'pdfkit';

type PdfDocument = InstanceType<typeof Pdf>;

/** Makes a PDF of Letter pages in memory; the same drawing gives the same pages. */
export async function makePdf(
  draw: (document: PdfDocument) => void,
  options: Record<string, unknown> = {},
): Promise<Uint8Array> {
  const document = new Pdf({ size: [612, 792], margin: 0, ...options });
  const chunks: Uint8Array[] = [];
  document.on('data', (chunk: Uint8Array) => chunks.push(chunk));
  const ended = new Promise((resolve) => document.on('end', resolve));
  draw(document);
  document.end();
  await ended;
  return Buffer.concat(chunks);
}

/** Sets a paragraph, justified, and answers where the next line would stand. */
export function paragraph(
  document: PdfDocument,
  text: string,
  place: { x: number; y: number; width: number; size?: number; font?: string; indent?: number },
): number {
  document
    .font(place.font ?? 'Times-Roman')
    .fontSize(place.size ?? 10)
    .text(text, place.x, place.y, { width: place.width, align: 'justify', indent: place.indent ?? 0, lineGap: 2 });
  return document.y;
}

/** One line of text at a place, without wrapping. */
export function line(
  document: PdfDocument,
  text: string,
  place: { x: number; y: number; size?: number; font?: string },
): void {
  document
    .font(place.font ?? 'Times-Roman')
    .fontSize(place.size ?? 10)
    .text(text, place.x, place.y, { lineBreak: false });
}

const WORDS =
  'the quick study of rivers shows that water carries sand and clay over long distances while slow currents let small grains settle in broad plains where farmers later grow wheat and barley for distant towns along the coast'.split(
    ' ',
  );

/** Sentences of common words, different for each seed, so that no two paragraphs are alike. */
export function prose(sentences: number, seed = 1): string {
  let state = seed * 7919;
  const next = (limit: number): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state % limit;
  };
  return Array.from({ length: sentences }, () => {
    const words = Array.from({ length: 10 + next(8) }, () => WORDS[next(WORDS.length)] ?? 'water');
    const [first = 'water', ...rest] = words;
    return `${first[0]?.toUpperCase()}${first.slice(1)} ${rest.join(' ')}.`;
  }).join(' ');
}
