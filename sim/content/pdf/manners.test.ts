import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePdf } from '../../../src/parse/doctags/pdf.ts';
import type { ParsedDocument } from '../../../src/parse/document.ts';
import { sampleSpec } from '../../../test/fixtures/sample-spec.ts';
import type { Paper } from '../paper.ts';
import { truth } from '../truth.ts';
import { writePaper } from '../write-paper.ts';
import { renderPdf } from './render-pdf.ts';
import type { Layout } from './style.ts';

const paper = writePaper(sampleSpec(2));
const oneLine = (text: string): string => text.normalize('NFKC').replaceAll(/\s+/g, ' ');

async function read(layout: Layout): Promise<ParsedDocument> {
  return parsePdf(await renderPdf(paper, layout));
}

/** Planted sentences missing in the body text. */
function lost(layout: Layout, { blocks }: ParsedDocument): string[] {
  const texts = blocks.filter(({ kind }) => kind === 'text').map(({ text }) => oneLine(text));
  return truth(paper, layout).facts.filter((fact) => !texts.some((text) => text.includes(oneLine(fact))));
}

for (const layout of ['L9', 'L11', 'L12', 'L15'] as const)
  test(`a paper in layout ${layout} keeps its title and sentences`, async () => {
    const document = await read(layout);
    assert.equal(document.metadata.title, paper.spec.title);
    assert.deepEqual(lost(layout, document), []);
  });

test('invisible text is removed and counted', async () => {
  const document = await read('L16');
  assert.deepEqual(lost('L16', document), []);
  const titles = document.blocks.filter(
    ({ kind, text }) => kind !== 'reference' && oneLine(text).includes(paper.spec.title),
  );
  assert.equal(titles.length, 1);
  assert.ok((document.metadata.characters?.hidden ?? 0) > 500);
});

test('the truth includes run-in headings, sections inside reference lists and captions with bars', () => {
  const headings = (of: Paper, layout: Layout): string[] =>
    truth(of, layout).blocks.flatMap(({ kind, text }) => (kind === 'heading' ? [text] : []));
  const parted = Array.from({ length: 12 }, (_unused, index) => writePaper(sampleSpec(index))).find(({ sections }) =>
    sections.some(({ level }) => level === 2),
  );
  assert.ok(parted);
  const second = parted.sections.filter(({ level }) => level === 2).map(({ title }) => `${title}.`);
  assert.ok(second.length > 0 && second.every((title) => headings(parted, 'L10').includes(title)));
  const kinds = truth(paper, 'L12').blocks.map(({ kind }) => kind);
  const between = kinds.slice(kinds.indexOf('reference'), kinds.lastIndexOf('reference'));
  assert.ok(between.includes('heading') && between.includes('text'));
  assert.ok(
    truth(paper, 'L15').blocks.some(({ kind, text }) => kind === 'caption' && /^(?:Fig\.|Table) 1 \|/.test(text)),
  );
});
