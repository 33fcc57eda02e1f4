import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';

// `npm test` runs everything; `npm test -- src/queue` runs the tests below a path or with that in their path.
// When all are run and a few fail, their files run once more, each alone: what passes then is called unsteady by name and fails
// nothing, what fails again fails the run. `--once` leaves that out.
const MOST_UNSTEADY_FILES = 4;
const once = process.argv.includes('--once');
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const options = process.argv.slice(2).filter((argument) => argument.startsWith('--') && argument !== '--once');
const files = globSync(['src/**/*.test.ts', 'sim/**/*.test.ts', 'test/**/*.test.ts'])
  .map((file) => file.split(sep).join('/'))
  .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
  .sort();
if (files.length === 0) {
  console.error(`no test file matches ${wanted.join(' ')}`);
  process.exit(2);
}
const reporter = options.find((option) => option.startsWith('--test-reporter=')) ?? '--test-reporter=spec';
const folder = mkdtempSync(join(tmpdir(), 'docstokg-tests-'));

/** Runs these files and gives the status and the tests that failed. */
function run(
  these: readonly string[],
  concurrency: number,
): { status: number; failed: { file: string; name: string }[] } {
  const failures = join(folder, 'failures.jsonl');
  writeFileSync(failures, '');
  const compileCache = resolve('node_modules', '.cache', 'compile');
  const { status } = spawnSync(
    process.execPath,
    [
      '--conditions=docstokg-source',
      '--test',
      '--test-timeout=300000',
      `--test-concurrency=${concurrency}`,
      reporter,
      '--test-reporter-destination=stdout',
      `--test-reporter=${pathToFileURL(join(import.meta.dirname, 'test-account.ts')).href}`,
      '--test-reporter-destination=stdout',
      ...options.filter((option) => option !== reporter),
      ...these,
    ],
    // The many short processes of the tests share what was compiled once.
    { stdio: 'inherit', env: { ...process.env, NODE_COMPILE_CACHE: compileCache, TEST_FAILURES: failures } },
  );
  const lines = readFileSync(failures, 'utf8').split('\n').filter(Boolean);
  return { status: status ?? 1, failed: lines.map((line) => JSON.parse(line) as { file: string; name: string }) };
}

try {
  // One more than there are cores: many tests wait for processes they have started.
  const first = run(files, availableParallelism() + 1);
  process.exitCode = first.status;
  const again = [...new Set(first.failed.map(({ file }) => file))];
  if (first.status === 1 && wanted.length === 0 && !once && again.length > 0 && again.length <= MOST_UNSTEADY_FILES) {
    console.log(`\nrun again, each alone: ${again.join(', ')}`);
    process.exitCode = run(again, 1).status;
    if (process.exitCode === 0) {
      console.log('unsteady: failed beside the others and passed alone; each is a defect to mend:');
      for (const { file, name } of first.failed) console.log(`  ${name} (${file})`);
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
