import type { Passages, WholeDocument } from '../answers.ts';
import { isTable } from '../excerpt.ts';
import { marked } from '../marked.ts';
import type { View } from '../scene.ts';
import { html } from '../scene.ts';

/** A block of a document as the page receives it. */
export type Block = WholeDocument['blocks'][number];

/** What can be listed beside a page. */
export type Listed = 'passages' | 'blocks' | 'headings';

/** A line beside the page, and the blocks on the page that it stands for. */
export interface Entry {
  readonly id: string;
  readonly head: string;
  readonly tone: string;
  readonly text: View;
  readonly blocks: readonly number[];
  readonly page: number | undefined;
}

/** The lines beside a page: what was chosen to be listed, of this page or of the whole document. */
export function entriesOf(props: {
  readonly mode: Listed;
  readonly found: WholeDocument;
  readonly passages: Passages['items'];
  readonly page: number;
  readonly query: URLSearchParams;
}): Entry[] {
  const { mode, found, passages, page, query } = props;
  const isFlow = found.pages.length === 0;
  const here = ({ regions }: Block): boolean => isFlow || regions.some((region) => region.page === page);
  const words = query.get('words') ?? '';
  if (mode === 'passages') {
    const onPage = new Set(found.blocks.filter(here).map(({ order }) => order));
    return passages.flatMap(({ id, headings, text, blocks, page: on }, at) =>
      on === page || blocks.some((block) => onPage.has(block))
        ? [
            {
              id,
              head: [at + 1, ...(isTable(text) ? ['a table'] : headings.slice(-2))].join(' · '),
              tone: 'passage',
              text: marked(text.replaceAll(/\n{2,}/g, '\n'), words),
              blocks,
              page: undefined,
            },
          ]
        : [],
    );
  }
  const isListed: Readonly<Record<Exclude<Listed, 'passages'>, (block: Block) => boolean>> = {
    blocks: here,
    headings: ({ tag }) => tag === 'heading' || tag === 'title',
  };
  return found.blocks.filter(isListed[mode]).map((block) => {
    const on = block.regions[0]?.page;
    const blockText = block.text === '' ? (block.caption ?? '') : block.text;
    const [start, end] = ['start', 'end'].map((name) => Number(query.get(name)));
    const isQuoted = String(block.order) === query.get('block') && block.rows === null && (end ?? 0) > 0;
    const quoted = [blockText.slice(0, start), html`<mark>${blockText.slice(start, end)}</mark>`, blockText.slice(end)];
    return {
      id: String(block.order),
      head: `${block.order} ${tagName(block)}${on === undefined || mode === 'blocks' ? '' : `, page ${on}`}`,
      tone: toneOf(block),
      text: isQuoted ? quoted : blockText === '' ? '(no text)' : marked(blockText, words),
      blocks: [block.order],
      page: on,
    };
  });
}

/** What a block is, in words. */
export function tagName({ tag, level }: Block): string {
  return `${tag.replace('_', ' ')}${level === null ? '' : ` ${level}`}`;
}

/** The class that colours a block. */
export function toneOf({ tag }: Block): string {
  return `block-${tag.split('_')[0]}`;
}
