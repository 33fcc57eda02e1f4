import type { Table } from '../../src/parse/index.ts';

/** What the world knows about a work; the rest is generated from `seed`. */
export interface PaperSpec {
  readonly seed: string;
  readonly workId: string;
  readonly title: string;
  readonly authors: readonly { readonly name: string; readonly orcid?: string; readonly affiliation?: string }[];
  readonly abstract?: string;
  readonly doi?: string;
  readonly pmcid?: string;
  readonly pmid?: string;
  readonly arxivId?: string;
  readonly journal?: string;
  readonly year: number;
  /** ISO 639-1; languages without a grammar here are written in English. */
  readonly language: string;
  readonly license?: string;
  readonly topic: string;
  readonly references: readonly {
    readonly title: string;
    readonly authors: readonly string[];
    readonly year: number;
    readonly doi?: string;
  }[];
}

/**
 * A piece of inline text. References, tables etc. are referred to by number, so that each rendering can format them.
 */
export type Inline =
  | { readonly kind: 'text' | 'italic' | 'sub' | 'sup'; readonly text: string }
  | { readonly kind: 'cite'; readonly references: readonly number[] }
  | { readonly kind: 'note'; readonly note: number }
  | {
      readonly kind: 'pointer';
      readonly to: 'table' | 'figure' | 'formula';
      readonly number: number;
      readonly text: string;
    };

/** The unique statement of a paragraph, and the question it answers. */
export interface Fact {
  /** The made-up name that occurs only in this paragraph. */
  readonly nonce: string;
  readonly subject: string;
  readonly relation: string;
  readonly value: string;
  /** Named entities that other works mention too: known nodes of a knowledge graph. */
  readonly entities: readonly { readonly relation: string; readonly name: string }[];
  /** Occurs verbatim in every rendering. */
  readonly sentence: string;
  readonly question: string;
}

export interface Paragraph {
  readonly kind: 'paragraph';
  readonly id: string;
  readonly inlines: readonly Inline[];
  readonly fact: Fact;
}

export interface List {
  readonly kind: 'list';
  readonly id: string;
  readonly ordered: boolean;
  readonly items: readonly (readonly Inline[])[];
}

export interface TableFloat {
  readonly kind: 'table';
  readonly id: string;
  readonly number: number;
  readonly caption: string;
  readonly table: Table;
}

/** Content of a figure: curves, bars, or a grey image. */
export interface Figure {
  readonly kind: 'figure';
  readonly id: string;
  readonly number: number;
  readonly caption: string;
  readonly plot: 'lines' | 'bars' | 'picture';
  readonly axes: readonly [string, string];
  /** One array per series, values 0 to 1. */
  readonly series: readonly (readonly number[])[];
}

/** A displayed formula in the three notations the renderings need. */
export interface Formula {
  readonly tex: string;
  readonly plain: string;
  readonly mathml: string;
}

interface FormulaBlock extends Formula {
  readonly kind: 'formula';
  readonly id: string;
  readonly number: number;
}

export type BodyBlock = Paragraph | List | TableFloat | Figure | FormulaBlock;

/** Sections in reading order; a subsection follows its section and has level 2. */
export interface Section {
  readonly id: string;
  readonly number: string;
  readonly level: 1 | 2;
  readonly title: string;
  readonly blocks: readonly BodyBlock[];
}

export interface Reference {
  readonly number: number;
  readonly authors: readonly string[];
  readonly title: string;
  readonly journal: string;
  readonly year: number;
  readonly volume: number;
  readonly firstPage: number;
  readonly lastPage: number;
  readonly doi?: string;
}

/** Fixed words of a paper in its language. */
export interface Labels {
  readonly abstract: string;
  readonly keywords: string;
  readonly table: string;
  readonly figure: string;
  readonly references: string;
  readonly and: string;
}

/** A paper before rendering. */
export interface Paper {
  readonly spec: PaperSpec;
  /** The language it is actually written in. */
  readonly language: string;
  readonly labels: Labels;
  readonly keywords: readonly string[];
  readonly sections: readonly Section[];
  readonly notes: readonly string[];
  readonly references: readonly Reference[];
  readonly volume: number;
  readonly firstPage: number;
}

/** Metadata of a rendering. */
export const SIMULATED = 'Simulated document';
