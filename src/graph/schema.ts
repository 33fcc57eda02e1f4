import { hash } from 'node:crypto';

import type { WorkIds } from '../works/index.ts';

/** What a node can be, and what its id is made of. */
export const NODE_KINDS = {
  work: 'A scholarly work, in the corpus or only cited: by DOI, else OpenAlex, arXiv or PubMed id, else a hash of what the reference prints.',
  author: 'A person: by ORCID, else OpenAlex id, else the name within one work, so that homonyms stay apart.',
  institution: 'Where an author works: by ROR, else OpenAlex id, else the name.',
  venue: 'Journal, conference, repository: by ISSN, else OpenAlex id, else the name.',
  funder: 'Who paid: by DOI or ROR of the funder, else the name.',
  topic: 'A subject that a catalogue gives a work: by the catalogue’s id.',
  term: 'A notion that a text defines or speaks about, with its abbreviation, or an entry of a vocabulary of yours.',
  quantity: 'A number with its unit and what it is a number of.',
  dataset: 'A data set: by accession or DOI.',
  material: 'An antibody, a cell line, an organism or a plasmid: by RRID.',
  software: 'A program: by RRID, URL or name.',
  reference: 'An entry of a list of references, as printed.',
  passage: 'A sentence of a document.',
  figure: 'A figure of a document, with its caption.',
  table: 'A table of a document, with its caption.',
  claim: 'A statement that a language model read out of a passage, with its quote.',
} as const;

/** What an edge can be: from what to what, and what it says. */
export const EDGE_KINDS = {
  cites: 'work → work: the first has the second in its list of references.',
  has_reference: 'work → reference: the entry stands in the work’s list.',
  resolves_to: 'reference → work: the entry means the work.',
  mentions: 'passage → reference, figure or table: the passage points to it.',
  contains: 'work → passage, figure, table: where it stands.',
  authored_by: 'work → author.',
  affiliated_with: 'author → institution, as one work says.',
  published_in: 'work → venue.',
  funded_by: 'work → funder.',
  about: 'work → term or topic: it speaks of it.',
  defines: 'work → term: a sentence gives the long form of an abbreviation.',
  measures: 'work or table → quantity: a sentence or a cell states it.',
  uses: 'work → software, dataset or material: a sentence names it.',
  version_of: 'work → work: another version of the same.',
  same_as: 'node → node: two ids of one thing, with the reason; take the row away and they are two again.',
  retracts: 'work → work: the first takes the second back.',
  states: 'work → claim.',
} as const;

/** The kind of a node. */
export type NodeKind = keyof typeof NODE_KINDS;
/** The kind of an edge. */
export type EdgeKind = keyof typeof EDGE_KINDS;

/** The short name under which a node is stored: 66 bits of its id's hash, always the same for the same id. */
export function nodeKey(id: string): string {
  return hash('sha256', id, 'base64url').slice(0, 11);
}

/** The id of a work's node by what names it best; undefined when nothing does. */
export function workNodeId(ids: WorkIds): string | undefined {
  if (ids.doi !== null) return `work:doi:${ids.doi.toLowerCase()}`;
  if (ids.openalex !== null) return `work:openalex:${ids.openalex}`;
  if (ids.arxiv !== null) return `work:arxiv:${ids.arxiv.id}`;
  if (ids.pmid !== null) return `work:pmid:${ids.pmid}`;
  if (ids.pmcid !== null) return `work:pmcid:${ids.pmcid}`;
  if (ids.hal !== null) return `work:hal:${ids.hal}`;
  return ids.zenodo === null ? undefined : `work:zenodo:${ids.zenodo}`;
}

/** The further ids of a work, each as the node it would be if nothing else were known. */
export function otherWorkNodeIds(ids: WorkIds): string[] {
  const named = [
    ids.openalex === null ? null : `work:openalex:${ids.openalex}`,
    ids.arxiv === null ? null : `work:arxiv:${ids.arxiv.id}`,
    ids.pmid === null ? null : `work:pmid:${ids.pmid}`,
  ];
  return named.filter((id) => id !== null && id !== workNodeId(ids)) as string[];
}
