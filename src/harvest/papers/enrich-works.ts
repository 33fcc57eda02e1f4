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
 * Completes the records of works from their documents where no better source exists: abstract, keywords, licence, ids,
 * references and more. A document with another title is ignored. A DOI printed in a PDF is checked first, as for the
 * user's own papers. Documents read before are skipped unless they were parsed again.
 */
export async function enrichWorks(
  documents: readonly string[],
  parts: {
    readonly dataRoot: string;
    readonly records: Records;
    /** Undefined if no service may be queried. */
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

/** The document's record of its work, and the services' records of a DOI that only the document names. */
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
    // The version is that of the file, not of the work.
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

/** The referenced works that have an id. */
async function referencesOf(dataRoot: string, document: string): Promise<string[]> {
  const parsed = await readBlockLines(join(dataRoot, DOCTAGS_FOLDER, `${document}.jsonl`)).catch((error: unknown) => {
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
async function stampOf(dataRoot: string, document: string): Promise<string | undefined> {
  try {
    const { mtimeMs, size } = await stat(join(dataRoot, DOCTAGS_FOLDER, `${document}.meta.json`));
    return `${mtimeMs} ${size}`;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
