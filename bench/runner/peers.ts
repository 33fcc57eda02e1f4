import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const FOLDER = join(import.meta.dirname, '..', 'peers');

/** What is used of each peer; their own types are not ours to check. */
export interface Peers {
  readonly pMap: (
    items: Iterable<unknown>,
    work: (item: never) => Promise<unknown>,
    options: { readonly concurrency: number },
  ) => Promise<unknown>;
  readonly PQueue: new (options: { readonly concurrency: number }) => {
    add(work: () => Promise<unknown>): Promise<unknown>;
    onSizeLessThan(limit: number): Promise<void>;
    onIdle(): Promise<void>;
  };
  readonly Piscina: Pool;
  readonly Tinypool: Pool;
  readonly versions: string;
}

type Pool = new (options: Readonly<Record<string, unknown>>) => {
  run(task: unknown): Promise<unknown>;
  destroy(): Promise<void>;
};

/** Loads the peers, or says how to install them. */
export async function loadPeers(): Promise<Peers | undefined> {
  const resolve = createRequire(join(FOLDER, 'package.json'));
  const names = ['p-map', 'p-queue', 'piscina', 'tinypool'];
  const load = async (name: string): Promise<Record<string, unknown>> =>
    (await import(pathToFileURL(entryOf(name)).href)) as Record<string, unknown>;
  function entryOf(name: string): string {
    const folder = join(FOLDER, 'node_modules', name);
    const { exports, main } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      readonly exports?: unknown;
      readonly main?: string;
    };
    const entry = importOf(exports) ?? main;
    return entry === undefined ? resolve.resolve(name) : join(folder, entry);
  }
  try {
    const [pMap, pQueue, piscina, tinypool] = await Promise.all(names.map((name) => load(name)));
    return {
      pMap: pMap?.['default'],
      PQueue: pQueue?.['default'],
      Piscina: piscina?.['Piscina'] ?? piscina?.['default'],
      Tinypool: tinypool?.['Tinypool'] ?? tinypool?.['default'],
      versions: names
        .map((name) => {
          const path = join(FOLDER, 'node_modules', name, 'package.json');
          return `${name} ${(JSON.parse(readFileSync(path, 'utf8')) as { readonly version: string }).version}`;
        })
        .join(', '),
    } as Peers;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return undefined;
  }
}

/** The file a package gives to `import`. */
function importOf(exports: unknown): string | undefined {
  if (typeof exports === 'string') return exports;
  if (typeof exports !== 'object' || exports === null) return undefined;
  const map = exports as Readonly<Record<string, unknown>>;
  return importOf(map['.'] ?? map['import'] ?? map['default'] ?? map['require']);
}
