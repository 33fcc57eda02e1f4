import type { Block, Page } from '../../src/parse/index.ts';
import { paragraphs } from './facts.ts';
import { parseInlines, plainText } from './inline.ts';
import type { BodyBlock, Paper } from './paper.ts';
import { compose } from './pdf/compose.ts';
import type { Draft, Placed } from './pdf/flow.ts';
import { STYLES } from './pdf/style.ts';
import type { Layout } from './pdf/style.ts';
import { affiliationLine, authorLine } from './pdf/title-block.ts';
import { referenceText } from './references.ts';

export type Rendering = Layout | 'jats' | 'ojs' | 'arxiv';

/** The expected result of parsing a rendering. */
export interface Truth {
  /** In reading order. On a page, headers come first, footnotes and footers last. */
  readonly blocks: readonly Block[];
  /** Empty for renderings without pages. */
  readonly pages: readonly Page[];
  /** Planted sentences the text must contain; none for scanned pages. */
  readonly facts: readonly string[];
}

/** The expected result for one rendering, produced by the code that lays out the pages. */
export function truth(paper: Paper, rendering: Rendering): Truth {
  const facts = paragraphs(paper).map(({ fact }) => fact.sentence);
  if (!isLayout(rendering)) return { blocks: markupBlocks(paper, rendering), pages: [], facts };
  const style = STYLES[rendering];
  const pages = compose(paper, style);
  const placed = pages.flatMap((page) => [...page.headers, ...page.blocks, ...page.footnotes, ...page.footers]);
  return {
    blocks: number(placed),
    pages: pages.map((_page, index) => ({ number: index + 1, width: style.page[0], height: style.page[1] })),
    facts: rendering === 'L7' ? [] : facts,
  };
}

function isLayout(rendering: Rendering): rendering is Layout {
  return Object.hasOwn(STYLES, rendering);
}

function number(placed: readonly Placed[]): Block[] {
  const orders = new Map(placed.map((block, order) => [block, order]));
  return placed.map((block, order) => {
    const parent = block.parent && orders.get(block.parent);
    return { ...block.draft, order, regions: block.regions, ...(parent !== undefined && { parent }) };
  });
}

function markupBlocks(paper: Paper, rendering: Exclude<Rendering, Layout>): Block[] {
  const { spec, labels } = paper;
  const out: Placed[] = [];
  const add = (draft: Draft): void => {
    out.push({ draft, regions: [] });
  };
  const isPage = rendering === 'ojs' || rendering === 'arxiv';
  add({ kind: 'title', text: spec.title });
  if (isPage) {
    // The page lists every author; the printed line may cut a long list.
    add({ kind: 'text', text: authorLine(paper, Number.POSITIVE_INFINITY) });
    const places = affiliationLine(paper);
    if (rendering === 'ojs' && places !== '') add({ kind: 'text', text: places });
  }
  if (rendering === 'ojs') add({ kind: 'text', text: `${labels.keywords}: ${paper.keywords.join(', ')}` });
  if (spec.abstract) {
    if (isPage) add({ kind: 'heading', text: labels.abstract, level: 1 });
    add({ kind: 'text', text: spec.abstract });
  }
  for (const section of paper.sections) {
    const text = rendering === 'arxiv' ? `${section.number} ${section.title}` : section.title;
    add({ kind: 'heading', text, level: section.level });
    for (const block of section.blocks) out.push(...bodyBlocks(block, paper));
  }
  for (const note of paper.notes) add({ kind: 'footnote', text: note });
  if (paper.references.length > 0) {
    add({ kind: 'heading', text: labels.references, level: 1 });
    for (const entry of paper.references) {
      add({
        kind: 'reference',
        text: referenceText(entry),
        label: String(entry.number),
        ...(entry.doi && { doi: entry.doi }),
      });
    }
  }
  return number(out);
}

function bodyBlocks(block: BodyBlock, { labels }: Paper): Placed[] {
  const placed = (draft: Draft, parent?: Placed): Placed => ({ draft, regions: [], ...(parent && { parent }) });
  switch (block.kind) {
    case 'paragraph':
      return [placed({ kind: 'text', text: plainText(block.inlines, 'bracket', true) })];
    case 'list':
      return block.items.map((item, index) => {
        const marker = block.ordered ? `${String(index + 1)}.` : '•';
        return placed({ kind: 'list_item', text: plainText(item), ordered: block.ordered, marker, depth: 0 });
      });
    case 'formula':
      return [placed({ kind: 'formula', text: `${plainText(parseInlines(block.plain))} (${String(block.number)})` })];
    case 'figure': {
      const picture = placed({ kind: 'picture', text: '' });
      return [
        picture,
        placed({ kind: 'caption', text: `${labels.figure} ${String(block.number)}. ${block.caption}` }, picture),
      ];
    }
    case 'table': {
      const table = placed({ kind: 'table', text: '', table: block.table });
      return [
        placed({ kind: 'caption', text: `${labels.table} ${String(block.number)}. ${block.caption}` }, table),
        table,
      ];
    }
  }
}
