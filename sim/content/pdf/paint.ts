import PdfKit from 'pdfkit';
import { SIMULATED } from '../paper.ts';
import type { Paper } from '../paper.ts';
import type { Font } from './embedded-font.ts';
import type { Op, Word } from './lines.ts';
import { greyPng } from './png.ts';

/** Creates a document whose bytes depend only on its content: dates, producer and id are fixed. */
export function openDocument(paper: Paper): PDFKit.PDFDocument {
  const { spec } = paper;
  const date = new Date(Date.UTC(spec.year, 0, 15));
  return new PdfKit({
    autoFirstPage: false,
    // No default font: parsing Helvetica's metrics would take longer than writing a page.
    font: '',
    lang: paper.language,
    displayTitle: true,
    info: {
      Title: spec.title,
      Author: spec.authors
        .map(({ name }) => name)
        .slice(0, 20)
        .join(', '),
      Subject: spec.doi ? `${SIMULATED}, doi:${spec.doi}` : SIMULATED,
      Keywords: paper.keywords.join(', '),
      Creator: 'DocsToKG simulator',
      Producer: 'DocsToKG simulator',
      CreationDate: date,
      ModDate: date,
    },
  });
}

export async function collect(document: PDFKit.PDFDocument): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  document.on('data', (chunk: Uint8Array) => chunks.push(chunk));
  document.on('end', resolve);
  document.on('error', reject);
  document.end();
  await promise;
  return new Uint8Array(Buffer.concat(chunks));
}

/** Paints pages. Text is written with our own operators, ten times faster than shaping it again in pdfkit. */
export class Painter {
  readonly #document: PDFKit.PDFDocument;
  readonly #spaces: boolean;
  readonly #fonts = new Map<Font, { readonly id: string; readonly reference: ReturnType<Font['embed']> }>();

  constructor(document: PDFKit.PDFDocument, spaces: boolean) {
    this.#document = document;
    this.#spaces = spaces;
  }

  page(size: readonly [number, number], ops: readonly Op[]): void {
    const document = this.#document;
    document.addPage({ size: [...size], margin: 0 });
    for (const op of ops) {
      switch (op.kind) {
        case 'text':
          document.addContent(hide(this.#text(op.words, op.x, op.y, op.gap), op.hidden));
          break;
        case 'path': {
          const points = op.points.map(([x, y], index) => `${short(x)} ${short(y)} ${index === 0 ? 'm' : 'l'}`);
          document.addContent(`${short(op.grey)} G ${short(op.width)} w ${points.join(' ')} S`);
          break;
        }
        case 'area':
          document.addContent(
            `${short(op.grey)} g ${short(op.x)} ${short(op.y)} ${short(op.width)} ${short(op.height)} re f 0 g`,
          );
          break;
        case 'picture':
          document.image(greyPng(op.pixels, op.columns), op.x, op.y, { width: op.width, height: op.height });
          break;
      }
    }
  }

  /** One line of text. pdfkit flips the y axis, so the text matrix flips the letters back. */
  #text(words: readonly Word[], x: number, y: number, gap: number): string {
    let out = `BT 1 0 0 -1 ${short(x)} ${short(y)} Tm`;
    let state = '';
    let open = false;
    words.forEach((word, index) => {
      word.pieces.forEach((piece, part) => {
        const next = `/${this.#use(piece.font)} ${short(piece.size)} Tf ${short(piece.rise)} Ts`;
        if (next !== state) {
          out += `${open ? ']TJ ' : ' '}${next} [`;
          open = true;
          state = next;
        }
        const shaped = piece.font.shape(piece.text);
        out += shaped.show;
        if (part < word.pieces.length - 1 || index === words.length - 1) return;
        if (this.#spaces && piece.font.has(0x20)) {
          const space = piece.font.shape(' ');
          out += `${space.show}${String(Math.round(space.width - (gap * 1000) / piece.size))}`;
        } else {
          out += String(Math.round((-gap * 1000) / piece.size));
        }
      });
    });
    return `${out}${open ? ']TJ' : ''} ET`;
  }

  #use(font: Font): string {
    let used = this.#fonts.get(font);
    if (!used) {
      used = { id: `S${String(this.#fonts.size + 1)}`, reference: font.embed(this.#document) };
      this.#fonts.set(font, used);
    }
    const fonts = this.#document.page.fonts as Record<string, unknown>;
    fonts[used.id] ??= used.reference;
    return used.id;
  }
}

/** Makes the same operators invisible. */
function hide(text: string, how: 'no-ink' | 'white' | 'clipped' | undefined): string {
  switch (how) {
    case undefined:
      return text;
    case 'no-ink':
      return `q 3 Tr ${text} Q`;
    case 'white':
      return `q 1 g ${text} Q`;
    case 'clipped':
      return `q 0 0 20 20 re W n ${text} Q`;
  }
}

function short(value: number): string {
  return String(Math.round(value * 100) / 100);
}
