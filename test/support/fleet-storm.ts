import { EventEmitter, once } from 'node:events';
import { join } from 'node:path';

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
  const running: StartedCommand[] = [];
  await using _machines = { [Symbol.asyncDispose]: async () => { for (const each of running) await each[Symbol.asyncDispose](); } }; // prettier-ignore
  const ended = new Set<StartedCommand>();
  const start = (name: string): void => {
    const machine = scene.machine(name);
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
  const later = (ms: number, work: () => void): void =>
    void pending.push(new Promise((resolve) => setTimeout(() => resolve(work()), ms)));
  const signal = (pids: readonly number[], name: NodeJS.Signals): void => {
    for (const pid of pids)
      try {
        process.kill(pid, name);
      } catch {
        // It has ended meanwhile.
      }
  };
  const disturb: Record<Action, (name: string, machine: StartedCommand) => Promise<void>> = {
    async kill(name, machine) {
      killed.add(machine);
      machine.kill('SIGKILL');
      await machine.ended;
      start(random() < 0.5 ? name : `${name}-again`);
    },
    async pause(_name, { pid }) {
      signal([pid], 'SIGSTOP');
      later((LEASE_S + 3) * 1000, () => signal([pid], 'SIGCONT'));
    },
    async 'database-killed'() {
      await scene.server.restart?.('SIGQUIT');
    },
    async 'database-paused'() {
      const pids = processTree(scene.server.pid ?? 0);
      signal(pids, 'SIGSTOP');
      await new Promise((resolve) => setTimeout(resolve, 3_000));
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
    const alive = [...machines].filter(([, machine]) => !ended.has(machine));
    const action = choose(storm.actions ?? ACTIONS);
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
  const after = await scene.check('reader');
  for (const [kind, found] of Object.entries({ missing, damaged, 'orphans after the repair': after.orphans }))
    if (found.length > 0) faults.push(`${found.length} ${kind}: ${found.slice(0, 3).join(', ')}`);
  const { violations } = scene.simulation.log;
  done.push(`${violations.length} rules broken`);
  return { done, faults };
}
