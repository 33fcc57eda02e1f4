import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';

// `npm test` runs everything; `npm test -- src/queue` runs the tests below a path or with that in their path.
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const options = process.argv.slice(2).filter((argument) => argument.startsWith('--'));
const files = globSync(['src/**/*.test.ts', 'sim/**/*.test.ts', 'test/**/*.test.ts'])
  .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
  .sort();
if (files.length === 0) {
  console.error(`no test file matches ${wanted.join(' ')}`);
  process.exit(2);
}
const { status } = spawnSync(
  process.execPath,
  [
    '--conditions=docstokg-source',
    '--test',
    `--test-concurrency=${Math.max(2, availableParallelism())}`,
    ...options,
    ...files,
  ],
  { stdio: 'inherit' },
);
process.exit(status ?? 1);
