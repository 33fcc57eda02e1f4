import type { CiteStyle } from '../inline.ts';
import type { FamilyName } from './typeface.ts';

/** Layout parameters; lengths in points. */
export interface Style {
  readonly page: readonly [number, number];
  readonly margin: { readonly top: number; readonly bottom: number; readonly side: number };
  readonly columns: 1 | 2;
  readonly gutter: number;
  readonly family: FamilyName;
  readonly headFamily: FamilyName;
  readonly size: number;
  readonly leading: number;
  readonly numbered: boolean;
  readonly cites: CiteStyle;
  readonly notes: boolean;
  readonly hyphenate: boolean;
  readonly grid: boolean;
  readonly wideTables: boolean;
  readonly runningHeads: boolean;
  /** Whether spaces are written, or left as gaps between words as in TeX. */
  readonly spaces: boolean;
  /** Paragraphs are separated by an indent or by vertical space. */
  readonly indent: number;
  readonly centredTitle: boolean;
  /** Publisher-specific features; none in plain layouts. */
  readonly manner:
    | 'plain'
    | 'framed'
    | 'run-in'
    | 'labelled'
    | 'broken-references'
    | 'shaded-tables'
    | 'bar-captions'
    | 'hidden-text';
}

const LETTER = [612, 792] as const;
const A4 = [595.28, 841.89] as const;

const ONE: Style = {
  page: LETTER,
  margin: { top: 72, bottom: 72, side: 78 },
  columns: 1,
  gutter: 0,
  family: 'times',
  headFamily: 'times',
  size: 10.5,
  leading: 13.2,
  numbered: true,
  cites: 'bracket',
  notes: false,
  hyphenate: false,
  grid: false,
  wideTables: false,
  runningHeads: false,
  spaces: true,
  indent: 14,
  centredTitle: true,
  manner: 'plain',
};

const TWO: Style = {
  ...ONE,
  page: A4,
  margin: { top: 60, bottom: 62, side: 48 },
  columns: 2,
  gutter: 20,
  size: 9.5,
  leading: 11.6,
  indent: 11,
};

/**
 * L1 one column · L2 two columns · L3 ruled tables · L4 tables across columns · L5 running heads and hyphens · L6 footnotes ·
 * L7 pictures of pages · L8 junk before the header; and as publishers set that parsers fail on: L9 rules round every page ·
 * L10 run-in headings · L11 a journal's banner and a label above the title · L12 a reference list broken by another section ·
 * L13 shaded tables as wide as the page · L15 captions with a bar · L16 text that is not shown.
 */
export const STYLES = {
  L1: ONE,
  L2: { ...TWO, family: 'gentium', headFamily: 'gentium', size: 9, numbered: false },
  L3: { ...TWO, grid: true, spaces: false },
  L4: { ...TWO, headFamily: 'helvetica', wideTables: true, centredTitle: false },
  L5: { ...TWO, hyphenate: true, runningHeads: true, spaces: false, margin: { top: 70, bottom: 66, side: 50 } },
  L6: {
    ...ONE,
    page: A4,
    family: 'gentium',
    headFamily: 'gentium',
    size: 10,
    cites: 'superscript',
    notes: true,
    numbered: false,
  },
  L7: { ...ONE, family: 'gentium', headFamily: 'gentium', size: 10.5, leading: 14 },
  L8: {
    ...ONE,
    family: 'helvetica',
    headFamily: 'helvetica',
    size: 9.5,
    leading: 12.6,
    indent: 0,
    centredTitle: false,
  },
  L9: { ...ONE, manner: 'framed', runningHeads: true, numbered: false, spaces: false },
  L10: { ...TWO, manner: 'run-in', headFamily: 'helvetica', numbered: false, centredTitle: false },
  L11: { ...ONE, manner: 'labelled', page: A4, headFamily: 'helvetica', numbered: false, centredTitle: false },
  L12: { ...TWO, manner: 'broken-references', runningHeads: true, spaces: false, hyphenate: true },
  L13: { ...TWO, manner: 'shaded-tables', wideTables: true, headFamily: 'helvetica', numbered: false },
  L15: {
    ...TWO,
    manner: 'bar-captions',
    headFamily: 'helvetica',
    numbered: false,
    centredTitle: false,
    runningHeads: true,
  },
  L16: { ...ONE, manner: 'hidden-text', page: A4, family: 'gentium', headFamily: 'gentium', size: 10 },
} as const satisfies Readonly<Record<string, Style>>;

export type Layout = keyof typeof STYLES;
