// Makes the pictures of docs/guides/doctags.md:  node scripts/layout-pictures.ts docs/pictures
// Six simulated papers, each set as some publisher sets, with what was recognised drawn on a page.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Layout } from '../sim/content/index.ts';
import { renderPdf, truth, writePaper } from '../sim/content/index.ts';
import { drawOverlay } from '../src/parse/doctags/formats/overlay-png.ts';
import { encodeSmallPng } from '../src/parse/doctags/layout/png.ts';
import { parsePdf, renderPage } from '../src/parse/doctags/pdf.ts';
import { sampleSpec } from '../test/fixtures/sample-spec.ts';

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error('usage: node scripts/layout-pictures.ts FOLDER');
  process.exit(2);
}
/** A layout, and what must stand on the page that is shown. */
const SHOWN: readonly (readonly [Layout, 'title' | 'table' | 'heading' | 'reference'])[] = [
  ['L9', 'title'],
  ['L10', 'heading'],
  ['L11', 'title'],
  ['L12', 'reference'],
  ['L13', 'table'],
  ['L15', 'table'],
];
/** Dots per point: small, and the kinds can still be told. */
const SCALE = 1;
const paper = Array.from({ length: 40 }, (_unused, index) => writePaper(sampleSpec(index))).find(({ sections }) => {
  const blocks = new Set(sections.flatMap((section) => section.blocks.map(({ kind }) => kind)));
  return blocks.has('table') && blocks.has('figure') && sections.some(({ level }) => level === 2);
});
if (!paper) throw new Error('no simulated paper has a table, a figure and a subsection');
for (const [layout, kind] of SHOWN) {
  const pdf = await renderPdf(paper, layout);
  const document = await parsePdf(pdf);
  const block = truth(paper, layout).blocks.findLast(
    (each) => each.kind === kind && (each.kind !== 'heading' || each.level === 2),
  );
  const page = block?.regions[0]?.page ?? 1;
  const picture = encodeSmallPng(drawOverlay(document, page, await renderPage(pdf, page, SCALE)));
  const file = join(folder, `layout-${layout.toLowerCase()}.png`);
  writeFileSync(file, picture);
  console.log(`${file}: page ${page}, ${Math.round(picture.length / 1000)} kB`);
}
