import { EventEmitter } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';

import { sha256 } from '../../src/base/index.ts';
import type { ManifestRow } from '../../src/download/index.ts';
import { Admin, DEFAULT_POLICY, expectedOutcome } from '../../sim/index.ts';
import { startCommand } from '../e2e/started-command.ts';
import { seededRandom } from '../fixtures/random-document.ts';
import type { Harvest } from './harvest.ts';
import { openWorld, PATIENCE, verifyFolder } from './harvest.ts';

/** What came of a harvest whose process was killed again and again. */
export interface KillStorm {
  readonly kills: number;
  /** Of a process that had not sent its first request yet. */
  readonly killsAtStart: number;
  readonly rows: number;
  readonly repeatedRows: number;
  readonly faults: readonly string[];
}

/**
 * Kills a harvest after random numbers of requests, lets the last process finish, and looks at everything that is left.
 * The instants are counted in requests that the web has answered, so no clock decides what is tested.
 */
export async function killStorm(
  options: Harvest & { readonly kills: number; readonly requestsBetween: number },
): Promise<KillStorm> {
  const random = seededRandom(options.seed);
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-kill-'));
  const out = folder.path;
  const answered = new EventEmitter();
  await using simulation = await openWorld(options, () => answered.emit('request'));
  await using admin = await Admin.open(simulation);
  const ids = expectedOutcome(simulation.world, DEFAULT_POLICY).map(({ work }) => work.id);
  const parameters = [...ids, '--sim', admin.url, '--out', out, '--workers', String(options.workers), '--json'];
  let [kills, killsAtStart] = [0, 0];
  let code: number | null = null;
  while (code === null) {
    await using run = startCommand('contentdownload', parameters, { cwd: out, env: PATIENCE });
    if (kills < options.kills) {
      const wanted = Math.floor(random() * options.requestsBetween);
      await Promise.race([requests(answered, wanted), run.ended]);
      // Anywhere between two requests, not only at their edges.
      for (let turns = Math.floor(random() * 50); turns > 0; turns -= 1) await setImmediate();
      run.kill('SIGKILL');
      kills += 1;
      if (wanted === 0) killsAtStart += 1;
    }
    ({ code } = await run.ended);
    // 1: some works failed, as worlds are made to.
    if (code !== null && code > 1) throw new Error(`ended with ${code}: ${run.stderr}`);
  }
  const { differences } = await verifyFolder(simulation, out);
  const rows = readFileSync(join(out, 'manifest.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as ManifestRow);
  return {
    kills,
    killsAtStart,
    rows: rows.length,
    repeatedRows: rows.length - new Set(rows.map(({ work }) => work)).size,
    faults: [
      ...differences.map(({ work, aspect, expected, found }) => `${work} ${aspect}: ${expected}, not ${found}`),
      ...twiceSaved(rows),
      ...filesBesideRows(out, rows),
      ...disagreements(out, rows),
    ],
  };
}

/** Resolves when as many requests more have been answered. */
function requests(answered: EventEmitter, wanted: number): Promise<void> {
  return new Promise((resolve) => {
    let left = wanted;
    const count = (): void => {
      left -= 1;
      if (left > 0) return;
      answered.off('request', count);
      resolve();
    };
    answered.on('request', count);
    if (wanted === 0) count();
  });
}

/** A file that was kept and written down must not be fetched again. */
function twiceSaved(rows: readonly ManifestRow[]): string[] {
  const saved = Map.groupBy(
    rows.filter(({ outcome }) => outcome === 'saved'),
    ({ work }) => work,
  );
  return [...saved].filter(([, each]) => each.length > 1).map(([work]) => `${work} was saved twice`);
}

/** Every file under a final name is one that a row names, whole; nothing half-written is left anywhere. */
function filesBesideRows(out: string, rows: readonly ManifestRow[]): string[] {
  const named = new Map(rows.flatMap(({ path, sha256: hash }) => (path === null ? [] : [[path, hash] as const])));
  const kept = globSync('{PDF,XML,HTML}/*', { cwd: out });
  return [
    ...kept.filter((path) => !named.has(path)).map((path) => `${path} has no row`),
    ...[...named].filter(([path]) => !kept.includes(path)).map(([path]) => `${path} is named and not there`),
    ...kept
      .filter((path) => named.has(path) && sha256(readFileSync(join(out, path))) !== named.get(path))
      .map((path) => `${path} does not match the hash in its row`),
    ...globSync('{*.part,**/*.part,.parts/*,.parts/**/*.part}', { cwd: out }).map((path) => `${path} was left behind`),
  ];
}

/** What the forms of the manifest say of each other. */
function disagreements(out: string, rows: readonly ManifestRow[]): string[] {
  const works = new Set(rows.map(({ work }) => work));
  const last = new Map(rows.map((row) => [row.work, row]));
  const json = (name: string): Record<string, unknown> =>
    JSON.parse(readFileSync(join(out, name), 'utf8')) as Record<string, unknown>;
  const lines = (name: string): number => readFileSync(join(out, name), 'utf8').trim().split(/\r?\n/).length - 1;
  using store = new DatabaseSync(join(out, 'corpus.sqlite'), { readOnly: true });
  using queue = new DatabaseSync(join(out, 'state', 'workqueue.sqlite'), { readOnly: true });
  const ingested = store.prepare('select row from outcomes order by sequence').all() as { row: string }[];
  const jobs = queue.prepare('SELECT artifact_id AS id, state FROM jobs').all() as { id: string; state: string }[];
  const states = { saved: 'done', failed: 'error', parked: 'queued', skipped: 'skipped' } as const;
  const saved = [...last.values()].filter(({ outcome }) => outcome === 'saved');
  const checks: readonly (readonly [string, unknown, unknown])[] = [
    ['rows of corpus.sqlite', new Set(ingested.map(({ row }) => row)).size, rows.length],
    ['lines of manifest.csv', lines('manifest.csv'), rows.length],
    ['lines of manifest.last.csv', lines('manifest.last.csv'), works.size],
    ['rows of manifest.summary.json', json('manifest.summary.json')['rows'], works.size],
    ['files of manifest.index.json', Object.keys(json('manifest.index.json')['files'] as object).length, saved.length],
    ['jobs of the queue', jobs.length, works.size],
  ];
  return [
    ...checks
      .filter(([, found, wanted]) => found !== wanted)
      .map(([what, found, wanted]) => `${what}: ${String(found)}, not ${String(wanted)}`),
    ...ingested
      .filter(({ row: text }) => !rows.some((row) => JSON.stringify(row) === text))
      .map(() => 'a row of corpus.sqlite is not in manifest.jsonl'),
    ...jobs
      .filter(({ id, state }) => states[last.get(id)?.outcome ?? 'parked'] !== state)
      .map(
        ({ id, state }) => `${id} is ${state} in the queue and ${last.get(id)?.outcome ?? 'missing'} in the manifest`,
      ),
  ];
}
