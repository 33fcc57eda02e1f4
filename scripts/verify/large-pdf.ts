import { randomBytes } from 'node:crypto';
import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

import { encodePng } from '../../src/parse/doctags/layout/output/png.ts';
import { line, makePdf, paragraph, prose } from '../../test/support/make-pdf.ts';
import { parseMany } from '../../test/support/parse-many.ts';

// npm run large:pdf: parses a PDF of 500 pages and one of 50 MB, each in a separate process; exit 1 above 1 GB.
const LIMIT_MEGABYTES = 1_024;
using temporary = mkdtempDisposableSync(join(tmpdir(), 'large-pdf-'));
const folder = temporary.path;
const pages = join(folder, '500-pages.pdf');
const words = prose(30);
writeFileSync(
  pages,
  await makePdf((pdf) => {
    for (let page = 1; page <= 500; page += 1) {
      if (page > 1) pdf.addPage();
      line(pdf, `${page} Section ${page}`, { x: 72, y: 72, size: 14, font: 'Times-Bold' });
      paragraph(pdf, `${words} ${words}`.slice(0, 3_000), { x: 72, y: 100, width: 468 });
    }
  }),
);
const bytes = join(folder, '50-megabytes.pdf');
// Noise does not compress: twelve images of four megabytes each and more.
const side = 1_200;
writeFileSync(
  bytes,
  await makePdf((pdf) => {
    for (let page = 1; page <= 12; page += 1) {
      if (page > 1) pdf.addPage();
      const rgba = new Uint8Array(randomBytes(side * side * 4));
      pdf.image(Buffer.from(encodePng({ width: side, height: side, rgba })), 72, 72, { width: 400 });
      paragraph(pdf, words, { x: 72, y: 520, width: 468 });
    }
  }),
);
const results = await parseMany([pages, bytes], {
  deadlineMs: 300_000,
  maxMemoryBytes: LIMIT_MEGABYTES * 1024 * 1024,
  children: 1,
});
let failed = 0;
for (const result of results) {
  const good = result.code === 'ok' && 'peakMegabytes' in result && result.peakMegabytes < LIMIT_MEGABYTES;
  if (!good) failed += 1;
  console.log(`${basename(result.file)}: ${JSON.stringify({ ...result, file: undefined })}${good ? '' : '  MISSED'}`);
}
process.exitCode = failed > 0 || results.length < 2 ? 1 : 0;
