import { join } from 'node:path';

import type { Config } from '../../config/index.ts';
import type { Records } from '../../database/index.ts';
import type { WorkProvider } from '../../download/index.ts';
import type { Work } from '../../works/index.ts';
import type { DownloadParts } from '../download/open-download.ts';
import type { Runtime } from '../queue/open-queue.ts';
import type { ListedTimes, ZoteroVersions } from './provider.ts';
import { countingRepeats, countListed, wantedWorks } from './provider.ts';
import type { WantedDocuments } from './run-request.ts';

interface ListRequest extends Pick<WantedDocuments, 'ids' | 'wanted' | 'unidentified' | 'only'> {
  readonly config: Config;
  readonly runtime: Runtime;
  readonly zotero: ZoteroVersions;
}

/** Lists the works of a request: of services, of lists and by ids; each entry of a list is accounted for. */
export function listWorks(
  { ids, wanted, unidentified, only, config, runtime, zotero }: ListRequest,
  parts: Parameters<NonNullable<DownloadParts['provider']>>[0],
): WorkProvider {
  return (signal, queued) => {
    const inputs: ListedTimes = new Map();
    const works = wantedWorks(ids, wanted, {
      ...parts,
      signal,
      queued,
      tell: (message) => runtime.log('info', message),
      clock: runtime.clock,
      statePath: join(config.download.out, 'state', 'listing.json'),
      zoteroVersions: zotero,
      entries: unidentified.flatMap((id) => parts.records.get(id) ?? []),
      identified: async (entry, work, record) => {
        only?.add(work.id);
        await parts.identified(entry, work, record);
      },
      listed: (file, work) => countListed(inputs, file, work),
    });
    const hasLists = (wanted.input?.length ?? 0) > 0;
    const counted = hasLists ? countingRepeats(works, parts.records, inputs) : works;
    return only ? onlyThese(counted, only, parts.records) : counted;
  };
}

/** The selected works, which the selection may name by another id. */
async function* onlyThese(
  works: AsyncIterable<Work>,
  only: ReadonlySet<string>,
  records: Records,
): AsyncGenerator<Work> {
  for await (const work of works) if (only.has(work.id) || only.has(records.get(work.id)?.id ?? '')) yield work;
}
