import { EventEmitter } from 'node:events';
import { mkdirSync, readFileSync, watch } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';

import { Admin } from '../../sim/index.ts';
import { startCommand } from '../e2e/started-command.ts';
import { seededRandom } from '../fixtures/random-document.ts';
import { corpusHash } from './corpus-hash.ts';
import { openWorld, PATIENCE } from './harvest.ts';

/** Where a kill may fall: anywhere, or into what a stage writes. */
const PLACES = ['', '', '', 'Data/DocTagsFiles', 'Data/ChunkedDocTagFiles', 'Data/Embeddings', 'Index'];

/** What came of a run that was killed again and again, beside one that was not. */
export interface RunStorm {
  readonly kills: number;
  /** What had been written last before each kill, so that a failing seed can be understood. */
  readonly instants: readonly string[];
  readonly works: number;
  readonly chunks: number;
  readonly faults: readonly string[];
}

/**
 * Kills `docstokg run` at random instants until it was killed often enough, lets it finish, and compares the corpus
 * with one that was made undisturbed. Instants are counted in requests that the web answered and in changes of the run
 * folder, so that no clock decides what is tested.
 */
export async function runStorm(options: {
  readonly seed: number;
  readonly works: number;
  readonly kills: number;
  readonly documents: 'full' | 'plain';
  readonly stageWorkers: number;
}): Promise<RunStorm> {
  const random = seededRandom(options.seed);
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'docstokg-storm-'));
  const events = new EventEmitter();
  await using simulation = await openWorld(
    {
      seed: options.seed,
      works: options.works,
      hosts: 6,
      profile: 'calm',
      documents: options.documents,
      timeScale: 0.02,
      workers: 4,
    },
    () => events.emit('event', 'request'),
  );
  await using admin = await Admin.open(simulation);
  const ids = [...simulation.world.works()].map(({ id }) => id);

  /** One life of the command; killed after so many events somewhere, or let be. */
  const live = async (
    out: string,
    until: { readonly where: string; readonly events: number },
  ): Promise<{ readonly events: number; readonly killedAt?: string }> => {
    mkdirSync(out, { recursive: true });
    const watcher = watch(out, { recursive: true }, (_kind, name) => events.emit('event', name ?? ''));
    let [seen, there, last] = [0, 0, 'start'];
    const reached = Promise.withResolvers<void>();
    const count = (what: string): void => {
      seen += 1;
      last = what;
      if (what.startsWith(until.where)) there += 1;
      if (there >= until.events) reached.resolve();
    };
    events.on('event', count);
    try {
      const parameters = ['run', ...ids, '--sim', admin.url, '--out', out, '--workers', '4', '--json'];
      await using run = startCommand('docstokg', parameters, {
        cwd: scratch.path,
        env: { ...PATIENCE, DOCSTOKG_STAGE__WORKERS: String(options.stageWorkers) },
      });
      const isOver = await Promise.race([reached.promise.then(() => false), run.ended.then(() => true)]);
      if (!isOver) {
        // Anywhere between two events, not only at their edges.
        for (let turns = Math.floor(random() * 50); turns > 0; turns -= 1) await setImmediate();
        const killedAt = last;
        run.kill('SIGKILL');
        await run.ended;
        return { events: seen, killedAt };
      }
      const { code } = await run.ended;
      if (code !== 0) throw new Error(`ended with ${code}: ${run.stdout}${run.stderr}`);
      return { events: seen };
    } finally {
      events.off('event', count);
      watcher.close();
    }
  };

  const toTheEnd = { where: '', events: Number.POSITIVE_INFINITY };
  /** Half of the kills fall anywhere, which is mostly into downloads, the others into a stage each. */
  const someInstant = (all: number): { readonly where: string; readonly events: number } => {
    const where = PLACES[Math.floor(random() * PLACES.length)] ?? '';
    return { where, events: 1 + Math.floor(random() * (where === '' ? all * 0.6 : options.works)) };
  };

  const whole = join(scratch.path, 'whole');
  const undisturbed = await live(whole, toTheEnd);
  const wanted = await corpusHash(whole);
  const instants: string[] = [];
  const faults: string[] = [];
  for (let folder = 0; instants.length < options.kills; folder += 1) {
    const out = join(scratch.path, `killed-${folder}`);
    for (;;) {
      const until = instants.length < options.kills ? someInstant(undisturbed.events) : toTheEnd;
      const { killedAt } = await live(out, until);
      if (killedAt === undefined) break;
      instants.push(killedAt);
    }
    const { hash } = await corpusHash(out);
    if (hash !== wanted.hash) faults.push(`${out}: another corpus after ${instants.join(', ')}`);
    faults.push(...doneTwice(out));
  }
  return { kills: instants.length, instants, works: ids.length, chunks: wanted.chunks, faults };
}

/** Work that was finished, by its row, and finished again. */
function doneTwice(out: string): string[] {
  const rows = (path: string): Record<string, unknown>[] =>
    readFileSync(join(out, path), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const kinds = [
    ['manifest.jsonl', 'outcome', 'saved', 'work'],
    ...['doctags', 'chunk', 'embed'].map(
      (stage) => [`Data/Manifests/docparse.${stage}.manifest.jsonl`, 'status', 'success', 'doc_id'] as const,
    ),
  ] as const;
  return kinds.flatMap(([path, field, value, name]) =>
    [
      ...Map.groupBy(
        rows(path).filter((row) => row[field] === value),
        (row) => String(row[name]),
      ),
    ]
      .filter(([, each]) => each.length > 1)
      .map(([id, each]) => `${path}: ${id} was done ${each.length} times`),
  );
}
