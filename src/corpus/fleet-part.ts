import { AppError } from '../base/index.ts';
import type { Config } from '../config/index.ts';
import { CorpusStore } from '../database/index.ts';
import { fleetDatabase, isFleetFolder } from '../journal/index.ts';
import { chunkedDocuments, parsedDocuments } from '../parse/index.ts';
import type { SharedCorpus } from '../run/index.ts';
import { chunkFormat } from '../run/index.ts';

/** Throws if documents of a fleet are not in the folder of one machine: nothing is answered from a part of them. */
export function requireAll(absent: number, all: number, folder: string): void {
  if (absent === 0) return;
  throw new AppError(
    'CORPUS_PART',
    `${folder} is the folder of one machine of a fleet: ${absent} of ${all} documents are not here`,
    { hint: wholeCommand(folder) },
  );
}

/** Like `requireAll`, for what is made of parsed documents. */
export function requireWhole(place: {
  readonly folder: string;
  readonly dataRoot: string;
  readonly shared: SharedCorpus | undefined;
}): void {
  const { folder, dataRoot, shared } = place;
  if (shared || !isFleetFolder(folder)) return;
  using store = CorpusStore.open(folder);
  store.ingest();
  const here = new Set(parsedDocuments(dataRoot));
  const parsed = store.column("select document from document_steps where step = 'parsed' and ended = 'success'");
  requireAll(parsed.filter((document) => !here.has(document)).length, parsed.length, folder);
}

/** Like `requireAll`, for passages. */
export function requireChunks(folder: string, config: Config): void {
  const { data_root: dataRoot } = config.parse;
  const format = isFleetFolder(folder) ? chunkFormat(dataRoot, config) : undefined;
  if (!format) return;
  using store = CorpusStore.open(folder);
  store.ingest();
  const here = new Set(chunkedDocuments(dataRoot, format));
  const chunked = store.column("select document from document_steps where step = 'chunked' and ended = 'success'");
  requireAll(chunked.filter((document) => !here.has(document)).length, chunked.length, folder);
}

/** What to say of a folder with copies of a fleet's logs; undefined for others. */
export function copyNotice(folder: string): string | undefined {
  if (!isFleetFolder(folder)) return undefined;
  const database = fleetDatabase(folder) ?? 'postgres://user@host/database';
  return `${folder} has copies of a fleet's logs, as they were when they were last copied; --database ${database} asks the fleet itself`;
}

/** What to type for the whole corpus of a fleet. */
export function wholeCommand(folder: string): string {
  const database = fleetDatabase(folder) ?? 'postgres://user@host/database';
  return `ask the whole corpus with --database ${database}; docstokg store ${folder} --pull brings it here`;
}
