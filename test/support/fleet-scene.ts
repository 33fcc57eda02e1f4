import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Simulation } from '../../sim/index.ts';
import { Admin } from '../../sim/index.ts';
import { accountOf } from '../../src/library/index.ts';
import { sha256 } from '../../src/base/index.ts';
import type { StoreCheck } from '../../src/run/index.ts';
import { CorpusStore } from '../../src/database/index.ts';
import type { StartedCommand } from '../e2e/started-command.ts';
import { startCommand } from '../e2e/started-command.ts';
import type { TestPostgres } from '../postgres.ts';
import { startPostgres } from '../postgres.ts';
import { corpusHash } from './corpus-hash.ts';
import type { Harvest } from './harvest.ts';
import { openWorld, PATIENCE } from './harvest.ts';
import type { TestS3 } from './s3-server.ts';

/** What a corpus is, without times and without who made it. */
export type CorpusFacts = Readonly<Record<'works' | 'documents' | 'passages' | 'graph' | 'account', string>>;

const STAGES = ['doctags', 'chunk', 'embed'];
/** Words are enough to see that documents go through; the model has tests of its own. */
const ENVIRONMENT = {
  ...PATIENCE,
  DOCSTOKG_PARSE__DENSE: 'none',
  DOCSTOKG_HTTP__CONTACT: 'fleet@example.org',
};

export interface SceneOptions extends Pick<Harvest, 'seed' | 'works' | 'hosts' | 'profile' | 'timeScale'> {
  readonly store: TestS3;
  /** Plain ones by default. */
  readonly documents?: Harvest['documents'];
  readonly env?: Readonly<Record<string, string>>;
  readonly onEntry?: () => void;
}

/** A simulated web, a PostgreSQL server and a store, and machines that work on one corpus, each in a folder of its own. */
export class FleetScene implements AsyncDisposable {
  readonly simulation: Simulation;
  readonly server: TestPostgres;
  readonly folder: string;
  readonly #ids: readonly string[];
  readonly #url: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #resources: AsyncDisposableStack;

  private constructor(
    parts: {
      readonly simulation: Simulation;
      readonly server: TestPostgres;
      readonly folder: string;
      readonly url: string;
    },
    options: SceneOptions,
    resources: AsyncDisposableStack,
  ) {
    this.simulation = parts.simulation;
    this.server = parts.server;
    this.folder = parts.folder;
    this.#url = parts.url;
    this.#ids = [...parts.simulation.world.works()].map(({ id }) => id);
    this.#env = { ...ENVIRONMENT, ...options.store.env, ...options.env };
    this.#resources = resources;
  }

  static async open(options: SceneOptions): Promise<FleetScene> {
    await using resources = new AsyncDisposableStack();
    const { path: folder } = resources.use(await mkdtempDisposable(join(tmpdir(), 'docstokg-fleet-')));
    const server = resources.use(await startPostgres());
    const simulation = resources.use(
      await openWorld({ documents: 'plain', ...options, workers: 2 }, options.onEntry ?? (() => undefined)),
    );
    const { url } = resources.use(await Admin.open(simulation));
    return new FleetScene({ simulation, server, folder, url }, options, resources.move());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#resources.disposeAsync();
  }

  /** One machine by itself. */
  alone(out: string): StartedCommand {
    return this.#start(['run', ...this.#ids, '--sim', this.#url, '--out', out, '--workers', '2', '--json']);
  }

  /** A machine of the fleet; the database sees its connections under a name. */
  machine(out: string, name = out): StartedCommand {
    const parameters = ['run', ...this.#ids, '--sim', this.#url, '--out', out, '--workers', '2', '--json'];
    return this.#start([...parameters, ...this.#fleet(`${this.server.url}?application_name=${name}`)]);
  }

  /** Brings the corpus to another folder, as somebody would who only wants to read it. */
  async pull(out: string): Promise<void> {
    await using pull = this.#start(['store', out, '--pull', ...this.#fleet(), '--json']);
    const { code } = await pull.ended;
    if (code !== 0) throw new Error(`store --pull ended with ${code}: ${pull.stderr}`);
  }

  /** Compares store and logs, every object by its hash and without a grace period. */
  async check(out: string, ...more: readonly string[]): Promise<StoreCheck> {
    const parameters = ['store', out, ...this.#fleet(), '--verify', '--grace-h', '0', '--json'];
    await using check = this.#start([...parameters, ...more]);
    const { code } = await check.ended;
    if (check.stdout === '') throw new Error(`store ended with ${code}: ${check.stderr}`);
    return JSON.parse(check.stdout) as StoreCheck;
  }

  /** Builds the graph of a folder, and says what its corpus is. */
  async facts(out: string): Promise<CorpusFacts> {
    const folder = join(this.folder, out);
    await using build = this.#start(['graph', 'build', out, '--log-level', 'error']);
    const { code } = await build.ended;
    if (code !== 0) throw new Error(`graph build ended with ${code}: ${build.stderr}`);
    const passages = await corpusHash(folder);
    using store = CorpusStore.open(folder, { manifests: join(folder, 'Data', 'Manifests') });
    store.ingest();
    const works = store.all(
      `select work, tried, outcome, reason, resolver, bytes, document, title, authors, year, venue, type, doi, licence, version, citations,
         retracted, other_version from works order by work`,
    );
    const documents = store.all('select document, step, ended, partial from document_steps order by document, step');
    return {
      works: `${works.length} ${sha256(JSON.stringify(works))}`,
      documents: `${documents.length} ${sha256(JSON.stringify(documents))}`,
      passages: `${passages.chunks} ${passages.hash}`,
      graph: graphFacts(store),
      account: JSON.stringify(accountOf(store)),
    };
  }

  #fleet(url = this.server.url): string[] {
    return ['--fleet', url, '--store', 's3://papers/corpus'];
  }

  #start(parameters: readonly string[]): StartedCommand {
    return startCommand('docstokg', parameters, { cwd: this.folder, env: this.#env });
  }
}

/** What of two corpora is not the same. */
export function differences(wanted: CorpusFacts, found: CorpusFacts): string[] {
  return (Object.keys(wanted) as (keyof CorpusFacts)[]).flatMap((name) =>
    wanted[name] === found[name]
      ? []
      : [`${name}: ${found[name].slice(0, 300)} instead of ${wanted[name].slice(0, 300)}`],
  );
}

/** Work that was finished, by its row, and finished again. */
export function doneTwice(folder: string): string[] {
  const kinds = [
    ['manifest.jsonl', 'outcome', 'saved', 'work'],
    ...STAGES.map(
      (stage) => [`Data/Manifests/docparse.${stage}.manifest.jsonl`, 'status', 'success', 'doc_id'] as const,
    ),
  ] as const;
  return kinds.flatMap(([path, field, value, name]) => {
    if (!existsSync(join(folder, path))) return [`${path} is missing`];
    const rows = readFileSync(join(folder, path), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const done = Map.groupBy(
      rows.filter((row) => row[field] === value),
      (row) => JSON.stringify([row[name], row['input_hash'], row['cfg_hash']]),
    );
    return [...done]
      .filter(([, each]) => each.length > 1)
      .map(([id, each]) => `${path}: ${id} was done ${each.length} times`);
  });
}

/** CPU seconds of all processes that this one has started and that have ended. */
export function childrenCpuSeconds(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

/** The processes of a server: itself and its children. */
export function processTree(pid: number): number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        return [
          [Number(name), Number(readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1])] as const,
        ];
      } catch {
        return []; // It has ended meanwhile.
      }
    });
  return [pid, ...parents.filter(([, parent]) => parent === pid).map(([child]) => child)];
}

function graphFacts(store: CorpusStore): string {
  const rows = ['nodes', 'edges', 'evidence'].map((table) => {
    const all = store.all(`select * from ${table}`).map((row) => JSON.stringify({ ...row, read_at: null }));
    return `${all.length} ${table} ${sha256(all.sort().join('\n'))}`;
  });
  return rows.join(', ');
}
