import { basename } from 'node:path';

import type { Clock } from '../../base/index.ts';
import { manifestRow } from '../../download/index.ts';
import { namedWork, NO_IDS } from '../../works/index.ts';
import type { UnreadableEntry } from '../provider.ts';
import type { ManifestFolder } from './manifest-folder.ts';

/** Writes down an entry of a list that names no work, once: it is accounted for like any work. */
export function unreadableRow(
  manifest: ManifestFolder,
  runId: string,
  clock: Clock,
): (entry: UnreadableEntry) => Promise<void> {
  return async ({ file, line, reason }) => {
    const work = namedWork(`entry:${basename(file)}#${line}`, NO_IDS);
    if (manifest.last(work.id)) return;
    const at = clock.now();
    const outcome = { kind: 'failed', reason: 'unreadable-entry', detail: `line ${line}: ${reason}` } as const;
    await manifest.write(
      manifestRow({ work, outcome, attempts: [], problems: [], asked: [], startedAt: at, endedAt: at }, runId),
    );
  };
}
