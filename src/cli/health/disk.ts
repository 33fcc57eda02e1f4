import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

import type { Config } from '../../config/index.ts';
import type { Finding } from './finding.ts';

const LITTLE = 5e9;
const NOTHING = 1e8;

/** Checks that the output folders are writable and have enough free space. */
export function checkDisk({ download, parse, queue }: Config): Finding[] {
  const folders: (readonly [name: string, folder: string, setting: string])[] = [
    ['run folder', download.out, 'download.out'],
    ['data root', parse.data_root, 'parse.data_root'],
    ...(queue.backend === 'sqlite' ? ([['queue', dirname(queue.path), 'queue.path']] as const) : []),
  ];
  return folders.map(([name, folder, setting]) => checkFolder(name, resolve(folder), setting));
}

function checkFolder(name: string, folder: string, setting: string): Finding {
  const about = { area: 'disk', name } as const;
  const standing = nearestStanding(folder);
  try {
    accessSync(standing, constants.W_OK);
  } catch {
    return {
      ...about,
      state: 'bad',
      found: `${standing} is not writable`,
      fix: `set ${setting} to another folder`,
    };
  }
  const { bavail, bsize } = statfsSync(standing);
  const free = bavail * bsize;
  const found = `${(free / 1e9).toFixed(1)} GB free for ${folder}`;
  if (free > LITTLE) return { ...about, state: 'good', found };
  return {
    ...about,
    state: free > NOTHING ? 'hint' : 'bad',
    found,
    fix: `a paper needs about 3 MB including derived files: free some space, or set ${setting}`,
  };
}

/** The nearest existing ancestor of a folder. */
function nearestStanding(folder: string): string {
  let at = folder;
  while (!existsSync(at)) at = dirname(at);
  return at;
}
