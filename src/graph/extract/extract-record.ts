import { lettersOf } from '../../base/index.ts';
import type { Author, WorkRecord } from '../../works/index.ts';
import { normalizeDoi, retractionOf, yearOf } from '../../works/index.ts';
import type { Contribution, EdgeKind, EdgeStatement, Evidence, NodeKind, NodeStatement } from '../schema.ts';
import { otherWorkNodeIds, RANK, workNodeId } from '../schema.ts';
import { termId } from './facts.ts';

const METHOD = 'record';
const VERSION = 1;

export function extractRecord(record: WorkRecord): Contribution {
  const work = workNodeId(record.ids) ?? `work:record:${record.id}`;
  const nodes: NodeStatement[] = [];
  const edges: EdgeStatement[] = [];

  const node = (kind: NodeKind, id: string, label: string, data: NodeStatement['data'] = {}): string => {
    nodes.push({ id: `${kind}:${id}`, kind, label, year: null, rank: RANK.mention, data });
    return `${kind}:${id}`;
  };
  /** The node of a work that the record names by an OpenAlex id or a DOI. */
  const cited = (name: string): string => {
    const doi = name.startsWith('doi:') ? normalizeDoi(name.slice(4)) : undefined;
    const id = doi === undefined ? `openalex:${name}` : `doi:${doi.toLowerCase()}`;
    nodes.push({ id: `work:${id}`, kind: 'work', label: id, year: null, rank: RANK.guess, data: {} });
    return `work:${id}`;
  };
  const between = (source: string, kind: EdgeKind, target: string, field: string, detail: Evidence['detail']): void => {
    if (source === target) return;
    const from = record.sources.find(({ fields }) => fields.includes(field)) ?? record.sources[0];
    const place = { kind: 'metadata', origin: from?.from ?? 'record', readAt: from?.at ?? null } as const;
    const evidence = { place, method: METHOD, version: VERSION, score: 1, detail: { field, ...detail } };
    edges.push({ source, kind, target, evidence });
  };
  const edge = (kind: EdgeKind, target: string, field: string, detail: Evidence['detail'] = {}): void =>
    between(work, kind, target, field, detail);
  const named = (ror: string | null, name: string): string => (ror === null ? `name:${lettersOf(name)}` : `ror:${ror}`);

  sayWork();
  for (const [place, author] of record.authors.entries()) sayAuthor(author, place);
  if (record.venue !== null) {
    const issn = record.issn.toSorted()[0];
    const id = issn === undefined ? `name:${lettersOf(record.venue)}` : `issn:${issn}`;
    edge('published_in', node('venue', id, record.venue), 'venue');
  }
  for (const { name, ror, awards } of record.funders)
    edge('funded_by', node('funder', funderId({ name, ror }).slice('funder:'.length), name), 'funders', { awards });
  for (const { id, name } of record.topics) edge('about', node('topic', id ?? `name:${termId(name)}`, name), 'topics');
  for (const word of record.keywords) edge('about', node('term', `text:${termId(word)}`, word), 'keywords');
  // References of the document come from the document, with the sentences that cite them.
  const isCatalogued = !record.sources.some(({ from, fields }) => from === 'document' && fields.includes('references'));
  if (isCatalogued) for (const reference of record.references) edge('cites', cited(reference), 'references');
  for (const { kind, doi } of record.relations) {
    const other = cited(`doi:${doi}`);
    const isVersion = kind === 'is-preprint-of' || kind === 'is-version-of';
    between(isVersion ? work : other, 'version_of', isVersion ? other : work, 'relations', { kind });
  }
  const retraction = retractionOf(record);
  if (retraction && retraction.doi !== null)
    between(cited(`doi:${retraction.doi}`), 'retracts', work, 'notices', { ...retraction });
  return { owner: `record:${record.id}`, work, fileSha256: null, nodes, edges, references: [] };

  function sayWork(): void {
    const { ids, title, authors, type, venue, volume, pages, citedBy, license } = record;
    const year = yearOf(record);
    const data = {
      title,
      authors: authors
        .slice(0, 30)
        .map(({ name, family, given }) => (family === null ? name : `${family} ${initialsOf(given)}`.trim())),
      year,
      source: venue,
      volume,
      pages,
      type,
      citedBy,
      license,
      retracted: retractionOf(record) !== undefined,
      inCorpus: true,
    };
    nodes.push({ id: work, kind: 'work', label: title ?? record.id, year, rank: RANK.record, data });
    for (const other of otherWorkNodeIds(ids)) {
      nodes.push({ id: other, kind: 'work', label: title ?? other, year, rank: RANK.mention, data: {} });
      between(other, 'same_as', work, 'ids', { reason: 'one record names both ids' });
    }
  }

  function sayAuthor({ name, family, given, orcid, institutions }: Author, place: number): void {
    // Without an ORCID an author is a separate node per work: two people may share a name.
    const id = orcid === null ? `name:${record.id}:${lettersOf(name)}` : `orcid:${orcid}`;
    const author = node('author', id, name, { family, given });
    edge('authored_by', author, 'authors', { place: place + 1 });
    for (const { name: institution, ror } of institutions)
      between(author, 'affiliated_with', node('institution', named(ror, institution), institution), 'authors', {
        work,
      });
  }
}

/** The node of a funder. */
export function funderId({ name, ror }: { readonly name: string; readonly ror: string | null }): string {
  return ror === null ? `funder:name:${lettersOf(name)}` : `funder:ror:${ror}`;
}

function initialsOf(given: string | null): string {
  return (given ?? '')
    .split(/[\s.-]+/)
    .map((part) => part[0] ?? '')
    .join('')
    .toUpperCase();
}
