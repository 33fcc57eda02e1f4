import type { Author, WorkRecord } from '../../works/index.ts';
import { normalizeDoi, retractionOf, yearOf } from '../../works/index.ts';
import type { Contribution, EdgeKind, EdgeStatement, Evidence, NodeKind, NodeStatement } from '../schema.ts';
import { otherWorkNodeIds, RANK, workNodeId } from '../schema.ts';
import { lettersOf } from '../link/letters.ts';
import { termId } from './facts.ts';

const METHOD = 'record';
const VERSION = 1;

export function extractRecord(record: WorkRecord): Contribution {
  return new RecordStatements(record).contribution();
}

class RecordStatements {
  readonly #record: WorkRecord;
  readonly #work: string;
  readonly #nodes: NodeStatement[] = [];
  readonly #edges: EdgeStatement[] = [];

  constructor(record: WorkRecord) {
    this.#record = record;
    this.#work = workNodeId(record.ids) ?? `work:record:${record.id}`;
  }

  contribution(): Contribution {
    const record = this.#record;
    this.#sayWork();
    for (const [place, author] of record.authors.entries()) this.#sayAuthor(author, place);
    if (record.venue !== null) {
      const issn = record.issn.toSorted()[0];
      this.#edge(
        'published_in',
        this.#node('venue', issn === undefined ? `name:${lettersOf(record.venue)}` : `issn:${issn}`, record.venue),
        'venue',
      );
    }
    for (const { name, ror, awards } of record.funders)
      this.#edge(
        'funded_by',
        this.#node('funder', ror === null ? `name:${lettersOf(name)}` : `ror:${ror}`, name),
        'funders',
        { awards },
      );
    for (const { id, name } of record.topics)
      this.#edge('about', this.#node('topic', id ?? `name:${termId(name)}`, name), 'topics');
    for (const word of record.keywords)
      this.#edge('about', this.#node('term', `text:${termId(word)}`, word), 'keywords');
    // References of the document come from the document, with the sentences that cite them.
    const isCatalogued = !record.sources.some(
      ({ from, fields }) => from === 'document' && fields.includes('references'),
    );
    if (isCatalogued) for (const cited of record.references) this.#edge('cites', this.#cited(cited), 'references');
    for (const { kind, doi } of record.relations) {
      const other = this.#cited(`doi:${doi}`);
      const version = kind === 'is-preprint-of' || kind === 'is-version-of';
      this.#edgeBetween(version ? this.#work : other, 'version_of', version ? other : this.#work, 'relations', {
        kind,
      });
    }
    const retraction = retractionOf(record);
    if (retraction && retraction.doi !== null)
      this.#edgeBetween(this.#cited(`doi:${retraction.doi}`), 'retracts', this.#work, 'notices', { ...retraction });
    return {
      owner: `record:${record.id}`,
      work: this.#work,
      fileSha256: null,
      nodes: this.#nodes,
      edges: this.#edges,
      references: [],
    };
  }

  #sayWork(): void {
    const { ids, title, authors, type, venue, volume, pages, citedBy, license } = this.#record;
    const year = yearOf(this.#record);
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
      retracted: retractionOf(this.#record) !== undefined,
      inCorpus: true,
    };
    this.#nodes.push({ id: this.#work, kind: 'work', label: title ?? this.#record.id, year, rank: RANK.record, data });
    for (const other of otherWorkNodeIds(ids)) {
      this.#nodes.push({ id: other, kind: 'work', label: title ?? other, year, rank: RANK.mention, data: {} });
      this.#edgeBetween(other, 'same_as', this.#work, 'ids', { reason: 'one record names both ids' });
    }
  }

  #sayAuthor(author: Author, place: number): void {
    // Without an ORCID an author is a separate node per work: two people may share a name.
    const id = author.orcid === null ? `name:${this.#record.id}:${lettersOf(author.name)}` : `orcid:${author.orcid}`;
    const node = this.#node('author', id, author.name, { family: author.family, given: author.given });
    this.#edge('authored_by', node, 'authors', { place: place + 1 });
    for (const { name, ror } of author.institutions) {
      const institution = this.#node('institution', ror === null ? `name:${lettersOf(name)}` : `ror:${ror}`, name);
      this.#edgeBetween(node, 'affiliated_with', institution, 'authors', { work: this.#work });
    }
  }

  /** The node of a work that the record names by an OpenAlex id or a DOI. */
  #cited(name: string): string {
    const doi = name.startsWith('doi:') ? normalizeDoi(name.slice(4)) : undefined;
    const id = doi === undefined ? `openalex:${name}` : `doi:${doi.toLowerCase()}`;
    this.#nodes.push({ id: `work:${id}`, kind: 'work', label: id, year: null, rank: RANK.guess, data: {} });
    return `work:${id}`;
  }

  #node(kind: NodeKind, id: string, label: string, data: NodeStatement['data'] = {}): string {
    this.#nodes.push({ id: `${kind}:${id}`, kind, label, year: null, rank: RANK.mention, data });
    return `${kind}:${id}`;
  }

  #edge(kind: EdgeKind, target: string, field: string, detail: Evidence['detail'] = {}): void {
    this.#edgeBetween(this.#work, kind, target, field, detail);
  }

  #edgeBetween(source: string, kind: EdgeKind, target: string, field: string, detail: Evidence['detail']): void {
    if (source === target) return;
    const from = this.#record.sources.find(({ fields }) => fields.includes(field)) ?? this.#record.sources[0];
    this.#edges.push({
      source,
      kind,
      target,
      evidence: {
        place: { kind: 'metadata', origin: from?.from ?? 'record', readAt: from?.at ?? null },
        method: METHOD,
        version: VERSION,
        score: 1,
        detail: { field, ...detail },
      },
    });
  }
}

function initialsOf(given: string | null): string {
  return (given ?? '')
    .split(/[\s.-]+/)
    .map((part) => part[0] ?? '')
    .join('')
    .toUpperCase();
}
