import { homedir } from 'node:os';
import { join } from 'node:path';

import type { Config, Layer } from '../config/index.ts';
import { settingsLayer } from '../config/index.ts';
import type { Clocks, Runtime, SharedCorpus } from '../run/index.ts';
import { corpusLayer, fleetLayer, findDatabase, openShared } from '../run/index.ts';

/** How a corpus in PostgreSQL is opened. */
export interface DatabaseOptions {
  /** Resolves settings, of which these are the first. */
  readonly load: (layer: Layer) => Config;
  /** The folder for copies; by default one of the user's, named after the corpus. */
  readonly copy: string | undefined;
  readonly clocks: Clocks;
  /** Warnings, and that what was warned of is over. */
  readonly warn: (message: string) => void;
  /** Aborted when somebody wants to stop: a server that is away is then waited for only briefly. */
  readonly stop?: AbortSignal | undefined;
}

/** Whether a place is the address of a PostgreSQL server, not a folder. */
export function isDatabaseUrl(place: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(place);
}

/** Opens a corpus whose logs and index are in PostgreSQL. Nothing that is only here is lost with this machine. */
export async function openDatabase(
  url: string,
  { load, copy, clocks, warn, stop }: DatabaseOptions,
): Promise<{ readonly folder: string; readonly config: Config; readonly shared: SharedCorpus }> {
  const runtime: Runtime = { ...clocks, stop, log: (_level, message) => warn(message) };
  const { fleet, cache, layer } = await findCorpus(url, load, runtime);
  const folder = copy ?? join(cache === '' ? join(homedir(), '.docstokg', 'corpora') : cache, fleet);
  const config = load([...layer, ...corpusLayer(folder, 'the copy of the corpus')]);
  return { folder, config, shared: await openShared(config, runtime) };
}

/** The settings of a corpus in PostgreSQL: where it is, and where its files are unless that was given. */
export async function findCorpus(
  url: string,
  load: (layer: Layer) => Config,
  runtime: Runtime,
): Promise<{ readonly fleet: string; readonly cache: string; readonly layer: Layer }> {
  const given = load(fleetLayer(url)).store;
  const { fleet, store } = await findDatabase(load(fleetLayer(url)), runtime);
  const told = given.url === '' && store ? settingsLayer({ store }, 'the database of the corpus') : [];
  return { fleet, cache: given.cache, layer: [...told, ...fleetLayer(url)] };
}
