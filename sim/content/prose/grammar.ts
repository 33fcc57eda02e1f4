import type { Formula, Labels } from '../paper.ts';

/** What a section is for; decides which sentences may stand in it. */
export type Role = 'introduction' | 'background' | 'methods' | 'results' | 'discussion' | 'limitations' | 'conclusion';

/** How a planted sentence and its question are made. Slots: {sample} {nonce} {value} {entity} {count}. */
export interface FactPattern {
  readonly relation: string;
  readonly sentence: string;
  /** Asks for the same in other words; keeps the nonce, without which nobody could know which sample is meant. */
  readonly question: string;
  readonly value: { readonly least: number; readonly most: number; readonly decimals: number; readonly unit: string };
  /** What {entity} may be, where not every named thing of the lexicon fits. */
  readonly entities?: readonly string[];
  /** How the sample stands to the {entity} named in the sentence. */
  readonly entityRelation: string;
}

/** The words of a subject. Every list has at least two entries. */
export interface Lexicon {
  readonly systems: readonly string[];
  readonly samples: readonly string[];
  readonly properties: readonly string[];
  readonly methods: readonly string[];
  /** Named things that recur across works. */
  readonly materials: readonly string[];
  readonly factors: readonly string[];
  readonly problems: readonly string[];
  readonly mechanisms: readonly string[];
}

/** A subject with sentences and facts of its own. */
export interface Theme {
  readonly match: RegExp;
  readonly lexicon: Lexicon;
  readonly facts: readonly FactPattern[];
  readonly sentences: Partial<Readonly<Record<Role, readonly string[]>>>;
  readonly formulas: readonly Formula[];
  readonly titles: readonly string[];
}

/** How papers are written in one language, whatever their subject. */
export interface Grammar {
  readonly language: string;
  readonly labels: Labels;
  readonly headings: Readonly<Record<Role, readonly string[]>>;
  /** Headings of subsections. Slots as in sentences. */
  readonly subheadings: readonly string[];
  readonly sentences: Readonly<Record<Role, readonly string[]>>;
  readonly facts: readonly FactPattern[];
  /** Said of a table, a figure, a formula and a list just before it comes. Slots also {pointer}. */
  readonly pointers: Readonly<Record<'table' | 'figure' | 'formula' | 'list', readonly string[]>>;
  readonly listItems: readonly string[];
  readonly tableCaptions: readonly string[];
  readonly figureCaptions: readonly string[];
  readonly notes: readonly string[];
  readonly titles: readonly string[];
  readonly abstracts: readonly string[];
  readonly words: { readonly sample: string; readonly group: string; readonly mean: string; readonly count: string };
}
