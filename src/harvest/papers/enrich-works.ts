import { stat } from 'node:fs/promises';
import { join } from 'node:path';

import { errorInfo } from '../../base/index.ts';
import type { Sidecar } from '../../parse/index.ts';
import { DOCTAGS_FOLDER, readBlockLines } from '../../parse/index.ts';
import type { Records } from '../../store/index.ts';
import type { WorkRecord } from '../../works/index.ts';
import { normalizeDoi, withProvenance } from '../../works/index.ts';
import type { Asking } from '../open-download.ts';
import type { StatedPaper } from './document-record.ts';
import { documentRecord } from './document-record.ts';
import { lookUp, sidecarOf } from './identify-papers.ts';
import { isSamePaper } from './same-paper.ts';

const MOST_REFERENCES = 2_000;

/**
 * Adds to the records of works what their own documents say and no better source has said: abstract, keywords, licence, ids,
 * references and the rest. A document whose title is another's says nothing of the work. A DOI that stands on a PDF is asked
 * about first, as that of one's own papers. Documents that were read before are skipped unless they were parsed anew.
 */
export async function enrichWorks(
  documents: readonly string[],
  parts: {
    readonly dataRoot: string;
    readonly records: Records;
    /** Undefined where no service may be asked. */
    readonly asking: () => Asking | undefined;
    readonly now: () => number;
  },
  signal: AbortSignal,
): Promise<void> {
  const { dataRoot, records } = parts;
  const read = records.readDocuments();
  for (const document of documents) {
    signal.throwIfAborted();
    const stamp = await stampOf(dataRoot, document);
    if (stamp === undefined || read.get(document) === stamp) continue;
    const record = records.ofDocument(document);
    const sidecar = record && (await sidecarOf(dataRoot, document));
    if (!sidecar) continue;
    const said = await saidOf(document, sidecar, record, parts, signal);
    records.fileWords({ document, stamp, work: record.id }, said);
  }
}

/** What a document says of the work that it holds, and what the services say of a DOI that only it names. */
async function saidOf(
  document: string,
  sidecar: Sidecar,
  record: WorkRecord,
  parts: Parameters<typeof enrichWorks>[1],
  signal: AbortSignal,
): Promise<readonly WorkRecord[]> {
  const face = { title: sidecar.title ?? null, authors: sidecar.authors, head: sidecar.head };
  if (record.title !== null && !isSamePaper(face, record)) return [];
  const at = new Date(parts.now()).toISOString();
  const stated = documentRecord(document, sidecar, at);
  const found = record.ids.doi === null ? await registered(sidecar, stated, parts, signal) : [];
  const doi = record.ids.doi === null && found.length === 0 ? stated.unchecked.unknown : null;
  const { arxiv } = stated.record.ids;
  const own: WorkRecord = {
    ...stated.record,
    // The version on the page is that of the file; the work is wanted as it is now.
    ids: { ...stated.record.ids, doi, arxiv: arxiv && { ...arxiv, version: null } },
    references: record.references.length > 0 ? [] : await referencesOf(parts.dataRoot, document),
  };
  return [withProvenance(own, 'document', at), ...found];
}

async function registered(
  sidecar: Sidecar,
  stated: StatedPaper,
  parts: Parameters<typeof enrichWorks>[1],
  signal: AbortSignal,
): Promise<readonly WorkRecord[]> {
  const asking = stated.dois.length === 0 ? undefined : parts.asking();
  return asking ? (await lookUp(sidecar, stated, { asking, now: parts.now }, signal)).records : [];
}

/** The works that a document's list of references names by an id. */
async function referencesOf(dataRoot: string, document: string): Promise<string[]> {
  const parsed = await readBlockLines(join(dataRoot, DOCTAGS_FOLDER, `${document}.jsonl`)).catch((error: unknown) => {
    // A file that is damaged or gone is told by the stage that reads it next.
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

/** Another one than before means that the document was parsed anew; undefined where it was not parsed. */
async function stampOf(dataRoot: string, document: string): Promise<string | undefined> {
  try {
    const { mtimeMs, size } = await stat(join(dataRoot, DOCTAGS_FOLDER, `${document}.meta.json`));
    return `${mtimeMs} ${size}`;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
