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

/** A DOI that stands in a paper and is not its own. */
export interface RefusedDoi {
  readonly document: string;
  readonly doi: string;
  /** The title of the work whose DOI it is; null where nobody knows such a work. */
  readonly title: string | null;
}

/** How one's own papers were told apart as works. */
export interface IdentifiedPapers {
  /** By an id in them, with the services' word that it is theirs. */
  readonly checked: number;
  /** By an id that they state, which no service has confirmed. */
  readonly unchecked: number;
  /** By nothing but what they say: no id was found that is theirs. */
  readonly unnamed: number;
  readonly refused: readonly RefusedDoi[];
  /** Papers about which a service that was asked gave no answer; the next run asks again. */
  readonly unanswered: number;
}

const TOGETHER = 4;
/** A service that has not answered so many times in a row is away. */
const PATIENCE = 3;
/** Of the ids that stand in a paper so many are looked at. */
const MOST_IDS = 3;

/**
 * Gives each of one's own papers a record: what the document says of itself, and what OpenAlex and Crossref say of the work
 * whose id stands in it, if its title agrees. Papers that are filed already are skipped unless their bytes have changed
 * or they can now be checked.
 */
export async function identifyPapers(
  documents: readonly string[],
  parts: {
    readonly dataRoot: string;
    readonly records: Records;
    /** Undefined where no service may be asked. */
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
  // Several are asked about at once: the order in which they are told does not depend on who answered first.
  refused.sort((a, b) => documents.indexOf(a.document) - documents.indexOf(b.document));
  return { ...counts, refused };
}

/** What was written beside a document when it was parsed; undefined where it could not be. */
export async function sidecarOf(dataRoot: string, document: string): Promise<Sidecar | undefined> {
  try {
    return parseSidecar(await readFile(join(dataRoot, DOCTAGS_FOLDER, `${document}.meta.json`), 'utf8'));
  } catch (error) {
    // A paper that could not be parsed says nothing of itself; the account tells that it failed.
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

/** Asks about the ids that stand in a paper, one after the other, until one is its own. */
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
    // arXiv's own DOIs are made of its stamp: nobody has printed them there.
    if (ids.doi !== null && !said.isAway && !ids.doi.startsWith('10.48550/'))
      refused.push({ doi: ids.doi, title: said.records[0]?.title ?? null });
  }
  return { records: [], refused, isAway };
}

function withDoi(record: WorkRecord, doi: string): WorkRecord {
  const { at = '' } = record.sources[0] ?? {};
  return withProvenance({ ...record, ids: { ...record.ids, doi } }, 'document', at);
}

/** By what a paper's record is known. */
function standingOf(record: WorkRecord | undefined): 'checked' | 'unchecked' | 'unnamed' {
  if (record?.sources.some(({ from }) => from !== 'document')) return 'checked';
  return Object.values(record?.ids ?? {}).some((id) => id !== null) ? 'unchecked' : 'unnamed';
}
