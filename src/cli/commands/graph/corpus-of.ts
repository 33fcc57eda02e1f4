import { existsSync } from 'node:fs';
import { join } from 'node:path';

import type { Layer } from '../../../config/index.ts';
import type { Corpus } from '../../../corpus/index.ts';
import { findSearchPlace, openCorpus } from '../../../corpus/index.ts';
import type { Session } from '../../session.ts';

/** The corpus whose graph is meant: a run folder need not have passages for that, parsed papers are enough. */
export async function corpusOf(
  session: Session,
  flags: { readonly run?: string },
  settings: Layer = [],
): Promise<Corpus> {
  const { config } = session.load(settings);
  const data = flags.run === undefined ? undefined : join(flags.run, 'Data');
  const { folder, dataRoot } =
    flags.run !== undefined && data !== undefined && existsSync(data)
      ? { folder: flags.run, dataRoot: data }
      : findSearchPlace(config, flags.run);
  return await openCorpus(folder, {
    clock: session.clock,
    config: { ...config, parse: { ...config.parse, data_root: dataRoot } },
  });
}
