import { hash } from 'node:crypto';

import type { WorkIds } from '../works/index.ts';

export const NODE_KINDS = {
  work: 'A scholarly work, in the corpus or only cited: by DOI, else OpenAlex, arXiv or PubMed id, else a hash of what the reference prints.',
  author: 'A person: by ORCID, else OpenAlex id, else the name within one work, as two people may share a name.',
  institution: 'Where an author works: by ROR, else OpenAlex id, else the name.',
  venue: 'Journal, conference, repository: by ISSN, else OpenAlex id, else the name.',
  funder: 'A funder: by DOI or ROR, else the name.',
  topic: 'A subject that a catalogue assigns to a work: by its id there.',
  term: 'A term that a text defines or uses often, with its abbreviation, or an entry of your vocabulary.',
  quantity: 'A value with its unit, property and entity.',
  dataset: 'A data set: by accession or DOI.',
  material: 'An antibody, a cell line, an organism or a plasmid: by RRID.',
  software: 'A program: by RRID, URL or name.',
  disease: 'A disease, disorder or symptom: by name.',
  chemical: 'A chemical, drug, element or mixture: by name.',
  gene: 'A gene or a protein: by name.',
  organism: 'A species, genus, strain or virus: by name.',
  cell: 'A type or line of cells: by name.',
  method: 'The design of a study: by name.',
  place: 'A country, region, city or site: by name.',
  organisation: 'An organisation that a text names: by name.',
  reference: 'An entry of a reference list, as printed.',
  passage: 'A sentence of a document.',
  figure: 'A figure of a document, with its caption.',
  table: 'A table of a document, with its caption.',
  population: 'Whom or what a paper studied, in its words.',
  procedure: 'How a paper measured something: what, and by what means.',
  finding: 'What a paper found: subject, relation, object, and if said population, comparator and value.',
} as const;

export const EDGE_KINDS = {
  cites: 'work → work: the second is in the reference list of the first.',
  has_reference: 'work → reference: the entry is in the work’s list.',
  resolves_to: 'reference → work: the entry cites the work.',
  mentions: 'passage → reference, figure or table: the passage cites it.',
  contains: 'work → passage, figure, table.',
  authored_by: 'work → author.',
  affiliated_with: 'author → institution, as one work says.',
  published_in: 'work → venue.',
  funded_by: 'work → funder: a catalogue or a sentence of the work says so.',
  about: 'work → term or topic.',
  defines: 'work → term: a sentence gives the long form of an abbreviation.',
  measures: 'work or table → quantity: a sentence or a cell states it.',
  uses: 'work → software, dataset or material: a sentence names it.',
  studies: 'work → population: a sentence says that the study took them in, and how many.',
  determines: 'work → procedure: a sentence says how it measured something.',
  names: 'work → disease, chemical, place and other things with a type: a sentence names it.',
  version_of: 'work → work: another version of the same.',
  same_as: 'node → node: two ids of one thing, with the reason; without the row they are two things.',
  retracts: 'work → work: the first is a retraction of the second.',
  states: 'work → finding: a sentence states it.',
  has_subject: 'finding → entity or term: its subject names it.',
  has_object: 'finding → entity or term: its object names it.',
  in_population: 'finding → entity or term: its population names it.',
  compared_with: 'finding → entity or term: its comparator names it.',
} as const;

/**
 * The types of entities that papers name. The tagger knows more (src/tagger/decode.ts); those of which less than four in
 * five nodes were right when some were read are not in the graph.
 */
export const ENTITY_KINDS = [
  'disease',
  'chemical',
  'gene',
  'organism',
  'cell',
  'place',
  'organisation',
  'software',
  'method',
] as const satisfies readonly (keyof typeof NODE_KINDS)[];
export type EntityKind = (typeof ENTITY_KINDS)[number];

export type NodeKind = keyof typeof NODE_KINDS;
export type EdgeKind = keyof typeof EDGE_KINDS;

/** The key of a node: 66 bits of the hash of its id. */
export function nodeKey(id: string): string {
  return hash('sha256', id, 'base64url').slice(0, 11);
}

export function workNodeId(ids: WorkIds): string | undefined {
  return nodeIdsOf(ids)[0];
}

function nodeIdsOf({ arxiv, doi, ...ids }: WorkIds): string[] {
  const known = { ...ids, doi: doi?.toLowerCase(), arxiv: arxiv?.id };
  const kinds = ['doi', 'openalex', 'arxiv', 'pmid', 'pmcid', 'hal', 'zenodo'] as const;
  return kinds.flatMap((kind) => (known[kind] ? [`work:${kind}:${known[kind]}`] : []));
}

export function otherWorkNodeIds(ids: WorkIds): string[] {
  return nodeIdsOf(ids).filter((id, at) => at > 0 && /^work:(?:openalex|arxiv|pmid):/.test(id));
}

/** Priority of statements about a node: the lowest number wins. */
export const RANK = { record: 0, document: 1, mention: 2, reference: 3, guess: 4 } as const;

export interface NodeStatement {
  /** Such as `work:doi:10.1000/182`; the first part is the kind. */
  readonly id: string;
  readonly kind: NodeKind;
  readonly label: string;
  readonly year: number | null;
  readonly rank: number;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A place in a document's text; the quote is the block's text from `start` to `end`. */
export interface TextPlace {
  readonly kind: 'text';
  readonly fileSha256: string | null;
  /** The block's place in reading order; a cell's text is meant when `detail` names a row and a column. */
  readonly block: number;
  readonly start: number;
  readonly end: number;
  readonly quote: string;
  readonly page: number | null;
  /** Page, left, top, right, bottom of every piece of the block. */
  readonly boxes: readonly (readonly number[])[];
}

export interface MetadataPlace {
  readonly kind: 'metadata';
  readonly origin: string;
  readonly readAt: string | null;
}

export interface Evidence {
  readonly place: TextPlace | MetadataPlace;
  readonly method: string;
  readonly version: number;
  readonly score: number;
  readonly detail: Readonly<Record<string, unknown>>;
}

export function thousandths(value: number): number {
  return Math.round(value * 1000) / 1000;
}

/** An edge with one reason for it; the same edge may be stated again with another. */
export interface EdgeStatement {
  readonly source: string;
  readonly kind: EdgeKind;
  readonly target: string;
  readonly evidence: Evidence;
}

/** A reference without an identifier; it is compared with the works of the graph. */
export interface OpenReference {
  readonly id: string;
  readonly text: string;
  readonly place: TextPlace;
}

export interface Contribution {
  /** The document's name, under which its statements are stored and removed. */
  readonly owner: string;
  /** The id of the work that the document is a copy of. */
  readonly work: string;
  readonly fileSha256: string | null;
  readonly nodes: readonly NodeStatement[];
  readonly edges: readonly EdgeStatement[];
  readonly references: readonly OpenReference[];
}
