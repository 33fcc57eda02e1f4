import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve, sep } from 'node:path';

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
const { status } = spawnSync(
  process.execPath,
  [
    '--conditions=docstokg-source',
    '--test',
    '--test-timeout=300000',
    // One more than there are cores: many tests wait for processes they have started.
    `--test-concurrency=${availableParallelism() + 1}`,
    ...options,
    ...files,
  ],
  // The many short processes of the tests share what was compiled once.
  { stdio: 'inherit', env: { ...process.env, NODE_COMPILE_CACHE: resolve('node_modules', '.cache', 'compile') } },
);
process.exit(status ?? 1);
