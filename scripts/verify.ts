// `npm run verify:NAME -- OPTIONS`: checks of the whole program that take longer than a test. The long ones are modules in
// scripts/verify. Exit code 0 if everything passed, 1 on a failure, 2 for invalid options.
import { existsSync, globSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';

import { PROFILES } from '../sim/index.ts';
import { checkOptions } from '../test/support/options.ts';

interface Verified {
  readonly faults: readonly string[];
  readonly summary: string;
  /** More lines for people, such as the moments of the kills. */
  readonly details?: readonly string[];
}

/** Short checks by name; each reads its options from the command line. */
const CHECKS: Readonly<Record<string, () => Promise<Verified>>> = {
  /** Kills a download of a simulated world again and again, resumes it, and compares the result with the truth. */
  async kill() {
    const options = checkOptions({
      seed: 1,
      works: 500,
      hosts: 60,
      kills: 30,
      workers: 16,
      documents: ['plain', 'full'],
      profile: ['calm', ...PROFILES],
      requestsBetween: 220,
      timeScale: 0.02,
    });
    const { killStorm } = await import('../test/support/kill-storm.ts');
    const { kills, killsAtStart, rows, repeatedRows, faults } = await killStorm(options);
    const killed = `killed ${kills} times (${killsAtStart} before the first request)`;
    return { faults, summary: `${options.works} works, ${killed}, ${rows} rows, ${repeatedRows} of them repeats` };
  },

  /** Kills `docstokg run` again and again, lets it finish, and compares the corpus with an uninterrupted one. */
  async run() {
    const options = checkOptions({ seed: 1, works: 6, kills: 20, documents: ['full', 'plain'] });
    const { runStorm } = await import('../test/support/run-storm.ts');
    const { kills, works, chunks, faults, instants } = await runStorm({ ...options, stageWorkers: 2 });
    const details = instants.map((instant) => `killed after ${instant}`);
    return { faults, summary: `${works} works, ${chunks} chunks, killed ${kills} times`, details };
  },

  /** Kills machines of a corpus in PostgreSQL and its server at random, and compares the index with one built again. */
  async database() {
    const options = checkOptions({ seed: 1, kills: 50, documents: 40 });
    const { databaseStorm } = await import('../test/support/database-storm.ts');
    const { kills, serverKills, puts, asked, notes, refused, faults } = await databaseStorm(options);
    const killed = `machines killed ${kills} times, the server ${serverKills} times`;
    const details = Object.entries(refused).map(([code, times]) => `refused with ${code} ${times} times`);
    return { faults, summary: `${killed}: ${puts} changes, ${asked} answers, ${notes} notes`, details };
  },

  /** Refreshes a corpus after a simulated month, kills and resumes it, and compares the report with the changes made. */
  async refresh() {
    const options = checkOptions({ seed: 1, works: 120, kills: 20 });
    const { liveThroughMonth } = await import('../test/support/month.ts');
    const { truth, kills, instants, faults } = await liveThroughMonth(options);
    const changes = Object.entries(truth).map(([part, works]) => `${(works as readonly string[]).length} ${part}`);
    const details = instants.map((instant) => `killed after ${instant}`);
    return { faults, summary: `${options.works} works: ${changes.join(', ')}; killed ${kills} times`, details };
  },

  /**
   * Runs `contentdownload` against hostile servers next to good ones: no case may stop the run, save wrong bytes or lose a
   * work of another host. Words select cases: `npm run verify:hostile -- robots`.
   */
  async hostile() {
    const { HOSTILE_CASES, visitHostiles } = await import('../test/support/hostile/visit.ts');
    const words = process.argv.slice(2);
    const chosen = HOSTILE_CASES.filter(({ name: title }) => words.every((word) => title.includes(word)));
    if (chosen.length === 0) refuse(`no case name contains ${words.join(' ')}; there are ${HOSTILE_CASES.length}`);
    const { works, saved, byReason, faults } = await visitHostiles(chosen);
    const details = Object.entries(byReason).map(([reason, count]) => `${String(count).padStart(5)}  ${reason}`);
    return { faults, summary: `${chosen.length} hostile cases: ${works} works, ${saved} downloaded`, details };
  },

  /** Parses every hostile PDF in child processes with a deadline; none may crash or hang. */
  async 'hostile-pdf'() {
    const { parseMany } = await import('../test/support/parse-many.ts');
    const folder = join(import.meta.dirname, '..', '..', 'shared', 'data', 'hostile', 'open', 'pdf');
    if (!existsSync(folder)) refuse(`hostile files not found: ${folder}`);
    const files = readdirSync(folder).sort();
    const limits = { deadlineMs: 120_000, maxMemoryBytes: 512 * 1024 * 1024, children: availableParallelism() };
    const results = await parseMany(
      files.map((file) => join(folder, file)),
      limits,
    );
    const describe = (result: (typeof results)[number]): string =>
      `${basename(result.file)} ${JSON.stringify({ ...result, file: undefined })}`;
    const isExpected = ({ code }: (typeof results)[number]): boolean => /^(?:ok|PDF_)/.test(code);
    const slow = results.filter((result) => 'ms' in result && (result.ms > 5_000 || result.peakMegabytes > 900));
    const codes = [...Map.groupBy(results, ({ code }) => code)].map(([code, all]) => `${code} ${all.length}`);
    return {
      faults: results.filter((result) => !isExpected(result)).map(describe),
      summary: `${results.length} files: ${codes.join(', ')}`,
      details: slow.map(describe),
    };
  },
};

function refuse(message: string): never {
  console.error(message);
  process.exit(2);
}

const [name = ''] = process.argv.splice(2, 1);
const modules = globSync('*.ts', { cwd: join(import.meta.dirname, 'verify') }).map((file) => basename(file, '.ts'));
const check = CHECKS[name];
if (check) {
  const startedAt = performance.now();
  const { faults, summary, details = [] } = await check();
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  console.log(`${faults.length === 0 ? 'ok  ' : 'DIFF'} ${summary}, ${faults.length} faults, ${seconds} s`);
  for (const line of [...details, ...faults.map((fault) => `FAULT ${fault}`)]) console.log(`     ${line}`);
  process.exitCode = faults.length === 0 ? 0 : 1;
} else if (modules.includes(name)) {
  // A fleet that shares a store is another check than one that only downloads together.
  const script = name === 'fleet' && process.argv.includes('--store') ? 'fleet-store' : name;
  await import(`./verify/${script}.ts`);
} else
  refuse(
    `usage: node scripts/verify.ts NAME [OPTIONS]; NAME is one of ${[...Object.keys(CHECKS), ...modules].sort().join(', ')}`,
  );
