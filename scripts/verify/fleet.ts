import { existsSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { systemClock } from '../../src/base/index.ts';
import { mergeFolders } from '../../src/run/index.ts';
import type { Simulation } from '../../sim/index.ts';
import { Admin, countByRule, DEFAULT_POLICY, expectedOutcome, PROFILES } from '../../sim/index.ts';
import type { StartedCommand } from '../../test/e2e/started-command.ts';
import { startCommand } from '../../test/e2e/started-command.ts';
import { startPostgres } from '../../test/postgres.ts';
import type { Harvest } from '../../test/support/harvest.ts';
import { openWorld, PATIENCE, verifyFolder, wrongFiles } from '../../test/support/harvest.ts';
import { asked, checkOptions, numbers, someOf } from '../../test/support/options.ts';
import { lowerBounds, makespanSeconds } from '../../test/support/lower-bound.ts';

// npm run verify:fleet -- --processes 1,4,8 --seeds 1-5 --profiles politeness,realistic [--works 60]
//   --throughput 0.9: at least that share of what the limits allow; --explain 5: the limits that take longest
//   --kill: one process is killed and the database is restarted meanwhile; --rate-margin sets http.rate_margin
// Several processes share one queue and one authority over hosts on a PostgreSQL server of their own; what they harvest is
// merged and compared with the truth, and politeness is checked. Exit 1 on a difference or a violation.

const given = checkOptions({
  processes: '1,4,8',
  seeds: '1-5',
  profiles: 'politeness,realistic',
  works: 60,
  hosts: 12,
  workers: 16,
  kill: false,
  throughput: 0.001,
  rateMargin: '',
  show: 10,
  explain: 0,
});

/** A process killed just after it read a response cannot pass it on, so the request may be repeated once. */
const UNREAD_MS = 300;

interface Fleet extends Harvest {
  readonly processes: number;
}

const runs: Fleet[] = asked(() =>
  someOf('profiles', given.profiles, PROFILES).flatMap((profile) =>
    numbers('seeds', given.seeds).flatMap((seed) =>
      numbers('processes', given.processes).map((processes) => ({
        profile,
        seed,
        processes,
        workers: given.workers,
        works: given.works,
        hosts: given.hosts,
        // The processes share their limits by the clock of the database server.
        timeScale: 1,
        documents: 'plain' as const,
      })),
    ),
  ),
);

async function verifyFleet(run: Fleet): Promise<boolean> {
  await using server = await startPostgres();
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-fleet-'));
  await using simulation = await openWorld(run);
  await using admin = await Admin.open(simulation);
  const env = {
    ...PATIENCE,
    DOCSTOKG_SIM: admin.url,
    DOCSTOKG_QUEUE__BACKEND: 'postgres',
    DOCSTOKG_QUEUE__URL: server.url,
    // Jobs of a killed process, or whose result was lost with the server, are retried soon.
    DOCSTOKG_ORCHESTRATOR__LEASE_TTL_SECONDS: '30',
    DOCSTOKG_ORCHESTRATOR__HEARTBEAT_SECONDS: '5',
    ...(given.rateMargin !== '' && { DOCSTOKG_HTTP__RATE_MARGIN: given.rateMargin }),
  };
  const ids = expectedOutcome(simulation.world, DEFAULT_POLICY).map(({ work }) => work.id);
  const start = (parameters: readonly string[]): StartedCommand =>
    startCommand('contentdownload', ['queue', ...parameters], { cwd: folder.path, env });
  {
    writeFileSync(join(folder.path, 'works.jsonl'), ids.map((id) => JSON.stringify({ artifact_id: id })).join('\n'));
    await using put = start(['import', 'works.jsonl']);
    const { code } = await put.ended;
    if (code !== 0) throw new Error(put.stderr);
  }
  const startedAt = performance.now();
  let folders = 0;
  const worker = (): StartedCommand => {
    folders += 1;
    return start(['run', '--drain-now', '--workers', String(run.workers), '--out', `machine-${folders}`, '--json']);
  };
  const workers = Array.from({ length: run.processes }, worker);
  const faults: string[] = [];
  const [victim] = workers;
  let killedAt: number | undefined;
  if (given.kill && victim) {
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    killedAt = simulation.now();
    victim.kill('SIGKILL');
    workers.push(worker());
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    await server.restart?.();
  }
  for (const each of workers) {
    const { code } = await each.ended;
    if (each !== victim || !given.kill)
      if (code !== 0 && code !== 1) faults.push(`ended with ${code}: ${each.stderr.slice(-400)}`);
    await each[Symbol.asyncDispose]();
  }
  // A job of the killed process may have become due after all others had ended.
  await using last = worker();
  await last.ended;
  const elapsed = (performance.now() - startedAt) / 1000;
  const out = join(folder.path, 'joined');
  const machines = Array.from({ length: folders }, (_, at) => join(folder.path, `machine-${at + 1}`));
  // A machine without work, or killed before its first, has written nothing.
  const found = machines.filter((each) => existsSync(join(each, 'manifest.jsonl')));
  const merged = await mergeFolders(found, out, {
    clock: systemClock,
    runId: 'joined',
    warn: (message) => faults.push(message),
  });
  const { differences } = await verifyFolder(simulation, out, run.policy);
  const killMoment = killedAt === undefined ? undefined : { from: killedAt - UNREAD_MS, to: killedAt };
  const { unread = [], broke: violations = [] } = Object.groupBy(simulation.log.violations, (violation) =>
    killMoment && isUnread(simulation, violation, killMoment) ? 'unread' : 'broke',
  );
  faults.push(
    ...merged.missing,
    ...differences.map(
      ({ work, aspect, expected, found: was }) => `${work} ${aspect}: expected ${expected}, found ${was}`,
    ),
    ...violations.map((violation) => brokenBy(simulation, violation)),
    ...wrongFiles(out).map((path) => `${path} does not match the hash in its row`),
  );
  const bounds = lowerBounds(simulation);
  const [bound, took] = [bounds[0] ?? { key: 'nothing', seconds: 0 }, makespanSeconds(simulation)];
  const share = bound.seconds / took;
  if (share < given.throughput) faults.push(`less than ${given.throughput} of what the limits allow`);
  const broken = Object.entries(countByRule(violations)).filter(([, times]) => times > 0);
  console.log(
    [
      faults.length === 0 ? 'ok  ' : 'DIFF',
      run.profile.padEnd(10),
      `seed ${run.seed}`.padEnd(7),
      `processes ${run.processes}`.padEnd(12),
      `${given.kill ? 'one killed, server restarted ' : ''}works ${ids.length}`,
      `requests ${simulation.log.since(0).length}`,
      ...(unread.length > 0 ? [`asked again after the kill ${unread.length}`] : []),
      `violations ${violations.length}${broken.map(([rule, times]) => ` ${rule} ${times}`).join('')}`,
      `differences ${differences.length}`,
      `${elapsed.toFixed(0)} s`,
      `limits allow ${bound.seconds.toFixed(0)} s (${bound.key}), took ${took.toFixed(0)} s: ${(100 * share).toFixed(0)} %`,
    ].join('  '),
  );
  for (const { key, requests, seconds, first, last, pauses } of bounds.slice(0, given.explain)) {
    const moments = `asked from ${first.toFixed(0)} s to ${last.toFixed(0)} s`;
    const lost = pauses
      .map((pause) => `${pause.seconds.toFixed(1)} at ${pause.at.toFixed(0)} after ${pause.after}`)
      .join(', ');
    console.log(`     ${key}: ${requests} requests take ${seconds.toFixed(0)} s at least, ${moments}; lost ${lost}`);
  }
  for (const fault of faults.slice(0, given.show)) console.log(`     ${fault}`);
  return faults.length === 0;
}

/** Requests repeated because the response (a robots.txt or a Retry-After) went to a process killed at that moment. */
function isUnread(
  { log }: Simulation,
  { rule, url, host, at }: Simulation['log']['violations'][number],
  moment: { readonly from: number; readonly to: number },
): boolean {
  const said = log
    .since(0)
    .filter((entry) => entry.at < at && entry.host === host)
    .filter((entry) => (rule === 'robots-refetch' ? entry.url === url : [429, 503].includes(entry.status)));
  const isInMoment = said.some((entry) => entry.at >= moment.from && entry.at <= moment.to);
  if (rule === 'robots-refetch') return isInMoment && said.length === 1;
  return rule === 'retry-after' && isInMoment && said.every((entry) => entry.at <= moment.to);
}

/** The violated rule, and the requests to the host just before. */
function brokenBy(
  { log }: Simulation,
  { rule, url, detail, at, host }: Simulation['log']['violations'][number],
): string {
  const before = log
    .since(0)
    .filter((entry) => entry.host === host && entry.at < at)
    .toSorted((one, other) => other.at - one.at)
    .slice(0, 3)
    .map((entry) => `${((at - entry.at) / 1000).toFixed(2)} s after ${entry.method} ${entry.url} (${entry.status})`);
  return `violated ${rule} at ${url}: ${detail}; ${before.join(', ')}`;
}

let wrong = 0;
for (const run of runs) if (!(await verifyFleet(run))) wrong += 1;
console.log(`${runs.length} runs, ${wrong} with differences or broken rules`);
process.exitCode = wrong === 0 ? 0 : 1;
