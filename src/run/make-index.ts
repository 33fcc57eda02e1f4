import { existsSync, readdirSync } from 'node:fs';
import { dirname } from 'node:path';

import type { Config } from '../config/index.ts';
import { documentLink } from '../library/index.ts';
import type { FileFormat } from '../parse/index.ts';
import { chunkOutput } from '../parse/index.ts';
import type { IndexEvent } from '../search/index.ts';
import { readManifest, refreshIndex } from '../search/index.ts';
import type { MessageEvent, RunAccount } from './run-file.ts';

/** What happens while the index is updated. */
export type SearchEvent =
  | MessageEvent
  /** The index takes passages. */
  | { readonly kind: 'index'; readonly event: IndexEvent };

/** Updates the index from the passages; undefined if there are none: an index may have been copied without them. */
export async function refreshPassages(
  folder: string,
  config: Config,
  tell: (event: SearchEvent) => void,
  { signal, thorough = false }: { readonly signal?: AbortSignal | undefined; readonly thorough?: boolean } = {},
): Promise<number | undefined> {
  const dataRoot = config.parse.data_root;
  const format = chunkFormat(dataRoot, config);
  if (!format) return undefined;
  const report = (event: IndexEvent): void => tell({ kind: 'index', event });
  const linkOf = (document: string): string | undefined => documentLink({ folder, dataRoot }, document);
  return (await refreshIndex({ dataRoot, folder, format, linkOf, thorough, ...(signal && { signal }), report }))
    .passages;
}

/** Undefined if the run has found nothing. */
export async function makeIndex(
  config: Config,
  tell: (event: SearchEvent) => void,
  signal: AbortSignal,
): Promise<NonNullable<RunAccount['index']> | undefined> {
  const folder = config.download.out;
  const passages = await refreshPassages(folder, config, tell, { signal });
  if (passages === undefined) return undefined;
  return { passages, searched_by: readManifest(folder).dense ? 'words and meaning' : 'words' };
}

/** The format of the chunks in a data folder, the configured one first; undefined if there are none. */
export function chunkFormat(dataRoot: string, { parse }: Config): FileFormat | undefined {
  const folder = chunkFolder(dataRoot);
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const formats: readonly FileFormat[] = [parse.format, 'parquet', 'jsonl'];
  return formats.find((format) => names.some((name) => name.endsWith(`.${format}`)));
}

export function chunkFolder(dataRoot: string): string {
  return dirname(chunkOutput(dataRoot, 'any', 'parquet'));
}
