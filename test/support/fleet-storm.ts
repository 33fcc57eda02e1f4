import { EventEmitter, once } from 'node:events';
import { join } from 'node:path';

import { Client } from 'pg';

import { countByRule } from '../../sim/index.ts';
import { systemClock } from '../../src/base/index.ts';
import { openPostgres } from '../../src/queue/kept/index.ts';
import type { StartedCommand } from '../e2e/started-command.ts';
import { seededRandom } from '../fixtures/random-document.ts';
import type { CorpusFacts } from './fleet-scene.ts';
import { differences, doneTwice, FleetScene, processTree } from './fleet-scene.ts';
import { FaultyS3, startS3 } from './s3-server.ts';

/** The shortest leases there are, so that a paused machine loses its own. */
const LEASE_S = 30;
const ENVIRONMENT = {
  DOCSTOKG_ORCHESTRATOR__LEASE_TTL_SECONDS: String(LEASE_S),
  DOCSTOKG_ORCHESTRATOR__HEARTBEAT_SECONDS: '5',
  DOCSTOKG_ORCHESTRATOR__RETRY_BACKOFF_SECONDS: '1',
  DOCSTOKG_ORCHESTRATOR__JITTER_SECONDS: '0',
  // Machines that are killed on purpose say nothing about the document that they had.
  DOCSTOKG_ORCHESTRATOR__MAX_JOB_DEATHS: '50',
  DOCSTOKG_ORCHESTRATOR__MAX_JOB_ATTEMPTS: '50',
};
/** The longest pause: by then others have finished what the paused machine had, if any others are left. */
const LONGEST_PAUSE_S = 2 * LEASE_S;
const WORLD = { hosts: 5, profile: 'calm', timeScale: 0.05 } as const;

const ACTIONS = ['kill', 'kill', 'pause', 'database-killed', 'database-paused', 'store-away', 'store-bad'] as const;
type Action = (typeof ACTIONS)[number];

export interface FleetStorm {
  readonly seed: number;
  readonly works: number;
  readonly machines: number;
  readonly disturbances: number;
  readonly actions?: readonly Action[];
}

export interface StormResult {
  /** What was done to the fleet, in order. */
  readonly done: readonly string[];
  readonly faults: readonly string[];
}

/** What one machine makes of the world of the storms. */
export async function undisturbed(worldSeed: number, works: number): Promise<CorpusFacts> {
  await using store = await startS3('s3rver');
  if (!store) throw new Error('s3rver is not installed');
  await using scene = await FleetScene.open({ ...WORLD, seed: worldSeed, works, store });
  await using alone = scene.alone('alone');
  const { code } = await alone.ended;
  if (code !== 0) throw new Error(`one machine ended with ${code}: ${alone.stderr}`);
  return await scene.facts('alone');
}

/**
 * A fleet whose machines, database and store are killed, paused and slowed at random moments, counted in requests that the
 * web and the store have answered. When it is over, one more machine runs to the end, and its corpus is compared with that of
 * one undisturbed machine; nothing may be lost, done twice, or left in the store.
 */
export async function fleetStorm(worldSeed: number, wanted: CorpusFacts, storm: FleetStorm): Promise<StormResult> {
  const random = seededRandom(storm.seed);
  const choose = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)];
  const events = new EventEmitter();
  const progress = { seen: 0 };
  const count = (): void => {
    progress.seen += 1;
    events.emit('event');
  };
  await using store = await startS3('faulty', storm.seed);
  if (!(store instanceof FaultyS3)) throw new Error('the faulty server did not start');
  store.perMille = 50;
  store.onRequest = count;
  const options = { ...WORLD, seed: worldSeed, works: storm.works, store, env: ENVIRONMENT, onEntry: count };
  await using scene = await FleetScene.open(options);

  const machines = new Map<string, StartedCommand>();
  const killed = new Set<StartedCommand>();
  const paused = new Set<StartedCommand>();
  const writers = new Map<StartedCommand, string>();
  const running: StartedCommand[] = [];
  await using _machines = {
    [Symbol.asyncDispose]: async () => {
      for (const each of running) await each[Symbol.asyncDispose]();
    },
  };
  const ended = new Set<StartedCommand>();
  const sql = new FleetTables(scene.server.url);
  await sql.open();
  const start = (name: string): void => {
    const machine = scene.machine(name, `${name}.${running.length}`);
    writers.set(machine, `${name}.${running.length}`);
    machines.set(name, machine);
    running.push(machine);
    void machine.ended.then(() => {
      ended.add(machine);
      events.emit('event');
    });
  };
  for (let at = 1; at <= storm.machines; at += 1) start(`machine-${at}`);

  const done: string[] = [];
  const pending: Promise<void>[] = [];
  const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
  const later = (ms: number, work: () => void): void => void pending.push(wait(ms).then(work));
  const woken: Woken[] = [];
  const signal = (pids: readonly number[], name: NodeJS.Signals): void => {
    for (const pid of pids)
      try {
        process.kill(pid, name);
      } catch {
        // It has ended meanwhile.
      }
  };
  /** Stops a machine with jobs in hand; the chosen one, where no machine has any before all have ended. */
  const stopped = async (chosen: StartedCommand): Promise<{ machine: StartedCommand; held: HeldJob[] }> => {
    for (let tries = 0; tries < 200; tries += 1) {
      const holders = await sql.holders();
      const machine = running.find((each) => !ended.has(each) && !paused.has(each) && holders.includes(each.pid));
      if (!machine) {
        if (running.every((each) => ended.has(each) || paused.has(each))) break;
        await once(events, 'event');
        continue;
      }
      signal([machine.pid], 'SIGSTOP');
      const held = await sql.heldBy(machine.pid);
      if (held.length > 0) return { machine, held };
      signal([machine.pid], 'SIGCONT');
    }
    signal([chosen.pid], 'SIGSTOP');
    return { machine: chosen, held: [] };
  };
  const disturb: Record<Action, (name: string, machine: StartedCommand) => Promise<void>> = {
    async kill(name, machine) {
      killed.add(machine);
      machine.kill('SIGKILL');
      await machine.ended;
      start(random() < 0.5 ? name : `${name}-again`);
    },
    async pause(_name, chosen) {
      const { machine, held } = await stopped(chosen);
      paused.add(machine);
      const wake = async (): Promise<void> => {
        let finished: readonly HeldJob[] = [];
        for (let seconds = 0; seconds < LONGEST_PAUSE_S; seconds += 1) {
          await wait(1_000);
          if (seconds > LEASE_S) finished = await sql.finished(held);
          if (seconds > LEASE_S && finished.length === held.length) break;
        }
        woken.push({ writer: writers.get(machine) ?? '', held, finished, heads: await sql.heads() });
        signal([machine.pid], 'SIGCONT');
        paused.delete(machine);
      };
      pending.push(wake());
    },
    async 'database-killed'() {
      await scene.server.restart?.('SIGQUIT');
    },
    async 'database-paused'() {
      const pids = processTree(scene.server.pid ?? 0);
      signal(pids, 'SIGSTOP');
      await wait(3_000);
      signal(pids, 'SIGCONT');
    },
    async 'store-away'() {
      store.isAway = true;
      later(4_000, () => (store.isAway = false));
    },
    async 'store-bad'() {
      store.perMille = 600;
      later(5_000, () => (store.perMille = 50));
    },
  };

  for (let at = 0, next = 0; at < storm.disturbances; at += 1) {
    next = Math.max(next, progress.seen) + 1 + Math.floor(random() * storm.works * 12);
    const isDue = (): boolean => progress.seen >= next || running.every((machine) => ended.has(machine));
    while (!isDue()) await once(events, 'event');
    const alive = [...machines].filter(([, machine]) => !ended.has(machine) && !paused.has(machine));
    // Each storm has a pause.
    const action = at === storm.seed % 3 ? 'pause' : choose(storm.actions ?? ACTIONS);
    const chosen = choose(alive);
    if (!action || !chosen) break;
    done.push(`${action} ${chosen[0]} after ${progress.seen}`);
    await disturb[action](...chosen);
  }
  const faults: string[] = [];
  for (const machine of running) {
    const { code } = await machine.ended;
    if (code !== 0 && !killed.has(machine))
      done.push(`a machine ended with ${code}: ${machine.stderr.slice(-200).trim()}`);
  }
  await Promise.all(pending);
  store.isAway = false;
  store.perMille = 0;
  await using last = scene.machine('last');
  const { code } = await last.ended;
  if (code !== 0) faults.push(`the last machine ended with ${code}: ${last.stderr.slice(-500)}`);
  await scene.pull('reader');
  faults.push(...differences(wanted, await scene.facts('reader')), ...doneTwice(join(scene.folder, 'reader')));
  const { missing, damaged, orphans } = await scene.check('reader', '--repair');
  if (orphans.length > 0) done.push(`${orphans.length} orphans removed`);
  const left = orphans.length === 0 ? [] : (await scene.check('reader')).orphans;
  for (const [kind, found] of Object.entries({ missing, damaged, 'orphans after the repair': left }))
    if (found.length > 0) faults.push(`${found.length} ${kind}: ${found.slice(0, 3).join(', ')}`);
  for (const { writer, held, finished, heads } of woken) {
    const written = await sql.writtenBy(writer, finished, heads);
    faults.push(...written.map((line) => `${writer} wrote after it woke up: ${line.slice(0, 200)}`));
    done.push(
      `${writer} woke up: ${finished.length} of its ${held.length} jobs finished by others, ${written.length} lines of it about them`,
    );
  }
  const { violations } = scene.simulation.log;
  const broken = Object.entries(countByRule(violations))
    .filter(([, count]) => count > 0)
    .map(([rule, count]) => `${rule} ${count}`);
  done.push(`${violations.length} rules broken${broken.length > 0 ? `: ${broken.join(', ')}` : ''}`);
  return { done, faults };
}

/** A job that a machine had when it was paused. */
interface HeldJob {
  readonly schema: string;
  readonly id: string;
  readonly token: string;
  /** The work, or the document with the hash of its content. */
  readonly name: string;
}

/** A machine that was paused, when it goes on. */
interface Woken {
  readonly writer: string;
  readonly held: readonly HeldJob[];
  /** The jobs of these that others have finished meanwhile. */
  readonly finished: readonly HeldJob[];
  /** How many lines each log had. */
  readonly heads: ReadonlyMap<string, number>;
}

/** The log that has the rows of a queue: the manifest for the queue of works, else the manifest of the stage. */
const logOf = (schema: string): string => (schema === SCHEMA ? 'manifest' : schema.slice(SCHEMA.length + 1));
/** The work or the document of a job. */
const withoutHash = (schema: string, name: string): string =>
  schema === SCHEMA ? name : name.replace(/ [0-9a-f]+$/, '');

/** The tables of a fleet, read by somebody who watches it. Each log line has the name of the process that wrote it. */
class FleetTables {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  async open(): Promise<void> {
    const tables = await openPostgres(this.#url, { clock: systemClock, schema: SCHEMA });
    await tables[Symbol.asyncDispose]();
    await this.#query(
      `ALTER TABLE ${SCHEMA}.log_lines ADD COLUMN writer text DEFAULT current_setting('application_name')`,
    );
  }

  /** The processes that have jobs. */
  async holders(): Promise<number[]> {
    const workers = await this.#ofQueues<{ worker: string }>(
      (schema) => `SELECT DISTINCT worker_id AS worker FROM ${schema}.runs WHERE worker_id IS NOT NULL`,
    );
    return workers.map(({ worker }) => Number(worker.split('-').at(-3)));
  }

  heldBy(pid: number): Promise<HeldJob[]> {
    return this.#ofQueues(
      (schema) =>
        `SELECT '${schema}' AS schema, id::text, token::text, artifact_id AS name FROM ${schema}.jobs WHERE worker_id LIKE '%-${pid}-%-%'`,
    );
  }

  /** Which of the jobs were finished under another lease. */
  async finished(held: readonly HeldJob[]): Promise<HeldJob[]> {
    const found: HeldJob[] = [];
    for (const job of held) {
      const rows = await this.#query(
        `SELECT 1 FROM ${job.schema}.runs WHERE id = ${job.id} AND token <> ${job.token} AND state NOT IN ('queued', 'in_progress')`,
      );
      if (rows.length > 0) found.push(job);
    }
    return found;
  }

  async heads(): Promise<Map<string, number>> {
    const rows = await this.#query<{ log: string; lines: number }>(`SELECT log, lines::int FROM ${SCHEMA}.log_heads`);
    return new Map(rows.map(({ log, lines }) => [log, lines]));
  }

  /** The lines about jobs that a process has written after the given ones. */
  async writtenBy(writer: string, jobs: readonly HeldJob[], after: ReadonlyMap<string, number>): Promise<string[]> {
    const lines = await this.#query<{ log: string; line: number; text: string }>(
      `SELECT log, line::int, text FROM ${SCHEMA}.log_lines WHERE writer = '${writer}'`,
    );
    // Both of one job: after it woke up, a machine may take a later stage of a document that others brought there.
    const done = new Set(jobs.map(({ schema, name }) => `${logOf(schema)} ${withoutHash(schema, name)}`));
    const logs = new Set(jobs.map(({ schema }) => logOf(schema)));
    return lines
      .filter(({ log, line, text }) => {
        // Lines of other logs need not be JSON.
        if (!logs.has(log)) return false;
        const row = JSON.parse(text) as Record<string, unknown>;
        return line > (after.get(log) ?? 0) && done.has(`${log} ${String(row['work'] ?? row['doc_id'])}`);
      })
      .map(({ log, text }) => `${log} ${text}`);
  }

  /** Asks the queue of works and those of the stages, as far as there are any yet. */
  async #ofQueues<R extends object>(statement: (schema: string) => string): Promise<R[]> {
    const schemas = await this.#query<{ schema: string }>(
      `SELECT table_schema AS schema FROM information_schema.tables WHERE table_name = 'runs' AND table_schema IN (${QUEUES.map((each) => `'${each}'`).join(', ')})`,
    );
    const found: R[] = [];
    for (const { schema } of schemas) found.push(...(await this.#query<R>(statement(schema))));
    return found;
  }

  /** Asks again while the server is away. */
  async #query<R extends object>(statement: string): Promise<R[]> {
    for (const deadline = performance.now() + 120_000; ;) {
      const client = new Client({
        connectionString: this.#url,
        connectionTimeoutMillis: 10_000,
        query_timeout: 10_000,
      });
      client.on('error', () => undefined);
      try {
        await client.connect();
        return (await client.query<R>(statement)).rows;
      } catch (error) {
        if (isOurs(error) || performance.now() > deadline) throw error;
        await new Promise((resolve) => setTimeout(resolve, 200));
      } finally {
        void client.end().catch(() => undefined);
      }
    }
  }
}

/** A mistake in a statement, or in what it is given. */
function isOurs(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(?:22|42)/.test(String(error.code));
}

const SCHEMA = 'docstokg';
const QUEUES = [SCHEMA, ...['doctags', 'chunk', 'embed'].map((stage) => `${SCHEMA}_${stage}`)];
