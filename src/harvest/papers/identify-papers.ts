import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Sidecar } from '../../parse/index.ts';
import { DOCTAGS_FOLDER, parseSidecar } from '../../parse/index.ts';
import type { Records } from '../../store/index.ts';
import type { WorkRecord } from '../../works/index.ts';
import { doiPath, withProvenance } from '../../works/index.ts';
import { askRecords } from '../ask-records.ts';
import type { Asking } from '../open-download.ts';
import type { StatedPaper } from './document-record.ts';
import { documentRecord } from './document-record.ts';
import { isSamePaper } from './same-paper.ts';

/** A DOI in a paper that belongs to another work. */
export interface RefusedDoi {
  readonly document: string;
  readonly doi: string;
  /** The title of the other work; null if unknown. */
  readonly title: string | null;
}

/** How the user's papers were identified. */
export interface IdentifiedPapers {
  /** By an id that a service confirmed. */
  readonly checked: number;
  /** By an id that no service confirmed. */
  readonly unchecked: number;
  /** Without an id. */
  readonly unnamed: number;
  readonly refused: readonly RefusedDoi[];
  /** Papers for which a service did not answer; the next run tries again. */
  readonly unanswered: number;
}

const TOGETHER = 4;
/** Failures in a row after which the services count as down. */
const PATIENCE = 3;
/** Ids checked per paper. */
const MOST_IDS = 3;

/**
 * Creates a record for each of the user's papers: from the document, and from OpenAlex and Crossref for the id in it if
 * the titles match. Known papers are skipped unless their bytes have changed or they can now be checked.
 */
export async function identifyPapers(
  documents: readonly string[],
  parts: {
    readonly dataRoot: string;
    readonly records: Records;
    /** Undefined if no service may be queried. */
    readonly asking: Asking | undefined;
    readonly now: () => number;
  },
  signal: AbortSignal,
): Promise<IdentifiedPapers> {
  const { dataRoot, records, asking } = parts;
  const filed = records.ownPapers();
  const counts = { checked: 0, unchecked: 0, unnamed: 0, unanswered: 0 };
  const refused: RefusedDoi[] = [];
  let silent = 0;
  const identify = async (document: string): Promise<void> => {
    const sidecar = await sidecarOf(dataRoot, document);
    if (!sidecar) return;
    const before = filed.get(document);
    const canAsk = asking !== undefined && silent < PATIENCE;
    if (before?.sha256 !== sidecar.sha256 || (!before.checked && canAsk)) {
      const stated = documentRecord(document, sidecar, new Date(parts.now()).toISOString());
      const found = canAsk ? await lookUp(sidecar, stated, { ...parts, asking }, signal) : UNASKED;
      silent = found.isAway ? silent + 1 : 0;
      const checked = found.records.length > 0 || (canAsk && !found.isAway);
      const { unasked, unknown } = stated.unchecked;
      const isUnknown = found.refused.some(({ doi, title }) => doi === unknown && title === null);
      const doi = found.records.length > 0 ? null : checked ? (isUnknown ? unknown : null) : unasked;
      refused.push(...found.refused.filter((each) => each.doi !== doi).map((each) => ({ document, ...each })));
      const own = doi === null ? stated.record : withDoi(stated.record, doi);
      records.fileOwn({ document, sha256: sidecar.sha256, checked }, [own, ...found.records]);
      if (asking && !checked) counts.unanswered += 1;
    }
    counts[standingOf(records.ofDocument(document))] += 1;
  };
  let next = 0;
  const work = async (): Promise<void> => {
    for (let document = documents[next++]; document !== undefined; document = documents[next++]) {
      signal.throwIfAborted();
      await identify(document);
    }
  };
  await Promise.all(Array.from({ length: TOGETHER }, work));
  // Papers are checked concurrently; the result has a fixed order.
  refused.sort((a, b) => documents.indexOf(a.document) - documents.indexOf(b.document));
  return { ...counts, refused };
}

/** The metadata written when a document was parsed; undefined if there is none. */
export async function sidecarOf(dataRoot: string, document: string): Promise<Sidecar | undefined> {
  try {
    return parseSidecar(await readFile(join(dataRoot, DOCTAGS_FOLDER, `${document}.meta.json`), 'utf8'));
  } catch (error) {
    // The summary reports papers that could not be parsed.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

interface Found {
  readonly records: readonly WorkRecord[];
  readonly refused: readonly Omit<RefusedDoi, 'document'>[];
  readonly isAway: boolean;
}

const UNASKED: Found = { records: [], refused: [], isAway: false };

/** Looks up the ids in a paper until one is its own. */
export async function lookUp(
  sidecar: Sidecar,
  { dois, record }: StatedPaper,
  { asking, now }: { readonly asking: Asking; readonly now: () => number },
  signal: AbortSignal,
): Promise<Found> {
  const face = { title: sidecar.title ?? null, authors: sidecar.authors, head: sidecar.head };
  const { pmid } = record.ids;
  const asked = [
    ...dois.slice(0, MOST_IDS).map((doi) => ({ openalex: `doi:${doiPath(doi)}`, doi })),
    ...(pmid === null ? [] : [{ openalex: `pmid:${pmid}`, doi: null }]),
  ];
  const refused: Omit<RefusedDoi, 'document'>[] = [];
  let isAway = false;
  for (const ids of asked) {
    const said = await askRecords(ids, asking, { now: now(), signal });
    const own = said.records.filter((each) => isSamePaper(face, each));
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

/** How a paper's record was identified. */
function standingOf(record: WorkRecord | undefined): 'checked' | 'unchecked' | 'unnamed' {
  if (record?.sources.some(({ from }) => from !== 'document')) return 'checked';
  return Object.values(record?.ids ?? {}).some((id) => id !== null) ? 'unchecked' : 'unnamed';
}
