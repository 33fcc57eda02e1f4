import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';

// `npm test` runs everything; `npm test -- src/queue` runs the tests below a path or with that in their path.
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const options = process.argv.slice(2).filter((argument) => argument.startsWith('--'));
const files = globSync(['src/**/*.test.ts', 'sim/**/*.test.ts', 'test/**/*.test.ts'])
  .map((file) => file.split(sep).join('/'))
  .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
  .sort();
if (files.length === 0) {
  console.error(`no test file matches ${wanted.join(' ')}`);
  process.exit(2);
}
const reporter = options.find((option) => option.startsWith('--test-reporter=')) ?? '--test-reporter=spec';
const { status } = spawnSync(
  process.execPath,
  [
    '--conditions=docstokg-source',
    '--test',
    '--test-timeout=300000',
    // One more than there are cores: many tests wait for processes they have started.
    `--test-concurrency=${availableParallelism() + 1}`,
    reporter,
    '--test-reporter-destination=stdout',
    `--test-reporter=${pathToFileURL(join(import.meta.dirname, 'skipped-tests.ts')).href}`,
    '--test-reporter-destination=stdout',
    ...options.filter((option) => option !== reporter),
    ...files,
  ],
  // The many short processes of the tests share what was compiled once.
  { stdio: 'inherit', env: { ...process.env, NODE_COMPILE_CACHE: resolve('node_modules', '.cache', 'compile') } },
);
process.exit(status ?? 1);
