import type { Formula, Labels } from '../paper.ts';

/** The kind of a section; determines which sentences fit. */
export type Role = 'introduction' | 'background' | 'methods' | 'results' | 'discussion' | 'limitations' | 'conclusion';

/** Templates of a planted sentence and its question. Slots: {sample} {nonce} {value} {entity} {count}. */
export interface FactPattern {
  readonly relation: string;
  readonly sentence: string;
  /** A paraphrase of the question; keeps the nonce, which identifies the sample. */
  readonly question: string;
  readonly value: { readonly least: number; readonly most: number; readonly decimals: number; readonly unit: string };
  /** Allowed values of {entity}, if not all named entities fit. */
  readonly entities?: readonly string[];
  /** Relation between the sample and the {entity} of the sentence. */
  readonly entityRelation: string;
}

/** Vocabulary of a subject. Every list has at least two entries. */
export interface Lexicon {
  readonly systems: readonly string[];
  readonly samples: readonly string[];
  readonly properties: readonly string[];
  readonly methods: readonly string[];
  /** Named entities that recur across works. */
  readonly materials: readonly string[];
  readonly factors: readonly string[];
  readonly problems: readonly string[];
  readonly mechanisms: readonly string[];
}

/** A subject with its own sentences and facts. */
export interface Theme {
  readonly match: RegExp;
  readonly lexicon: Lexicon;
  readonly facts: readonly FactPattern[];
  readonly sentences: Partial<Readonly<Record<Role, readonly string[]>>>;
  readonly formulas: readonly Formula[];
}

/** How papers are written in one language. */
export interface Grammar {
  readonly language: string;
  readonly labels: Labels;
  readonly headings: Readonly<Record<Role, readonly string[]>>;
  /** Subsection headings. Slots as in sentences. */
  readonly subheadings: readonly string[];
  readonly sentences: Readonly<Record<Role, readonly string[]>>;
  readonly facts: readonly FactPattern[];
  /** Sentences that introduce a table, figure, formula or list. Also has the slot {pointer}. */
  readonly pointers: Readonly<Record<'table' | 'figure' | 'formula' | 'list', readonly string[]>>;
  readonly listItems: readonly string[];
  readonly tableCaptions: readonly string[];
  readonly figureCaptions: readonly string[];
  readonly notes: readonly string[];
  readonly words: { readonly sample: string; readonly group: string; readonly mean: string; readonly count: string };
}
