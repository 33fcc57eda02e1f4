import type { Box } from '../../document.ts';
import type { Draft } from './draft.ts';
import type { BodyType, ColumnPiece } from './page/column.ts';
import type { PictureLabels } from './page/figure.ts';
import type { OutlineEntry, PageContent, Rule } from './page/page-content.ts';
import type { PageView } from './page/page-view.ts';
import type { Line, Segment, Setting } from './page/segment.ts';

/** What was found on each page, by its number. */
export type ByPage<T> = ReadonlyMap<number, T>;

/** Lines of one column from top to bottom, between what spans the columns. */
export interface LinePiece {
  readonly page: number;
  readonly lines: readonly Line[];
  readonly margin: boolean;
}

/** All that is known about a document while it is analysed; each pass adds to it. */
export interface Findings {
  /** Pages as the engine reads them, the file's outline and the title in its information. */
  readonly contents: readonly PageContent[];
  readonly outline: readonly OutlineEntry[];
  readonly information: string;
  /** How each page is looked at, and the pages turned so that text runs from left to right. */
  readonly views: ByPage<PageView>;
  readonly pages: readonly PageContent[];
  /** Pieces of lines, and the type that most of the text is set in. */
  readonly segments: ByPage<readonly Segment[]>;
  readonly body: BodyType;
  /** Text that the file itself puts into drawings. */
  readonly drawn: ByPage<readonly Segment[]>;
  readonly pictures: ByPage<readonly Box[]>;
  /** The words printed on pictures, and lines that are not upright. */
  readonly labels: ByPage<PictureLabels>;
  /** How many pictures of a page gave their text back, and tables that would have lost words. */
  readonly givenBack: ByPage<number>;
  readonly takenBack: ByPage<number>;
  /** Segments without the labels of pictures. */
  readonly text: ByPage<readonly Segment[]>;
  readonly furniture: ReadonlyMap<Segment, 'page_header' | 'page_footer'>;
  /** Rules that belong to the page and not to a table or note on it. */
  readonly pageRules: ReadonlySet<Rule>;
  readonly vocabulary: ReadonlySet<string>;
  /** Tables and pictures by their number among the segments. */
  readonly floats: ByPage<ReadonlyMap<number, Draft>>;
  /** Segments without furniture, tables and pictures in their place. */
  readonly placed: ByPage<readonly Segment[]>;
  readonly columns: ByPage<readonly ColumnPiece[]>;
  readonly pieces: readonly LinePiece[];
  readonly setting: Setting;
  readonly drafts: Draft[];
}

/** What came of the analysis. */
export interface Layout {
  readonly drafts: readonly Draft[];
  readonly vocabulary: ReadonlySet<string>;
  readonly columns: number;
  /** The share of pages on which a structure was taken back, because it would have lost text. */
  readonly doubtful: number;
  readonly views: ReadonlyMap<number, PageView>;
}

/** One step of the analysis, with what it reads; it adds what it returns. */
export interface Pass {
  readonly name: string;
  readonly needs: readonly (keyof Findings)[];
  run(found: Findings): Partial<Findings>;
}

/** A pass that can read only what it names. */
export function pass<N extends keyof Findings>(
  name: string,
  needs: readonly N[],
  run: (found: Pick<Findings, N>) => Partial<Findings>,
): Pass {
  return { name, needs, run };
}

/** A pass over the drafts: it marks them in place, or returns them split or joined. */
export function draftPass<N extends keyof Findings = never>(
  name: string,
  needs: readonly N[],
  change: (drafts: Draft[], found: Pick<Findings, N>) => Draft[] | void,
): Pass {
  return {
    name,
    needs: ['drafts', ...needs],
    run: (found) => ({ drafts: change(found.drafts, found) ?? found.drafts }),
  };
}
