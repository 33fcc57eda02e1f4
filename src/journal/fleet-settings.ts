import { fieldsOf, parseJson } from '../base/index.ts';
import type { PostgresConnection } from '../queue/kept/index.ts';
import { PostgresLines } from './postgres-lines.ts';

/** The log on the server with what every machine must know; no machine has a copy. */
const SETTINGS = 'settings';
const MOST_LINES = 1_000;

/** Where the files of a fleet are. */
export interface StorePlace {
  readonly url: string;
  /** Empty for AWS. */
  readonly endpoint: string;
  readonly region: string;
  readonly path_style: boolean | null;
}

/** What a machine learns from the server of a fleet. */
export interface FleetSettings {
  /** The id of the fleet; undefined if the database has no corpus. */
  readonly fleet: string | undefined;
  /** Undefined until a machine has told. */
  readonly store: StorePlace | undefined;
  /** The token of the pages that any machine serves; undefined until one has made it. */
  readonly token: string | undefined;
  /** What was asked, and how the last run ended; undefined before a machine has ended one. */
  readonly run: object | undefined;
}

/** Reads what the server of a fleet says about it. */
export async function readFleetSettings(connection: PostgresConnection): Promise<FleetSettings> {
  const lines = new PostgresLines(connection);
  const [fleet] = await lines.read(new Map([['fleet', 0]]), 1);
  const told: Readonly<Record<string, unknown>>[] = [];
  for (let read = MOST_LINES; read === MOST_LINES;) {
    const some = await lines.read(new Map([[SETTINGS, told.length]]), MOST_LINES);
    read = some.length;
    told.push(...some.map(({ text }) => fieldsOf(parseJson(text))));
  }
  const stores = told.flatMap(({ store }) => (store === undefined ? [] : [store as StorePlace]));
  const runs = told.flatMap(({ run }) => (typeof run === 'object' && run ? [run] : []));
  const tokens = told.flatMap(({ token }) => (typeof token === 'string' ? [token] : []));
  return {
    fleet: fleet?.text,
    store: stores.at(-1),
    // Of two machines that made one at once the first counts.
    token: tokens[0],
    run: runs.at(-1),
  };
}

/** Tells all machines where the files are, unless they know. */
export async function tellStore(connection: PostgresConnection, store: StorePlace): Promise<void> {
  const known = (await readFleetSettings(connection)).store;
  if (JSON.stringify(known) === JSON.stringify(store)) return;
  await new PostgresLines(connection).append([{ log: SETTINGS, lines: [JSON.stringify({ store })] }]);
}

/** Tells all machines what was asked, and how the run ended. */
export async function tellRun(connection: PostgresConnection, run: object): Promise<void> {
  await new PostgresLines(connection).append([{ log: SETTINGS, lines: [JSON.stringify({ run })] }]);
}

/** The token of the pages of a fleet: the first that a machine offered. */
export async function sharedToken(connection: PostgresConnection, offered: () => string): Promise<string> {
  const known = (await readFleetSettings(connection)).token;
  if (known !== undefined) return known;
  await new PostgresLines(connection).append([{ log: SETTINGS, lines: [JSON.stringify({ token: offered() })] }]);
  return (await readFleetSettings(connection)).token ?? offered();
}
