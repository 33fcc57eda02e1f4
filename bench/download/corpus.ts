import { randomFillSync } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The files of a static site: PDFs that a reader opens, of the sizes that papers have. */
export interface Corpus {
  readonly folder: string;
  readonly files: number;
  readonly bytes: number;
}

/** Mean size of a file; the spread is that of papers in repositories. */
const MEAN_BYTES = 960_000;
const SIGMA = 0.9;
const SMALLEST = 20_000;
const LARGEST = 20_000_000;

/** Log-normal sizes, the same in every run. */
export function corpusSizes(files: number): number[] {
  let state = 12_345;
  const uniform = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state + 1) / 2 ** 32;
  };
  const median = MEAN_BYTES / Math.exp(SIGMA ** 2 / 2);
  return Array.from({ length: files }, () => {
    const normal = Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
    return Math.min(LARGEST, Math.max(SMALLEST, Math.round(median * Math.exp(SIGMA * normal))));
  });
}

/** The title by which file `number` is recognised. */
export function titleOf(number: number): string {
  return `Measured transfer of document number ${number} over the loopback interface`;
}

/** Writes the files. `sizes` may be short: names go from 0.pdf on. */
export function writeCorpus(folder: string, sizes: readonly number[]): Corpus {
  mkdirSync(folder, { recursive: true });
  // What fills them is random, as packed images are; the same bytes do for all.
  const filling = randomFillSync(Buffer.alloc(Math.max(...sizes)));
  let bytes = 0;
  for (const [number, size] of sizes.entries()) {
    const document = pdfOf(titleOf(number), filling, size);
    writeFileSync(join(folder, `${number}.pdf`), document);
    bytes += document.length;
  }
  return { folder, files: sizes.length, bytes };
}

/** Three pages with a line of text each, and an object that nothing refers to which makes it as large as wanted. */
export function pdfOf(title: string, filling: Buffer, size: number): Buffer {
  const lines = [title, 'Methods and results of the measurement, which nobody reads', 'References'];
  const text = lines.map((line) => `BT /F1 12 Tf 40 700 Td (${line}. ${'Words that fill a line. '.repeat(10)}) Tj ET`);
  const objects: Buffer[] = [
    Buffer.from('<< /Type /Catalog /Pages 2 0 R >>'),
    Buffer.from('<< /Type /Pages /Kids [4 0 R 5 0 R 6 0 R] /Count 3 >>'),
    Buffer.from('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'),
    ...lines.map((_, page) =>
      Buffer.from(
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${7 + page} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
      ),
    ),
    ...text.map((stream) => Buffer.from(`<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`)),
  ];
  const rest = Math.max(0, size - 3_000);
  objects.push(
    Buffer.concat([
      Buffer.from(`<< /Length ${rest} >>\nstream\n`),
      filling.subarray(0, rest),
      Buffer.from('\nendstream'),
    ]),
  );
  const pieces: Buffer[] = [Buffer.from('%PDF-1.7\n%\u00E2\u00E3\n')];
  let at = pieces[0]?.length ?? 0;
  const offsets: number[] = [];
  for (const [index, object] of objects.entries()) {
    const piece = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), object, Buffer.from('\nendobj\n')]);
    offsets.push(at);
    at += piece.length;
    pieces.push(piece);
  }
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  pieces.push(
    Buffer.from(
      `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${at}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(pieces);
}
