import { existsSync } from 'node:fs';
import { join } from 'node:path';

import type { Layer } from '../../../config/index.ts';
import type { Corpus } from '../../../corpus/index.ts';
import { findSearchPlace, openCorpus } from '../../../corpus/index.ts';
import { requireFolder } from '../../run-argument.ts';
import type { Session } from '../../session.ts';

/** Opens the corpus of a run folder; parsed papers are enough, a search index is not needed. */
export async function corpusOf(session: Session, run: string | undefined, settings: Layer = []): Promise<Corpus> {
  const { config } = session.load(settings);
  const data = run === undefined ? undefined : join(requireFolder(run), 'Data');
  const { folder, dataRoot } =
    run !== undefined && data !== undefined && existsSync(data)
      ? { folder: run, dataRoot: data }
      : findSearchPlace(config, run);
  return await openCorpus(folder, {
    clock: session.clock,
    config: { ...config, parse: { ...config.parse, data_root: dataRoot } },
  });
}
