import { statSync } from 'node:fs';

import { errorInfo, forEachOf } from '../../base/index.ts';
import { belongsTo } from '../../download/index.ts';
import type { Sidecar } from '../../parse/index.ts';
import { blocksPath, readBlockLines, readSidecar, sidecarPath } from '../../parse/index.ts';
import { compareTitles, isAboutAnother, titleWords } from '../../resolve/index.ts';
import type { Records } from '../../database/index.ts';
import type { WorkRecord } from '../../works/index.ts';
import {
  doiPath,
  emptyRecord,
  namedWork,
  namesOf,
  NO_IDS,
  normalizeDoi,
  normalizePmcid,
  normalizePmid,
  parseArxivId,
  parseLicense,
  parsePersonName,
  withProvenance,
} from '../../works/index.ts';
import { askRecords } from '../list/ask-records.ts';
import type { Asking } from '../download/open-download.ts';

export interface RefusedDoi {
  readonly document: string;
  readonly doi: string;
  /** The title of the other work; null if unknown. */
  readonly title: string | null;
}

export interface IdentifiedPapers {
  /** By an id that a service confirmed. */
  readonly checked: number;
  /** By an id that no service confirmed. */
  readonly unchecked: number;
  readonly unnamed: number;
  /** Papers for which a service did not answer; the next run tries again. */
  readonly unanswered: number;
  readonly refused: RefusedDoi[];
}

const TOGETHER = 4;
/** Failures in a row after which the services count as down. */
const PATIENCE = 3;
const MOST_IDS = 3;

interface PaperParts {
  readonly dataRoot: string;
  readonly records: Records;
  /** Returns undefined if no service may be queried. */
  readonly asking: () => Asking | undefined;
  readonly now: () => number;
}

/** Known papers are skipped unless their bytes have changed or a service can now check them. */
export async function identifyPapers(
  documents: readonly string[],
  parts: PaperParts,
  signal: AbortSignal,
): Promise<IdentifiedPapers> {
  const { dataRoot, records } = parts;
  const asking = parts.asking();
  const filed = records.ownPapers();
  const counts = {
    checked: 0,
    unchecked: 0,
    unnamed: 0,
    unanswered: 0,
  };
  const refused: RefusedDoi[] = [];
  let silent = 0;
  await forEachOf(documents, TOGETHER, async (document) => {
    signal.throwIfAborted();
    const sidecar = readSidecar(sidecarPath(dataRoot, document));
    const { source_sha256: sha256 } = sidecar;
    // The summary reports papers that could not be parsed.
    if (sha256 === undefined) return;
    const before = filed.get(document);
    const canAsk = asking !== undefined && silent < PATIENCE;
    if (before?.sha256 !== sha256 || (!before.checked && canAsk)) {
      const stated = documentRecord(document, sidecar, new Date(parts.now()).toISOString());
      const found = canAsk ? await lookUp(sidecar, stated, { asking, now: parts.now }, signal) : UNASKED;
      silent = found.isAway ? silent + 1 : 0;
      const checked = found.records.length > 0 || (canAsk && !found.isAway);
      const { unasked, unknown } = stated.unchecked;
      const isUnknown = found.refused.some(({ doi, title }) => doi === unknown && title === null);
      const doi = found.records.length > 0 ? null : checked ? (isUnknown ? unknown : null) : unasked;
      refused.push(...found.refused.filter((each) => each.doi !== doi).map((each) => ({ document, ...each })));
      const own = doi === null ? stated.record : withDoi(stated.record, doi);
      records.fileOwn({ document, sha256, checked }, [own, ...found.records]);
      if (asking && !checked) counts.unanswered += 1;
    }
    counts[standingOf(records.ofDocument(document))] += 1;
  });
  // Papers are checked concurrently; the result has a fixed order.
  refused.sort((a, b) => documents.indexOf(a.document) - documents.indexOf(b.document));
  return { ...counts, refused };
}

interface Found {
  readonly records: readonly WorkRecord[];
  readonly refused: readonly Omit<RefusedDoi, 'document'>[];
  readonly isAway: boolean;
}

const UNASKED: Found = { records: [], refused: [], isAway: false };

/** Stops at the first id that is the paper's own. */
async function lookUp(
  sidecar: Sidecar,
  { dois, record }: StatedPaper,
  { asking, now }: { readonly asking: Asking; readonly now: () => number },
  signal: AbortSignal,
): Promise<Found> {
  const { pmid } = record.ids;
  const asked = [
    ...dois.slice(0, MOST_IDS).map((doi) => ({ openalex: `doi:${doiPath(doi)}`, doi })),
    ...(pmid === null ? [] : [{ openalex: `pmid:${pmid}`, doi: null }]),
  ];
  const refused: Omit<RefusedDoi, 'document'>[] = [];
  let isAway = false;
  for (const ids of asked) {
    const said = await askRecords(ids, asking, { now: now(), signal });
    const own = said.records.filter((each) => isSamePaper(sidecar, each));
    if (own.length > 0) return { records: own, refused, isAway: false };
    isAway ||= said.isAway;
    // arXiv DOIs are derived from the arXiv id, not printed in the paper.
    if (ids.doi !== null && !said.isAway && !ids.doi.startsWith('10.48550/'))
      refused.push({ doi: ids.doi, title: said.records[0]?.title ?? null });
  }
  return { records: [], refused, isAway };
}

function withDoi(record: WorkRecord, doi: string): WorkRecord {
  const { at = '' } = record.sources[0] ?? {};
  return withProvenance({ ...record, ids: { ...record.ids, doi } }, 'document', at);
}

function standingOf(record: WorkRecord | undefined): 'checked' | 'unchecked' | 'unnamed' {
  if (record?.sources.some(({ from }) => from !== 'document')) return 'checked';
  return Object.values(record?.ids ?? {}).some((id) => id !== null) ? 'unchecked' : 'unnamed';
}

const MOST_AUTHORS = 500;
const MOST_INSTITUTIONS = 20;

type StatedPaper = ReturnType<typeof documentRecord>;

/** Markup states the article's own DOI; a PDF's first page may name others, so only a lone one is trusted. */
export function documentRecord(document: string, sidecar: Sidecar, at: string) {
  const { imprint } = sidecar;
  const doi = normalizeDoi(sidecar.doi ?? '') ?? null;
  const others = (imprint.otherDois ?? []).map(normalizeDoi).filter((each) => each !== undefined);
  const arxiv = parseArxivId(imprint.arxivId ?? '') ?? null;
  const ids = {
    ...NO_IDS,
    arxiv,
    pmid: normalizePmid(imprint.pmid ?? '') ?? /^[1-9]\d{0,8}$/.exec(imprint.pmid ?? '')?.[0] ?? null,
    pmcid: normalizePmcid(imprint.pmcid ?? '') ?? null,
  };
  const license = parseLicense(imprint.license);
  const people = new Map(sidecar.people?.map((person) => [person.name, person]));
  const record: WorkRecord = {
    ...emptyRecord(`paper:${document}`, ids),
    title: sidecar.title ?? null,
    authors: sidecar.authors.slice(0, MOST_AUTHORS).map((name) => {
      const { orcid = null, institutions = [] } = people.get(name) ?? {};
      const named = institutions.slice(0, MOST_INSTITUTIONS).map((each) => ({ name: each.slice(0, 300), ror: null }));
      return { ...parsePersonName(name.slice(0, 300)), orcid, institutions: named };
    }),
    date: imprint.date ?? null,
    venue: imprint.venue ?? null,
    publisher: imprint.publisher ?? null,
    issn: imprint.issn ?? [],
    volume: imprint.volume ?? null,
    issue: imprint.issue ?? null,
    pages: imprint.pages ?? null,
    language: sidecar.language ?? null,
    abstract: sidecar.abstract ?? null,
    keywords: imprint.keywords ?? [],
    license: license?.slug ?? null,
  };
  const isMarkup = sidecar.source_kind !== 'pdf';
  const stamped = arxiv && `10.48550/arxiv.${arxiv.id}`;
  return {
    /** Without a DOI if only the services can tell whether it is the document's. */
    record: withProvenance(record, 'document', at),
    /** Most likely first. */
    dois: [...new Set([...(doi === null ? [] : [doi]), ...others, ...(stamped === null ? [] : [stamped])])],
    /** The DOI to use without a check, and the one to use if no service knows it. */
    unchecked: { unasked: isMarkup || others.length === 0 ? doi : null, unknown: isMarkup ? doi : null },
  };
}

/** Shorter titles are too common to prove anything alone. */
const FEWEST_WORDS = 4;

/** The head is the start of its text, including title and authors. */
type IdentifiablePaper = Pick<Sidecar, 'title' | 'authors' | 'head'>;

/** A first page names other works too: the titles must match, or title and author be near its start. */
export function isSamePaper(paper: IdentifiablePaper, record: WorkRecord): boolean {
  const words = titleWords(record.title);
  if (words.length === 0) return false;
  const isTelling = words.length >= FEWEST_WORDS;
  if (compareTitles(paper.title, record.title) === 'same') return isTelling || namesAuthor(paper, record) !== false;
  const ownWords = titleWords(paper.title);
  if (ownWords.some((word) => isAboutAnother(word) && !words.includes(word))) return false;
  const work = namedWork(record.id, NO_IDS, { title: record.title });
  return isTelling && belongsTo(work, paper.head) === 'yes' && namesAuthor(paper, record) === true;
}

/** Whether an author of the record is named at the start of the paper; null if the record has none. */
function namesAuthor({ authors, head }: IdentifiablePaper, record: WorkRecord): boolean | null {
  const families = record.authors.map((author) => titleWords(namesOf(author).family ?? author.name).join(' '));
  const known = families.filter((name) => name !== '');
  if (known.length === 0) return null;
  const text = ` ${titleWords(authors.join(' ').slice(0, 1_000)).join(' ')} ${titleWords(head).join(' ')} `;
  return known.some((name) => text.includes(` ${name} `));
}

const MOST_REFERENCES = 2_000;

/**
 * Adds what documents say where no better source exists; a DOI in a PDF is checked first. Documents with another title
 * are ignored, and documents read before are skipped unless they were parsed again.
 */
export async function enrichWorks(documents: readonly string[], parts: PaperParts, signal: AbortSignal): Promise<void> {
  const { dataRoot, records } = parts;
  const read = records.readDocuments();
  for (const document of documents) {
    signal.throwIfAborted();
    const stamp = stampOf(sidecarPath(dataRoot, document));
    if (stamp === undefined || read.get(document) === stamp) continue;
    const record = records.ofDocument(document);
    const sidecar = readSidecar(sidecarPath(dataRoot, document));
    if (!record || sidecar.source_sha256 === undefined) continue;
    const said = await saidOf(document, sidecar, record, parts, signal);
    records.fileWords({ document, stamp, work: record.id }, said);
  }
}

async function saidOf(
  document: string,
  sidecar: Sidecar,
  record: WorkRecord,
  parts: PaperParts,
  signal: AbortSignal,
): Promise<readonly WorkRecord[]> {
  if (record.title !== null && !isSamePaper(sidecar, record)) return [];
  const at = new Date(parts.now()).toISOString();
  const stated = documentRecord(document, sidecar, at);
  // Only a DOI that the document alone names is looked up.
  const asking = record.ids.doi === null && stated.dois.length > 0 ? parts.asking() : undefined;
  const found = asking ? (await lookUp(sidecar, stated, { asking, now: parts.now }, signal)).records : [];
  const doi = record.ids.doi === null && found.length === 0 ? stated.unchecked.unknown : null;
  const { arxiv } = stated.record.ids;
  const own: WorkRecord = {
    ...stated.record,
    // The version is that of the file, not of the work.
    ids: { ...stated.record.ids, doi, arxiv: arxiv && { ...arxiv, version: null } },
    references: record.references.length > 0 ? [] : await referencesOf(parts.dataRoot, document),
  };
  return [withProvenance(own, 'document', at), ...found];
}

async function referencesOf(dataRoot: string, document: string): Promise<string[]> {
  const parsed = await readBlockLines(blocksPath(dataRoot, document)).catch((error: unknown) => {
    // The next stage reports a damaged or missing file.
    if (['BLOCKS_BROKEN', 'ENOENT'].includes(errorInfo(error).code)) return undefined;
    throw error;
  });
  const dois = (parsed?.blocks ?? []).flatMap((block) => {
    if (block.kind !== 'reference') return [];
    const doi =
      block.doi ?? (block.arxivId === undefined ? '' : `10.48550/arxiv.${block.arxivId.replace(/v\d+$/, '')}`);
    return normalizeDoi(doi) ?? [];
  });
  return [...new Set(dois)].slice(0, MOST_REFERENCES).map((doi) => `doi:${doi}`);
}

/** Changes when the document is parsed again; undefined if it was not parsed. */
function stampOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && `${found.mtimeMs} ${found.size}`;
}
