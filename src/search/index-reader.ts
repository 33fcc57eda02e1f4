import type { IndexDense } from './segment/write-segment.ts';
import type { Passage } from './passage.ts';
import type { Section } from './section.ts';

/** What an index holds, as it was opened. */
export interface IndexManifest {
  /** How many passages can be found. */
  readonly passages: number;
  /** How many documents they are from. */
  readonly documents: number;
  /** The model of its vectors; null if it is searched by words alone. */
  readonly dense: IndexDense | null;
}

/** Which passages are searched. */
export interface SearchFilter {
  /** Only documents that `accepts` accepts. `key` identifies the filter, so that its result can be cached. */
  readonly documents?: { readonly key: string; readonly accepts: (document: string) => boolean };
  /** Only these parts of papers; by default all but front matter, reference lists and acknowledgements. */
  readonly sections?: readonly Section[];
  /** Only passages with a table, or with a figure. */
  readonly has?: 'table' | 'figure';
}

/** Identifies a filter, so that its result can be cached. */
export function filterKey({ documents, sections, has }: SearchFilter): string {
  return JSON.stringify([documents?.key ?? '', sections ?? [], has ?? '']);
}

/** A term to look for. */
export interface WantedTerm {
  readonly term: string;
  /** By how much it counts: the rarity of its word, times how often the question has it. */
  readonly weight: number;
  /** Whether so few passages have its word that it names the subject. */
  readonly isRare: boolean;
}

/** Which passages to compare with a question. */
export interface WantedCandidates {
  readonly filter: SearchFilter;
  readonly terms: readonly WantedTerm[];
  /** How many of the best by their words. */
  readonly byWords: number;
  /** The question's vector, and how many of the nearest; undefined if it is searched by words alone. */
  readonly near: { readonly vector: Float32Array; readonly count: number } | undefined;
}

/** A passage that may answer, with what it is ranked by. */
export interface Candidate {
  /** Its number in the snapshot. Equal scores are ranked by it. */
  readonly place: number;
  /** BM25 of the wanted terms; 0 if it has none of them. */
  readonly lexical: number;
  /** The inner product with the question's vector; undefined without one. */
  readonly similarity: number | undefined;
  /** Whether it can be found by its meaning. */
  readonly hasVector: boolean;
  readonly section: Section;
  /** Whether it has a term that `isRare`. */
  readonly isRare: boolean;
}

/** An index at one moment: a question is answered from one snapshot. */
export interface IndexSnapshot {
  /** How many passages there are, for the rarity of words. */
  readonly passages: number;
  /** The mean of all vectors: its similarity is that of an unrelated passage. */
  readonly centroid: Float32Array;
  /** How many passages have one of the terms that the snapshot was asked for. */
  frequency(term: string): number;
  /** The best passages by words and the nearest by meaning, each with both scores, in any order. */
  candidates(wanted: WantedCandidates): Promise<readonly Candidate[]>;
  /** The passages at these places; without those that were removed meanwhile. */
  read(places: readonly number[]): Promise<ReadonlyMap<number, Passage>>;
}

/** An index, wherever it is: files of this machine, or tables of a PostgreSQL server. Ranking knows no more of it. */
export interface IndexReader extends AsyncDisposable {
  readonly manifest: IndexManifest;
  /** The index as it is now, with the frequencies of these terms. */
  snapshot(terms: readonly string[]): Promise<IndexSnapshot>;
  /** The names of all documents but copies of others, sorted. */
  documents(): Promise<readonly string[]>;
  /** The passages of a document, in their order. */
  passagesOf(document: string): Promise<readonly Passage[]>;
}
