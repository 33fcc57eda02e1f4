import { EventEmitter } from 'node:events';
import { existsSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { cp, mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';

import type { MonthTruth } from '../../sim/index.ts';
import { Admin, DEFAULT_POLICY, monthTruth, retractionWatch, World } from '../../sim/index.ts';
import { Records } from '../../src/database/index.ts';
import { startCommand } from '../e2e/started-command.ts';
import { seededRandom } from '../fixtures/random-document.ts';
import { INLINE } from './bin.ts';
import { openWorld, PATIENCE } from './harvest.ts';

const MONTH_MS = 31 * 86_400_000;
/** The same machine a month later. */
const LATER = `data:text/javascript,${encodeURIComponent(`const now = Date.now; Date.now = () => now() + ${MONTH_MS};`)}`;
const FILTER = 'publication_year:1900-2100';

/** What came of looking at a corpus again after a simulated month. */
export interface Month {
  readonly truth: MonthTruth;
  readonly kills: number;
  readonly instants: readonly string[];
  readonly faults: readonly string[];
}

type Diff = Readonly<Record<keyof MonthTruth, readonly { readonly work: string }[]>>;

/**
 * Gathers a corpus, lets a month go by in its world, refreshes it, refreshes it again, and holds what was told against what the
 * world says; then does the same to copies of the corpus whose refresh is killed at random instants.
 */
export async function liveThroughMonth(options: {
  readonly seed: number;
  readonly works: number;
  readonly kills: number;
}): Promise<Month> {
  const { seed, works, kills } = options;
  const random = seededRandom(seed);
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'docstokg-month-'));
  const events = new EventEmitter();
  const parameters = {
    seed,
    works,
    hosts: Math.max(6, Math.ceil(works / 10)),
    profile: 'calm',
    moment: 'before',
  } as const;
  const world = { ...parameters, timeScale: 0.02, documents: 'plain', workers: 4 } as const;
  await using simulation = await openWorld(world, () => events.emit('event', 'request'));
  await using admin = await Admin.open(simulation);
  const env = {
    ...PATIENCE,
    ...(kills === 0 && INLINE),
    DOCSTOKG_PARSE__DENSE: 'none',
    DOCSTOKG_PARSE__TOKENIZER: 'cl100k',
  };

  /** One life of the command; killed after so many events, or let be. */
  const live = async (
    words: readonly string[],
    out: string,
    life: { readonly events: number; readonly isLater: boolean },
  ): Promise<{
    readonly events: number;
    readonly stdout: string;
    readonly stderr: string;
    readonly killedAt?: string;
  }> => {
    const watcher = existsSync(out)
      ? watch(out, { recursive: true }, (_kind, name) => events.emit('event', name ?? ''))
      : undefined;
    let [seen, last] = [0, 'start'];
    const reached = Promise.withResolvers<void>();
    const count = (what: string): void => {
      [seen, last] = [seen + 1, what];
      if (seen >= life.events) reached.resolve();
    };
    events.on('event', count);
    try {
      await using run = startCommand('docstokg', [...words, '--sim', admin.url, '--json'], {
        cwd: scratch.path,
        env: { ...env, ...(life.isLater && { NODE_OPTIONS: `--import=${LATER}` }) },
      });
      const isOver = await Promise.race([reached.promise.then(() => false), run.ended.then(() => true)]);
      if (!isOver) {
        // Anywhere between two events, not only at their edges.
        for (let turns = Math.floor(random() * 50); turns > 0; turns -= 1) await setImmediate();
        const killedAt = last;
        run.kill('SIGKILL');
        await run.ended;
        return { events: seen, stdout: '', stderr: '', killedAt };
      }
      const { code } = await run.ended;
      if (code !== 0) throw new Error(`${words[0]} ended with ${code}: ${run.stdout}${run.stderr}`);
      return { events: seen, stdout: run.stdout, stderr: run.stderr };
    } finally {
      events.off('event', count);
      watcher?.close();
    }
  };
  const toTheEnd = { events: Number.POSITIVE_INFINITY, isLater: true };

  const first = join(scratch.path, 'first');
  await live(['run', '--filter', FILTER, '--out', first], first, { ...toTheEnd, isLater: false });
  const before = new World(parameters);
  simulation.rebuild({ ...parameters, moment: 'after' });
  simulation.advance(MONTH_MS);
  for (const work of simulation.world.works())
    for (const { file } of work.locations) if (file) await simulation.documents.digest(file);
  const truth = monthTruth(before, simulation.world, {
    ...DEFAULT_POLICY,
    selection: `filter=${encodeURIComponent(FILTER)}`,
  });
  const csv = join(scratch.path, 'retraction_watch.csv');
  writeFileSync(csv, retractionWatch(simulation.world));
  const refresh = (out: string): string[] => ['refresh', out, '--retraction-watch', csv];

  const whole = join(scratch.path, 'whole');
  await cp(first, whole, { recursive: true });
  const reported = await live(refresh(whole), whole, toTheEnd);
  const faults = [
    ...(/\d works tried: .*downloaded/.test(reported.stderr) ? [] : ['the refresh does not say what it tried']),
    ...differences(truth, JSON.parse(reported.stdout) as Diff).map((fault) => `undisturbed: ${fault}`),
    ...differences(NOTHING, JSON.parse((await live(refresh(whole), whole, toTheEnd)).stdout) as Diff).map(
      (fault) => `second look: ${fault}`,
    ),
  ];
  const wanted = stateOf(whole);
  const instants: string[] = [];
  for (let folder = 0; instants.length < kills; folder += 1) {
    const out = join(scratch.path, `killed-${folder}`);
    await cp(first, out, { recursive: true });
    for (;;) {
      const at = instants.length < kills ? 1 + Math.floor(random() * reported.events * 0.7) : toTheEnd.events;
      const { killedAt } = await live(refresh(out), out, { events: at, isLater: true });
      if (killedAt === undefined) break;
      instants.push(killedAt);
    }
    const after = `after ${instants.join(', ')}`;
    // What was told stands in the folder too: who is killed while it is printed can read it there.
    const kept = (JSON.parse(readFileSync(join(out, 'refreshed.json'), 'utf8')) as { looks: { diff: Diff }[] }).looks;
    if (kept.length !== 1) faults.push(`${kept.length} looks were kept ${after}`);
    faults.push(...differences(truth, kept.at(-1)?.diff ?? {}).map((fault) => `killed: ${fault} ${after}`));
    const found = stateOf(out);
    for (const [work, state] of wanted)
      if (found.get(work) !== state) faults.push(`${work} is ${found.get(work)}, not ${state} ${after}`);
    if (found.size !== wanted.size) faults.push(`${found.size} works, not ${wanted.size} ${after}`);
  }
  return { truth, kills: instants.length, instants, faults };
}

const NOTHING: MonthTruth = {
  new_works: [],
  opened: [],
  fetched: [],
  new_versions: [],
  retracted: [],
  reinstated: [],
  corrected: [],
};

function differences(truth: MonthTruth, diff: Partial<Diff>): string[] {
  return (Object.keys(truth) as (keyof MonthTruth)[]).flatMap((part) => {
    const reported = (diff[part] ?? []).map(({ work }) => work).toSorted();
    const missing = truth[part].filter((id) => !reported.includes(id));
    const extra = reported.filter((id) => !truth[part].includes(id));
    return [...missing.map((id) => `${part}: ${id} is not told`), ...extra.map((id) => `${part}: ${id} is none`)];
  });
}

/** What a corpus knows and holds of each work, without the moments at which it was learnt. */
function stateOf(folder: string): ReadonlyMap<string, string> {
  using records = Records.open(folder);
  const rows = readFileSync(join(folder, 'manifest.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { work: string; outcome: string; sha256: string | null });
  const last = new Map(rows.map(({ work, outcome, sha256 }) => [work, [outcome, sha256]]));
  return new Map(
    [...records.all()].map(({ sources, ...record }) => {
      const learnt = sources.map(({ from, fields }) => [from, fields]);
      return [record.id, JSON.stringify([last.get(record.id), record, learnt])];
    }),
  );
}
