import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import { ourPipeline, workAt } from './ours.ts';
import type { Seen } from './slow-web.ts';
import type { HostedFile } from './zipf.ts';

export const MIX = { files: 2_000, hosts: 200, perHost: 4, answerMs: 200 } as const;

/** The least possible: the larger of all the work over all workers, and the largest host's over what it allows. */
export function lowerBoundSeconds(files: readonly HostedFile[], atOnce: number): number {
  const largest = Math.max(
    ...Map.groupBy(files, ({ host }) => host)
      .values()
      .map((list) => list.length),
  );
  return (Math.max(files.length / atOnce, largest / MIX.perHost) * MIX.answerMs) / 1000;
}

/** What the hosts saw, and how often a fleet's database was asked about them. */
export type Makespan = Seen & { readonly roundTrips: number };

/** Takes the files through the whole pipeline, in the order given. */
export async function makespan(
  files: readonly HostedFile[],
  { out, atOnce, shared }: { readonly out: string; readonly atOnce: number; readonly shared?: string | undefined },
): Promise<Makespan> {
  const web = fork(join(import.meta.dirname, 'slow-web.ts'), [String(MIX.answerMs)]);
  try {
    const [port] = (await once(web, 'message')) as [number];
    const works = files.map(({ host, number }, at) =>
      workAt(at, `Document ${number} of host ${host}`, `http://host-${host}.files.test/${number}.pdf`),
    );
    const { saved, roundTrips } = await ourPipeline({
      port,
      atOnce,
      perHost: MIX.perHost,
      out,
      works,
      inspect: false,
      shared,
    });
    if (saved !== files.length) throw new Error(`${saved} of ${files.length} files were kept`);
    web.send('seen');
    const [seen] = (await once(web, 'message')) as [Seen];
    return { ...seen, roundTrips };
  } finally {
    web.disconnect();
  }
}
