import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { versionOf } from './report.ts';

const FOLDER = join(import.meta.dirname, '..', 'peers');

/** Installs the programs we compare with, when they are not there yet; answers whether they are there now. */
export function installPeers(tell: (text: string) => void): boolean {
  if (existsSync(join(FOLDER, 'node_modules', '.package-lock.json'))) return true;
  tell('installing the peers (npm install --prefix bench/peers), which are no dependencies of the package');
  // Their install scripts are not needed: better-sqlite3 brings its binaries along.
  const { status } = spawnSync(
    'npm',
    ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', FOLDER],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
      shell: process.platform === 'win32',
    },
  );
  if (status === 0) return true;
  tell('THE PEERS COULD NOT BE INSTALLED (offline?): the figures below are ours and the bare limit alone');
  return false;
}

/** Loads a peer. Its types are not ours to check, so the caller says what it uses of it. */
export async function loadPeer<T>(name: string): Promise<T> {
  const loader = pathToFileURL(join(FOLDER, 'load.js')).href;
  const { load } = (await import(loader)) as { load: (name: string) => Promise<T> };
  return load(name);
}

/** The version of a peer that is installed. */
export function peerVersion(name: string): string {
  return versionOf(join(FOLDER, 'node_modules', name, 'package.json'));
}
