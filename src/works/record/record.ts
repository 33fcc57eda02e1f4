import { wordsIn } from '../../base/index.ts';
import type { WorkIds } from '../ids.ts';
import { NO_IDS, mergeIds } from '../ids.ts';
import type { Version } from '../license.ts';

/** An author. `family` and `given` are set only if a source split the name. */
export interface Author {
  readonly name: string;
  readonly family: string | null;
  readonly given: string | null;
  readonly orcid: string | null;
  readonly institutions: readonly { readonly name: string; readonly ror: string | null }[];
}

export interface Funder {
  readonly name: string;
  readonly ror: string | null;
  readonly awards: readonly string[];
}

export type NoticeKind =
  | 'retraction'
  | 'partial-retraction'
  | 'removal'
  | 'expression-of-concern'
  | 'correction'
  | 'reinstatement'
  | 'other';

export interface Notice {
  readonly kind: NoticeKind;
  readonly doi: string | null;
  readonly date: string | null;
  /** `publisher`, `retraction-watch`, `openalex`. */
  readonly source: string;
}

export interface NoticeAbout {
  readonly doi: string | null;
  readonly pmid?: string | null;
  readonly notice: Notice;
}

export interface Relation {
  readonly kind: 'is-preprint-of' | 'has-preprint' | 'is-version-of' | 'has-version';
  readonly doi: string;
}

type RecordSource = 'openalex' | 'crossref' | 'document' | 'list';

/** Times are ISO 8601. */
interface Provenance {
  readonly from: RecordSource;
  readonly at: string;
  readonly fields: readonly string[];
}

/** Everything needed to cite, filter and refresh a work. Plain data, close to CSL-JSON. */
export interface WorkRecord {
  /** The id it is filed under. */
  readonly id: string;
  readonly ids: WorkIds;
  /** OpenAlex type: `article`, `preprint`, `review`, `book-chapter`, … */
  readonly type: string | null;
  readonly title: string | null;
  readonly authors: readonly Author[];
  /** ISO 8601, to its known precision: `2024`, `2024-05`, `2024-05-17`. */
  readonly date: string | null;
  /** The journal, conference or book. */
  readonly venue: string | null;
  readonly publisher: string | null;
  /** Of the venue. */
  readonly issn: readonly string[];
  readonly volume: string | null;
  readonly issue: string | null;
  readonly pages: string | null;
  readonly language: string | null;
  readonly abstract: string | null;
  /** Subjects, with their OpenAlex id if known. */
  readonly topics: readonly {
    readonly id: string | null;
    readonly name: string;
  }[];
  readonly keywords: readonly string[];
  readonly funders: readonly Funder[];
  /** Cited works, by OpenAlex id or as `doi:…`. */
  readonly references: readonly string[];
  /** Works that OpenAlex calls related, by id. */
  readonly related: readonly string[];
  /** How often it is cited, as OpenAlex counts. */
  readonly citedBy: number | null;
  /** Our name for the licence, else the source's text. */
  readonly license: string | null;
  readonly version: Version | null;
  /** `gold`, `hybrid`, `bronze`, `green`, `diamond` or `closed`. */
  readonly access: string | null;
  /** Retractions, corrections and the like. */
  readonly notices: readonly Notice[];
  /** Preprints and other versions of it. */
  readonly relations: readonly Relation[];
  /** A page about it. */
  readonly url: string | null;
  /** When the newest source last changed it. */
  readonly changed: string | null;
  /** Who said which fields, and when. */
  readonly sources: readonly Provenance[];
}

export function emptyRecord(id: string, ids: Partial<WorkIds> = {}): WorkRecord {
  return {
    id,
    ids: { ...NO_IDS, ...ids },
    type: null,
    title: null,
    authors: [],
    date: null,
    venue: null,
    publisher: null,
    issn: [],
    volume: null,
    issue: null,
    pages: null,
    language: null,
    abstract: null,
    topics: [],
    keywords: [],
    funders: [],
    references: [],
    related: [],
    citedBy: null,
    license: null,
    version: null,
    access: null,
    notices: [],
    relations: [],
    url: null,
    changed: null,
    sources: [],
  };
}

export function yearOf({ date }: Pick<WorkRecord, 'date'>): number | null {
  const year = Number(date?.slice(0, 4) ?? Number.NaN);
  return Number.isInteger(year) && year > 0 ? year : null;
}

export const RETRACTED = 'This work was retracted.';

/** The retraction, unless a later notice reinstated the work. */
export function retractionOf({ notices }: Pick<WorkRecord, 'notices'>): Notice | undefined {
  const weighty = notices.filter(({ kind }) => kind === 'retraction' || kind === 'removal' || kind === 'reinstatement');
  // A notice without a date counts as the oldest: only a known later one can undo another.
  const latest = weighty.toSorted((a, b) => (a.date ?? '').localeCompare(b.date ?? '')).at(-1);
  return latest === undefined || latest.kind === 'reinstatement' ? undefined : latest;
}

/** Precedence of sources; a source asked again overrides itself. */
const TRUST: readonly RecordSource[] = ['openalex', 'crossref', 'list', 'document'];
const UNITED = new Set(['id', 'ids', 'authors', 'notices', 'relations', 'sources']);

/** A missing field deletes nothing. Notices and relations of both remain, and split names stay split. */
export function mergeRecords(known: WorkRecord, said: WorkRecord): WorkRecord {
  const merged: Record<string, unknown> = { ...known };
  const won = new Set<string>();
  for (const [field, value] of Object.entries(said)) {
    if (isEmpty(value)) continue;
    if (!isEmpty(merged[field]) && trust(said, field) > trust(known, field)) continue;
    won.add(field);
    if (!UNITED.has(field)) merged[field] = value;
  }
  const [first, second] = won.has('authors') ? [said, known] : [known, said];
  return {
    ...(merged as unknown as WorkRecord),
    id: known.id,
    ids: won.has('ids') ? mergeIds(said.ids, known.ids) : mergeIds(known.ids, said.ids),
    authors: mergeAuthors(first.authors, second.authors),
    notices: distinct([...known.notices, ...said.notices], ({ kind, doi, source }) => `${kind} ${doi ?? source}`),
    relations: distinct([...known.relations, ...said.relations], ({ kind, doi }) => `${kind} ${doi}`),
    sources: mergeSources(known.sources, said.sources, won),
  };
}

function trust({ sources }: WorkRecord, field: string): number {
  const source = sources.find(({ fields }) => fields.includes(field))?.from;
  return source === undefined ? TRUST.length : TRUST.indexOf(source);
}

export function withProvenance(record: WorkRecord, from: RecordSource, at: string): WorkRecord {
  const fields = Object.entries(record)
    .filter(([name, value]) => name !== 'id' && name !== 'sources' && !isEmpty(value))
    .map(([name]) => name);
  return { ...record, sources: [{ from, at, fields }] };
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === 'object' && Object.values(value).every((each) => each === null);
}

/** The same people in the same order: split names from one, ORCID and institutions from either. */
function mergeAuthors(first: readonly Author[], second: readonly Author[]): readonly Author[] {
  if (first.length === 0) return second;
  if (first.length !== second.length) return first;
  return first.map((author, at) => {
    const other = second[at];
    if (!other || !isSamePerson(author, other)) return author;
    const split = author.family === null ? other : author;
    return {
      name: author.name,
      family: split.family,
      given: split.given,
      orcid: author.orcid ?? other.orcid,
      institutions: author.institutions.length > 0 ? author.institutions : other.institutions,
    };
  });
}

function isSamePerson(a: Author, b: Author): boolean {
  if (a.orcid !== null && b.orcid !== null) return a.orcid === b.orcid;
  const others = new Set(wordsIn(b.name));
  return wordsIn(a.name).some((word) => word.length > 1 && others.has(word));
}

function mergeSources(
  known: readonly Provenance[],
  said: readonly Provenance[],
  won: ReadonlySet<string>,
): readonly Provenance[] {
  const entries = new Map<RecordSource, { at: string; fields: Set<string> }>();
  for (const { from, at, fields } of known)
    entries.set(from, { at, fields: new Set(fields.filter((field) => !won.has(field))) });
  for (const { from, at, fields } of said) {
    const entry = entries.get(from) ?? { at, fields: new Set() };
    for (const field of fields) if (won.has(field)) entry.fields.add(field);
    entries.set(from, { at: at > entry.at ? at : entry.at, fields: entry.fields });
  }
  return TRUST.flatMap((from) => {
    const entry = entries.get(from);
    return entry ? [{ from, at: entry.at, fields: [...entry.fields].toSorted() }] : [];
  });
}

/** Deduplicates by key, the last one wins; the order does not depend on the order of arrival. */
function distinct<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  const found = new Map(items.map((item) => [keyOf(item), item]));
  return [...found].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item);
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

/** Longest tag; keeps texts full of `<` cheap. */
const LONGEST_TAG = 2000;

/** A title or abstract without tags and entities; null if empty. */
export function plainText(text: string | null | undefined): string | null {
  if (text === null || text === undefined) return null;
  const plain = withoutTags(text.slice(0, 100_000))
    .replaceAll(/&(amp|lt|gt|quot|apos|nbsp);/g, (_, name: string) => ENTITIES[name] ?? '')
    .replaceAll(/&#(\d{1,7}|x[0-9a-f]{1,6});/gi, (whole, code: string) => character(code) ?? whole)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return plain === '' ? null : plain;
}

/** In one pass. A `<` that opens no tag ("p < .05") stays, and a block tag between words becomes a space. */
function withoutTags(text: string): string {
  let plain = '';
  let from = 0;
  for (let open = text.indexOf('<'); open !== -1; open = text.indexOf('<', from)) {
    const piece = text.slice(open + 1, open + LONGEST_TAG);
    const close = /^[a-z/!]/i.test(piece) ? piece.indexOf('>') : -1;
    const next = piece.indexOf('<');
    // A tag contains no other tag; otherwise it is text.
    if (close === -1 || (next !== -1 && next < close)) {
      plain += text.slice(from, open + 1);
      from = open + 1;
      continue;
    }
    const isBlock = /^<\/?(?:jats:)?(?:p|sec|title|list|list-item|br|div|li)\b/i.test(`<${piece.slice(0, 20)}`);
    plain += text.slice(from, open) + (isBlock ? ' ' : '');
    from = open + close + 2;
  }
  return plain + text.slice(from);
}

function character(code: string): string | undefined {
  const number = /^x/i.test(code) ? Number.parseInt(code.slice(1), 16) : Number(code);
  return number > 0 && number <= 0x10_ff_ff ? String.fromCodePoint(number) : undefined;
}
