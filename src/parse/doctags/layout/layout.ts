import type { Box } from '../../document.ts';
import type { Draft } from './draft.ts';
import type { OutlineEntry, PageContent, PageJump, PageLink } from './page/page-content.ts';
import type { PageView } from './page/page-view.ts';
import type { Findings, Pass } from './pass.ts';
import { DRAFT_PASSES } from './draft-passes.ts';
import { PAGE_PASSES } from './page-passes.ts';

/** All passes, in the order in which they run. */
export const PASSES: readonly Pass[] = [...PAGE_PASSES, ...DRAFT_PASSES];

/** A recognised document, before it is written as blocks. */
export interface Layout {
  readonly drafts: readonly Draft[];
  readonly vocabulary: ReadonlySet<string>;
  readonly columns: number;
  /** The share of pages on which a structure was taken back, because it would have lost text. */
  readonly doubtful: number;
  /** Links by page, where the layout sees them. */
  readonly links: ReadonlyMap<number, readonly PageLink[]>;
  readonly jumps: ReadonlyMap<number, readonly PageJump[]>;
  /** How each page was looked at. */
  readonly views: ReadonlyMap<number, PageView>;
}

/** Recognises the blocks of a document from the content of its pages; passes over drafts can be left out to see what they are worth. */
export function analyse(
  contents: readonly PageContent[],
  outline: readonly OutlineEntry[],
  information: string,
  without: readonly string[] = [],
): Layout {
  let found = begin(contents, outline, information);
  for (const pass of PASSES.filter(({ name }) => !without.includes(name))) found = { ...found, ...pass.run(found) };
  const { drafts, vocabulary, columns, pages, views, givenBack, takenBack } = found;
  const doubtful = pages.filter(({ number }) => (givenBack.get(number) ?? 0) + (takenBack.get(number) ?? 0) > 0).length;
  return {
    drafts,
    vocabulary,
    doubtful: doubtful / Math.max(1, pages.length),
    columns: median([...columns.values()].map(countColumns)),
    links: new Map(pages.map((page) => [page.number, page.links])),
    jumps: new Map(pages.map((page) => [page.number, page.jumps])),
    views,
  };
}

/** What is known before the first pass. */
export function begin(
  contents: readonly PageContent[],
  outline: readonly OutlineEntry[],
  information: string,
): Findings {
  // Each pass reads only what passes before it have given: a test holds that.
  return { contents, outline, information } as Findings;
}

function countColumns(parts: readonly { readonly box: Box }[]): number {
  return new Set(parts.map((part) => Math.round(part.box.left / 20))).size;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 1;
}
