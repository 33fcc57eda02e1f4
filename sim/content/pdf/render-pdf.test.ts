import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { sha256 } from '../../../src/base/index.ts';
import type { Block } from '../../../src/parse/index.ts';
import { paragraphs } from '../facts.ts';
import type { Paper } from '../paper.ts';
import { sampleSpec } from '../../../test/fixtures/sample-spec.ts';
import { truth } from '../truth.ts';
import { writePaper } from '../write-paper.ts';
import { openInPdfium } from '../../../test/fixtures/pdfium-reader.ts';
import type { PdfiumReader } from '../../../test/fixtures/pdfium-reader.ts';
import { renderPdf } from './render-pdf.ts';
import { STYLES } from './style.ts';
import type { Layout } from './style.ts';
import { skipWithout } from '../../../test/support/programs.ts';

// The other layouts need more than plain text extraction: see manners.test.ts.
const LAYOUTS = (Object.keys(STYLES) as Layout[]).filter((layout) => STYLES[layout].manner === 'plain');
const WITH_TEXT = LAYOUTS.filter((layout) => layout !== 'L7');
// One of each theme, four languages besides English, with and without an abstract.
const papers = [
  ...[0, 1, 2, 3, 4].map((index) => sampleSpec(index)),
  sampleSpec(5, { language: 'ru', topic: 'Battery electrolytes' }),
  sampleSpec(8, { language: 'ru', topic: 'Coral bleaching' }),
].map((spec) => writePaper(spec));
const [battery] = papers;
assert.ok(battery);
// For slow tests: two themes, and two languages with special letters.
const some = papers.filter((_paper, index) => index % 3 === 2 || index === 0);

const needsPoppler = { skip: skipWithout('pdftotext') };

const rendered = new Map<string, Promise<Uint8Array>>();

/** The file of one of the papers, made once for all tests that only read it. */
function fileOf(paper: Paper, layout: Layout): Promise<Uint8Array> {
  const name = `${papers.indexOf(paper)} ${layout}`;
  const made = rendered.get(name) ?? renderPdf(paper, layout);
  rendered.set(name, made);
  return made;
}

async function open(pdf: Uint8Array): Promise<PdfiumReader> {
  const reader = await openInPdfium(pdf);
  if (typeof reader === 'number') assert.fail(`PDFium refuses the file with code ${String(reader)}`);
  return reader;
}

function pdftotext(pdf: Uint8Array): string {
  const { stdout, stderr, status } = spawnSync('pdftotext', ['-raw', '-enc', 'UTF-8', '-', '-'], {
    input: pdf,
    maxBuffer: 1 << 26,
  });
  assert.equal(status, 0, stderr.toString());
  return stdout.toString();
}

/** Removes what line breaking adds: spaces, hyphens, and the marks that readers insert in hyphenated words. */
function squash(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.normalize('NFKC').replaceAll(/[\s\u0000-\u001f\u00ad\ufffe-]/g, '');
}

function oneLine(text: string): string {
  return text.normalize('NFKC').replaceAll(/\s+/g, ' ');
}

/** Planted sentences that are contiguous on a page, and the others, which may be interrupted. */
function plantedIn(
  paper: Paper,
  layout: Layout,
): { readonly whole: string[]; readonly broken: Paper['sections'][number]['blocks'] } {
  const blocks = truth(paper, layout).blocks.filter((block) => block.kind === 'text');
  const isWhole = (sentence: string): boolean =>
    blocks.some((block) => block.regions.length === 1 && block.text.includes(sentence));
  const all = paragraphs(paper);
  return {
    whole: all.map(({ fact }) => fact.sentence).filter(isWhole),
    broken: all.filter(({ fact }) => !isWhole(fact.sentence)),
  };
}

function assertPlanted(text: string, paper: Paper, layout: Layout): void {
  // If no word is hyphenated, the words must be separated as written.
  const flatten = STYLES[layout].hyphenate ? squash : oneLine;
  const flat = flatten(text);
  const squashed = squash(text);
  const { whole, broken } = plantedIn(paper, layout);
  assert.ok(whole.length > 5, `${String(whole.length)} sentences in one piece`);
  for (const sentence of whole) assert.ok(flat.includes(flatten(sentence)), `${layout}: ${sentence}`);
  for (const block of broken) {
    if (block.kind !== 'paragraph') continue;
    for (const part of [block.fact.nonce, ...block.fact.value.split(' ')])
      assert.ok(squashed.includes(squash(part)), `${layout}: ${part}`);
  }
}

for (const layout of WITH_TEXT) {
  test(`${layout} opens in PDFium and contains title, identifiers, notice, headings and planted facts`, async () => {
    for (const paper of papers) {
      const pdf = await fileOf(paper, layout);
      using reader = await open(pdf);
      assert.ok(reader.pageCount >= 2 && reader.pageCount <= 12, `${String(reader.pageCount)} pages`);
      assert.ok(pdf.length >= 20_000 && pdf.length <= 260_000, `${String(pdf.length)} bytes`);
      const pages = Array.from({ length: reader.pageCount }, (_unused, index) => reader.text(index + 1));
      assertPlanted(pages.join('\n'), paper, layout);
      for (const page of pages) assert.match(page, /Simulated document/);
      const first = squash(pages[0] ?? '');
      assert.ok(first.includes(squash(paper.spec.title)) && first.includes(squash(paper.spec.doi ?? '')));
      for (const { title } of paper.sections) assert.ok(squash(pages.join('')).includes(squash(title)), title);
      assert.equal(reader.meta('Title'), paper.spec.title);
      assert.match(reader.meta('Subject'), /^Simulated document/);
    }
  });

  test(`${layout} opens in pdftotext and contains its planted facts`, needsPoppler, async () => {
    for (const paper of some) assertPlanted(pdftotext(await fileOf(paper, layout)), paper, layout);
  });
}

const isText = (block: Block): boolean => block.kind !== 'picture' && block.kind !== 'table';

for (const layout of WITH_TEXT) {
  test(`the truth of ${layout} has the position of each block: PDFium finds its text in its regions`, async () => {
    for (const paper of some) {
      using reader = await open(await fileOf(paper, layout));
      const { blocks, pages } = truth(paper, layout);
      assert.equal(pages.length, reader.pageCount);
      for (const block of blocks.filter(isText)) {
        const found = block.regions
          .map(({ page, box }) => reader.textIn(page, { ...box, top: box.top + 1, bottom: box.bottom - 1 }))
          .join(' ');
        assert.ok(
          squash(found).includes(squash(block.text)),
          `${layout} ${block.kind}: expected ${block.text}\nfound ${found}`,
        );
      }
      for (const block of blocks) {
        if (block.kind !== 'table') continue;
        const [region] = block.regions;
        const found = squash(reader.textIn(region?.page ?? 0, region?.box ?? { left: 0, top: 0, right: 0, bottom: 0 }));
        const numbers = block.table.cells.filter((cell) => cell.kind === 'data');
        for (const cell of numbers) assert.ok(found.includes(cell.text), `${cell.text} in ${found}`);
      }
    }
  });
}

test('blocks do not overlap, and stay on their page', () => {
  for (const paper of papers) {
    for (const layout of LAYOUTS) {
      const { blocks, pages } = truth(paper, layout);
      const regions = blocks.flatMap((block) => block.regions.map((region) => ({ ...region, block })));
      for (const { page, box, block } of regions) {
        const { width, height } = pages[page - 1] ?? { width: 0, height: 0 };
        assert.ok(
          box.left >= 0 && box.top >= 0 && box.right <= width && box.bottom <= height,
          `${layout} ${block.text}`,
        );
      }
      for (const [index, one] of regions.entries()) {
        for (const other of regions.slice(index + 1)) {
          if (one.page !== other.page) continue;
          const across = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
          const down = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
          assert.ok(
            across < 0.5 || down < 0.5,
            `${layout}: ${one.block.kind} ${one.block.text} on ${other.block.kind} ${other.block.text}`,
          );
        }
      }
    }
  }
});

test('blocks are ordered down the columns, from left to right and from page to page', () => {
  for (const paper of papers) {
    for (const layout of LAYOUTS) {
      const { blocks, pages } = truth(paper, layout);
      const middle = (pages[0]?.width ?? 0) / 2;
      const flow = blocks.filter(({ kind }) => kind !== 'footnote' && kind !== 'page_header' && kind !== 'page_footer');
      const places = flow.map(({ regions: [first] }) => {
        assert.ok(first);
        // Right of the middle is the second column; blocks over both columns begin left of it.
        const column = STYLES[layout].columns === 2 && first.box.left > middle ? 1 : 0;
        return first.page * 100_000 + column * 10_000 + first.box.top;
      });
      assert.deepEqual(
        places,
        places.toSorted((a, b) => a - b),
        layout,
      );
    }
  }
});

test('L7 has pages but no text', async () => {
  using reader = await open(await renderPdf(battery, 'L7'));
  assert.equal(reader.pageCount, truth(battery, 'L7').pages.length);
  for (let page = 1; page <= reader.pageCount; page++) assert.equal(reader.text(page).trim(), '');
});

test('L8 has junk before its header and an outdated linearisation dictionary', async () => {
  const text = Buffer.from(await renderPdf(battery, 'L8')).toString('latin1');
  assert.ok(text.indexOf('%PDF-') > 250 && text.indexOf('%PDF-') < 1024);
  assert.match(text.slice(0, 1200), /\/Linearized 1/);
  assert.equal(text.split('%%EOF').length, 3);
});

test('L5 hyphenates words, L6 has footnotes and superscript citations, L2 keeps ligatures readable', async () => {
  const noted = Array.from({ length: 30 }, (_unused, index) => writePaper(sampleSpec(100 + index))).find(
    (paper) => paper.notes.length > 1,
  );
  assert.ok(noted);
  using five = await open(await renderPdf(noted, 'L5'));
  const pages = Array.from({ length: five.pageCount }, (_unused, index) => five.text(index + 1)).join('\n');
  // PDFium joins hyphenated words and puts U+FFFE where the hyphen was.
  assert.ok((pages.match(/\p{L}\ufffe\p{L}/gu) ?? []).length > 5, 'hyphenated words');
  const footnotes = truth(noted, 'L6').blocks.filter((block) => block.kind === 'footnote');
  assert.equal(footnotes.length, noted.notes.length);
  assert.equal(truth(noted, 'L1').blocks.filter((block) => block.kind === 'footnote').length, 0);
  using two = await open(await renderPdf(battery, 'L2'));
  const text = Array.from({ length: two.pageCount }, (_unused, index) => two.text(index + 1)).join('\n');
  assert.match(text.normalize('NFKC'), /efficiency|different|first|fluor/);
});

test('the same paper gives the same bytes in every layout', async () => {
  for (const layout of LAYOUTS) {
    const [one, other] = [await renderPdf(battery, layout), await renderPdf(battery, layout)];
    assert.ok(Buffer.from(one).equals(Buffer.from(other)), layout);
  }
});

test('a URL longer than a column is cut at the end of the line', async () => {
  const doi = `10.5555/(sici)1097-0142(19990101)85:1<1::aid-cncr1>3.0.co;2-1#${'x'.repeat(90)}`;
  const [first] = sampleSpec(0).references;
  assert.ok(first);
  const paper = writePaper(sampleSpec(0, { doi, references: [{ ...first, doi }] }));
  for (const layout of ['L2', 'L3', 'L5'] as const) {
    using reader = await open(await renderPdf(paper, layout));
    assert.ok(squash(reader.text(1)).includes(squash(doi)), 'in the imprint');
    const [entry] = truth(paper, layout).blocks.filter((block) => block.kind === 'reference');
    assert.ok(entry);
    const found = entry.regions
      .map(({ page, box }) => reader.textIn(page, { ...box, top: box.top + 1, bottom: box.bottom - 1 }))
      .join('');
    assert.ok(squash(found).includes(squash(doi)), found);
  }
});

test('bytes do not depend on earlier renderings: a fresh process gives the same', async () => {
  const program = [
    `import { renderPdf, writePaper } from ${JSON.stringify(new URL('../index.ts', import.meta.url).href)};`,
    `import { sampleSpec } from ${JSON.stringify(new URL('../../../test/fixtures/sample-spec.ts', import.meta.url).href)};`,
    `import { createHash } from 'node:crypto';`,
    `const paper = writePaper(sampleSpec(4));`,
    `for (const layout of ['L8', 'L2']) console.log(createHash('sha256').update(await renderPdf(paper, layout)).digest('hex'));`,
  ].join('\n');
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--conditions=docstokg-source', '--input-type=module', '--eval', program],
    { encoding: 'utf8' },
  );
  const paper = writePaper(sampleSpec(4));
  const here: string[] = [];
  for (const layout of ['L8', 'L2'] as const) here.push(sha256(await renderPdf(paper, layout)));
  assert.deepEqual(stdout.trim().split('\n'), here, stderr);
});

test('three hundred authors fit on the first page', async () => {
  const authors = Array.from({ length: 300 }, (_unused, index) => ({
    name: `Author Number${String(index)}`,
    affiliation: `Place ${String(index)}`,
  }));
  const paper = writePaper(sampleSpec(0, { authors }));
  using reader = await open(await renderPdf(paper, 'L5'));
  assert.match(reader.text(1), /and 286 others/);
  assert.match(reader.text(1), /Introduction/);
});

test('titles and names in any script can be rendered', async () => {
  const strange = writePaper(
    sampleSpec(11, {
      title: 'On 日本語, Ελληνικά, עברית, ﷺ, 𝒳 and "quotes" (\\) & <tags>',
      authors: [],
      references: [],
      abstract: '',
    }),
  );
  for (const layout of LAYOUTS) {
    using reader = await open(await renderPdf(strange, layout));
    assert.ok(reader.pageCount > 1);
  }
});
