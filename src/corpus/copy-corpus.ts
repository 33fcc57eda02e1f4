import { existsSync, statSync } from 'node:fs';

import { AppError } from '../base/index.ts';
import type { Config, Layer } from '../config/index.ts';
import type { Copied, Runtime } from '../run/index.ts';
import { copyToDatabase, copyToFolder, corpusLayer, fleetLayer } from '../run/index.ts';
import type { IndexEvent } from '../search/index.ts';
import { openCorpus } from './corpus.ts';
import { findCorpus, isDatabaseUrl } from './open-database.ts';

/** How a corpus is copied. */
export interface CopyOptions {
  /** Resolves settings, of which these are the first. */
  readonly load: (layer: Layer) => Config;
  readonly runtime: Runtime;
  readonly report: (event: IndexEvent) => void;
  readonly signal: AbortSignal;
}

/**
 * Copies a corpus from a folder into PostgreSQL, or from PostgreSQL into a folder, and makes its index there. Either place
 * is a folder or an address. It may be stopped and called again.
 */
export async function copyCorpus(from: string, to: string, options: CopyOptions): Promise<Copied> {
  const { load, runtime, report, signal } = options;
  if (isDatabaseUrl(from) === isDatabaseUrl(to))
    throw new AppError(
      'USAGE_COPY',
      'a corpus is copied from a folder into a database, or from a database into a folder',
      {
        hint: 'docstokg copy runs/corals postgres://user@host/database --store s3://bucket/prefix',
      },
    );
  if (isDatabaseUrl(to)) {
    if (!existsSync(from) || !statSync(from).isDirectory())
      throw new AppError('USAGE_RUN', `${from} is not a run folder`, { hint: 'give the folder of a corpus' });
    return await copyToDatabase(from, (layer) => load([...fleetLayer(to), ...layer]), runtime, report, signal);
  }
  const { layer } = await findCorpus(from, load, runtime);
  const copied = await copyToFolder(to, (more) => load([...layer, ...more]), runtime, signal);
  const config = load(corpusLayer(to, 'the folder of the copy'));
  await using corpus = await openCorpus(to, { config, clock: runtime.clock });
  await corpus.reindex((message) => runtime.log('warn', message));
  return copied;
}
