import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SaxesParser } from 'saxes';
import { parse as parseHtml } from 'parse5';
import type { Block } from '../../../src/parse/index.ts';
import { sampleSpec } from '../../../test/fixtures/sample-spec.ts';
import { truth } from '../truth.ts';
import { writePaper } from '../write-paper.ts';
import { renderHtml } from './html.ts';
import { renderJats } from './jats.ts';
import { renderTei } from './tei.ts';

interface Node {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: (Node | string)[];
}

/** Parses XML strictly; throws at the first error, also for an undeclared prefix. */
function read(xml: string): Node {
  const root: Node = { name: '', attributes: {}, children: [] };
  const open: Node[] = [root];
  const parser = new SaxesParser({ xmlns: true });
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', (tag) => {
    const attributes = Object.fromEntries(Object.entries(tag.attributes).map(([key, { value }]) => [key, value]));
    const node: Node = { name: tag.name, attributes, children: [] };
    open.at(-1)?.children.push(node);
    open.push(node);
  });
  parser.on('text', (text) => {
    open.at(-1)?.children.push(text);
  });
  parser.on('closetag', () => {
    open.pop();
  });
  parser.write(xml).close();
  assert.equal(open.length, 1);
  return root;
}

function all(node: Node, name: string): Node[] {
  return node.children.flatMap((child) =>
    typeof child === 'string' ? [] : [...(child.name === name ? [child] : []), ...all(child, name)],
  );
}

const textOf = (node: Node | string): string => (typeof node === 'string' ? node : node.children.map(textOf).join(''));
const squash = (text: string): string => text.replaceAll(/\s+/g, '');

const nasty = {
  title: 'A < B & "C": x > y\u0000',
  journal: 'Letters & Notes',
  doi: '10.5555/(sici)1<1::aid-a>3.0.co;2-1#%',
};
const papers = [
  ...Array.from({ length: 12 }, (_unused, index) => sampleSpec(index)),
  sampleSpec(12, nasty),
  sampleSpec(13, { language: 'ru', topic: 'Coral bleaching' }),
  sampleSpec(14, { authors: [], references: [], abstract: '' }),
].map((spec) => writePaper(spec));

/** The truth's blocks must occur in the text one after the other. */
function assertInOrder(text: string, blocks: readonly Block[]): void {
  const whole = squash(text);
  let at = 0;
  for (const block of blocks) {
    if (block.kind === 'picture' || block.kind === 'formula' || block.kind === 'reference' || block.kind === 'caption')
      continue;
    const parts = block.kind === 'table' ? block.table.cells.map((cell) => cell.text) : [block.text];
    for (const part of parts) {
      const found = whole.indexOf(squash(part), at);
      assert.ok(found >= 0, `${block.kind} out of place or missing: ${part}`);
      at = found + squash(part).length;
    }
  }
}

test('JATS is well-formed with front, body and back', () => {
  for (const paper of papers) {
    const xml = renderJats(paper);
    const [article] = all(read(xml), 'article');
    assert.ok(article);
    assert.equal(article.attributes['dtd-version'], '1.3');
    const parts = article.children.filter((child) => typeof child !== 'string').map(({ name }) => name);
    assert.deepEqual(parts, ['front', 'body', 'back']);
    const ids = new Map(all(article, 'article-id').map((node) => [node.attributes['pub-id-type'], textOf(node)]));
    assert.equal(ids.get('doi'), paper.spec.doi);
    assert.equal(ids.get('pmcid'), paper.spec.pmcid);
    assert.equal(ids.get('pmcid-ver'), `${paper.spec.pmcid ?? ''}.1`);
    assert.equal(ids.get('pmid'), paper.spec.pmid);
    assert.equal(all(article, 'license')[0]?.attributes['xlink:href'], 'https://creativecommons.org/licenses/by/4.0/');
    assert.equal(all(article, 'contrib').length, paper.spec.authors.length);
    assert.equal(all(article, 'ref').length, paper.references.length);
    assert.equal(all(article, 'sec').length, paper.sections.length);
    assert.match(xml, /Simulated document/);
    const [body] = all(article, 'body');
    assert.ok(body);
    const nested = all(body, 'sec').flatMap((section) =>
      section.children.filter((child) => typeof child !== 'string' && child.name === 'sec'),
    );
    assert.equal(nested.length, paper.sections.filter(({ level }) => level === 2).length);
    const targets = new Set([...xml.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]));
    for (const { attributes } of all(article, 'xref')) assert.ok(targets.has(attributes['rid']), attributes['rid']);
  }
});

test('JATS tables keep their spans', () => {
  const spans = (name: 'colspan' | 'rowspan'): number =>
    papers
      .flatMap((paper) => all(read(renderJats(paper)), 'table'))
      .flatMap((table) => [...all(table, 'th'), ...all(table, 'td')])
      .filter(({ attributes }) => attributes[name]).length;
  const known = (key: 'columnSpan' | 'rowSpan'): number =>
    papers
      .flatMap((paper) => truth(paper, 'jats').blocks)
      .flatMap((block) => (block.kind === 'table' ? block.table.cells : []))
      .filter((cell) => cell[key] > 1).length;
  assert.ok(known('columnSpan') > 0 && known('rowSpan') > 0);
  assert.equal(spans('colspan'), known('columnSpan'));
  assert.equal(spans('rowspan'), known('rowSpan'));
});

test('JATS without a body keeps the front matter only', () => {
  for (const paper of papers) {
    const [article] = all(read(renderJats(paper, { body: false })), 'article');
    assert.ok(article);
    assert.equal(all(article, 'body').length, 0);
    assert.equal(all(article, 'p').filter((node) => node.attributes['id']).length, 0);
    assert.equal(
      squash(textOf(all(article, 'article-title')[0] ?? '')),
      squash(paper.spec.title.replace('\u0000', '')),
    );
  }
});

test('TEI is well-formed and has the form of GROBID', () => {
  for (const paper of papers) {
    const root = read(renderTei(paper));
    const [tei] = all(root, 'TEI');
    assert.equal(tei?.attributes['xmlns'], 'http://www.tei-c.org/ns/1.0');
    const [body] = all(root, 'body');
    assert.ok(body);
    assert.equal(all(body, 'div').length, paper.sections.length);
    assert.equal(all(root, 'listBibl').flatMap((list) => all(list, 'biblStruct')).length, paper.references.length);
    for (const fact of truth(paper, 'jats').facts) assert.ok(squash(textOf(body)).includes(squash(fact)), fact);
  }
});

test('HTML is well-formed XML and has no HTML parse errors', () => {
  for (const paper of papers) {
    for (const style of ['ojs', 'arxiv'] as const) {
      const html = renderHtml(paper, style);
      const root = read(html);
      assert.equal(all(root, 'article').length, 1);
      assert.ok(all(root, 'nav').length > 0 && all(root, 'footer').length === 1, 'has boilerplate');
      assert.match(html, /Simulated document/);
      const faults: string[] = [];
      parseHtml(html, { onParseError: ({ code }) => faults.push(code) });
      assert.deepEqual(faults, []);
    }
  }
});

for (const rendering of ['jats', 'ojs', 'arxiv'] as const) {
  test(`the truth of ${rendering} lists every block in document order with all planted facts`, () => {
    for (const paper of papers.filter(({ spec }) => spec.journal !== nasty.journal)) {
      const { blocks, facts, pages } = truth(paper, rendering);
      const markup = rendering === 'jats' ? renderJats(paper) : renderHtml(paper, rendering);
      const root = read(markup);
      const text = textOf(rendering === 'ojs' || rendering === 'arxiv' ? (all(root, 'article')[0] ?? '') : root);
      for (const fact of facts) assert.ok(squash(text).includes(squash(fact)), fact);
      // Front matter is ordered by its schema, the body by the paper.
      const first = blocks.findIndex(
        (block) => block.kind === 'heading' && block.text.includes(paper.sections[0]?.title ?? ''),
      );
      const last = blocks.findIndex((block) => block.kind === 'footnote' || block.kind === 'reference');
      assertInOrder(text, blocks.slice(first, last < 0 ? undefined : last));
      assert.equal(pages.length, 0);
      assert.deepEqual(
        blocks.map(({ order }) => order),
        blocks.map((_block, index) => index),
      );
      for (const block of blocks) {
        if (block.kind !== 'caption') continue;
        assert.match(blocks[block.parent ?? -1]?.kind ?? '', /^(?:table|picture)$/);
      }
    }
  });
}
