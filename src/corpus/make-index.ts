import { AppError } from '../base/index.ts';
import type { Config } from '../config/index.ts';
import type { IndexEvent } from '../search/index.ts';
import { openIndex, refreshIndex } from '../search/index.ts';
import type { RunAccount } from './account.ts';
import { documentLinks } from '../ask/index.ts';
import type { MessageEvent } from './events.ts';
import type { SearchPlace } from './search-place.ts';

/** What making or opening an index tells. */
export type SearchEvent = MessageEvent | { readonly kind: 'index'; readonly event: IndexEvent };

/** Brings the index up to date with the passages, where there are any: it may have been carried away from them. */
export async function refreshPlace(
  place: SearchPlace,
  tell: (event: SearchEvent) => void,
  signal?: AbortSignal,
): Promise<void> {
  const { folder, dataRoot, format } = place;
  if (!format) return;
  await refreshIndex({
    dataRoot,
    folder,
    format,
    linkOf: documentLinks(folder, dataRoot),
    ...(signal && { signal }),
    report: (event) => tell({ kind: 'index', event }),
  });
}

/** Makes everything that the stages have written searchable; undefined where that is nothing. */
export async function makeIndex(
  config: Config,
  tell: (event: SearchEvent) => void,
  signal: AbortSignal,
): Promise<NonNullable<RunAccount['index']> | undefined> {
  const folder = config.download.out;
  try {
    const { passages } = await refreshIndex({
      dataRoot: config.parse.data_root,
      folder,
      format: config.parse.format,
      linkOf: documentLinks(folder, config.parse.data_root),
      signal,
      report: (event) => tell({ kind: 'index', event }),
    });
    using opened = await openIndex(folder);
    return { passages, searched_by: opened.manifest.dense ? 'words and meaning' : 'words' };
  } catch (error) {
    // A run that found nothing has nothing to be searched, which its account says already.
    if (error instanceof AppError && error.code === 'INDEX_NOTHING') return undefined;
    throw error;
  }
}
