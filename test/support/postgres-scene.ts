import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { systemClock } from '../../src/base/index.ts';
import { loadConfig, settingsLayer } from '../../src/config/index.ts';
import type { Corpus } from '../../src/corpus/index.ts';
import { copyCorpus, openCorpus } from '../../src/corpus/index.ts';
import { writeSmallRun } from '../fixtures/small-run.ts';

/** Words alone, and no trained tagger: they have tests of their own. */
export const WORDS_ONLY = { parse: { format: 'jsonl', dense: 'none' }, graph: { entities: 'off' } } as const;
const never = new AbortController().signal;
const runtime = { clock: systemClock, log: () => undefined };
let schemas = 0;

/** A corpus folder, and a schema and a store that have nothing yet. */
export interface PostgresScene extends AsyncDisposable {
  readonly folder: string;
  /** A path in the scene. */
  at(name: string): string;
  copy(from: string, to: string, signal?: AbortSignal): ReturnType<typeof copyCorpus>;
  /** The corpus in PostgreSQL, on a machine of that name. */
  open(machine: string): Promise<Corpus>;
}

export async function openPostgresScene(url: string): Promise<PostgresScene> {
  const temporary = await mkdtempDisposable(join(tmpdir(), 'docstokg-in-postgres-'));
  const at = (name: string): string => join(temporary.path, name);
  schemas += 1;
  const settings = {
    queue: { schema: `corpus_${process.pid}_${schemas}`, pooler: true },
    store: { url: at('store') },
    ...WORDS_ONLY,
  } as const;
  await writeSmallRun(at('folder'), { graph: false });
  return {
    folder: at('folder'),
    at,
    copy: (from, to, signal = never) =>
      copyCorpus(from, to, {
        load: (layer) =>
          loadConfig({ folder: temporary.path, environment: {}, flags: [...settingsLayer(settings, 'test'), ...layer] })
            .config,
        runtime,
        report: () => undefined,
        signal,
      }),
    open: (machine) => openCorpus(url, { settings, copy: at(machine) }),
    [Symbol.asyncDispose]: () => temporary[Symbol.asyncDispose](),
  };
}

/** Writes rows of the stages, as if the documents had gone through them. */
export function logStages(folder: string, documents: readonly string[]): void {
  mkdirSync(join(folder, 'Data', 'Manifests'));
  for (const stage of ['doctags', 'chunk']) {
    const rows = documents.map((id) => ({ stage, doc_id: id, status: 'success' }));
    const log = join(folder, 'Data', 'Manifests', `docparse.${stage}.manifest.jsonl`);
    writeFileSync(log, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  }
}
