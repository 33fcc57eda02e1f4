import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import { packageRoot } from './files.ts';

/** The fields of package.json that name optional packages with their versions. */
interface Versions {
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** The command that adds optional packages where this one is installed at `root`: globally, in a project or in a clone. */
export function installCommand(
  names: readonly string[],
  flags: readonly string[] = [],
  root: string = packageRoot(),
): string {
  const { optionalDependencies, peerDependencies } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  ) as Versions;
  const versioned = names.map((name) => {
    const range = optionalDependencies?.[name] ?? peerDependencies?.[name];
    return range === undefined ? name : `${name}@${withoutSign(range)}`;
  });
  const folder = dirname(root);
  const isGlobal = basename(folder) === 'node_modules' && !existsSync(join(folder, '..', 'package.json'));
  return ['npm install', ...(isGlobal ? ['-g'] : []), ...versioned, ...flags].join(' ');
}

/** A range without `^` and `~`, which mean other things to some shells: `^7.0.1` is `7`, `~1.30.0` is `1.30`. */
function withoutSign(range: string): string {
  const parts = range.replace(/^[\^~]/, '').split('.');
  const kept = /^\d/.test(range) ? 3 : range.startsWith('^') && parts[0] !== '0' ? 1 : 2;
  return parts.slice(0, kept).join('.');
}
