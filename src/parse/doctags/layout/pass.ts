import type { Box } from '../../document.ts';
import type { ColumnPiece } from './page/column.ts';
import type { Draft } from './draft.ts';
import type { PictureLabels } from './page/figure.ts';
import type { Line } from './page/line.ts';
import type { OutlineEntry, PageContent, Rule } from './page/page-content.ts';
import type { PageView } from './page/page-view.ts';
import type { Setting } from './role/paragraph.ts';
import type { Segment } from './page/segment.ts';
import type { BodyType } from './page/type-area.ts';

/** Something that belongs to each page, by the page's number. */
export type ByPage<T> = ReadonlyMap<number, T>;

/** Lines of one column from top to bottom, between what spans the columns. */
export interface LinePiece {
  readonly page: number;
  readonly lines: readonly Line[];
  /** Is in the margin, beside the text proper. */
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
  /** Tables and pictures by the number that stands for them among the segments. */
  readonly floats: ByPage<ReadonlyMap<number, Draft>>;
  /** Segments without furniture, tables and pictures in their place. */
  readonly placed: ByPage<readonly Segment[]>;
  readonly columns: ByPage<readonly ColumnPiece[]>;
  readonly pieces: readonly LinePiece[];
  readonly setting: Setting;
  readonly drafts: Draft[];
}

/** One step of the analysis, with what it reads and what it adds. */
export interface Pass {
  readonly name: string;
  readonly job: string;
  readonly needs: readonly (keyof Findings)[];
  readonly gives: readonly (keyof Findings)[];
  run(found: Findings): Partial<Findings>;
}

/** A pass whose reads and writes are checked by their types. */
export function pass<N extends keyof Findings, G extends keyof Findings>(definition: {
  readonly name: string;
  readonly job: string;
  readonly needs: readonly N[];
  readonly gives: readonly G[];
  run(found: Pick<Findings, N>): Pick<Findings, G>;
}): Pass {
  return definition;
}

/** A pass over the drafts: it marks, splits or joins them. */
export function draftPass<N extends keyof Findings = 'drafts'>(definition: {
  readonly name: string;
  readonly job: string;
  readonly needs?: readonly N[];
  change(drafts: Draft[], found: Pick<Findings, N>): Draft[];
}): Pass {
  const { needs = [], name, job } = definition;
  return {
    name,
    job,
    needs: ['drafts', ...needs],
    gives: ['drafts'],
    run: (found) => ({ drafts: definition.change(found.drafts, found) }),
  };
}
