import { basename, resolve } from 'node:path';

import type { Config } from '../config/index.ts';
import type { Corpus, SearchEvent } from '../corpus/index.ts';
import { openCorpus } from '../corpus/index.ts';
import { screeningOnDemand } from '../screen/index.ts';
import type { McpRun } from './tool.ts';

export interface OpenedRuns extends AsyncDisposable {
  readonly runs: readonly McpRun[];
}

/** Opens run folders; rejects folders without a corpus. Adds a number to duplicate names. */
export async function openRuns(
  folders: readonly string[],
  configFor: (folder: string) => Config,
  tell: (event: SearchEvent) => void,
): Promise<OpenedRuns> {
  await using stack = new AsyncDisposableStack();
  const runs: McpRun[] = [];
  for (const folder of folders) {
    const corpus: Corpus = stack.use(await openCorpus(folder, { config: configFor(folder) }));
    await corpus.library.require();
    const search = stack.use(corpus.liveSearch(tell));
    const screening = stack.use(screeningOnDemand(folder, corpus.config));
    runs.push({ id: nameFor(folder, runs), corpus, search, screening });
  }
  const opened = stack.move();
  return { runs, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

function nameFor(folder: string, runs: readonly McpRun[]): string {
  const name = basename(resolve(folder));
  const taken = new Set(runs.map(({ id }) => id));
  for (let number = 1; ; number += 1) {
    const id = number === 1 ? name : `${name}-${number}`;
    if (!taken.has(id)) return id;
  }
}
