import { once } from 'node:events';
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve, sep } from 'node:path';
import { run } from 'node:test';
import { dot, junit, spec, tap } from 'node:test/reporters';

import { testAccount } from './test-account.ts';

// `npm test` runs everything; `npm test -- src/queue` runs the tests below a path or with that in their path.
// When all are run and a few fail, their files run once more, each alone: what passes then is called unsteady by name and fails
// nothing, what fails again fails the run. `--once` leaves that out.
const MOST_UNSTEADY_FILES = 4;
const LONGEST_TEST_MS = 300_000;
/** Files begin in this order: long ones are in the first folders, and the short ones of the last fill both cores to the end. */
const LONGEST_FIRST = ['test/e2e/', 'test/', 'sim/', 'src/stage/', 'src/'];
const REPORTER = '--test-reporter=';
const REPORTERS: readonly string[] = ['spec', 'dot', 'tap', 'junit'];

const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const options = process.argv.slice(2).filter((argument) => argument.startsWith('--'));
const rank = (file: string): number => LONGEST_FIRST.findIndex((folder) => file.startsWith(folder));
const files = globSync(['src/**/*.test.ts', 'sim/**/*.test.ts', 'test/**/*.test.ts'])
  .map((file) => file.split(sep).join('/'))
  .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
  .sort()
  .sort((one, other) => rank(one) - rank(other));
if (files.length === 0) {
  console.error(`no test file matches ${wanted.join(' ')}`);
  process.exit(2);
}
const reporter = options.find((option) => option.startsWith(REPORTER))?.slice(REPORTER.length) ?? 'spec';
if (!REPORTERS.includes(reporter)) {
  console.error(`no reporter is called ${reporter}: there are ${REPORTERS.join(', ')}`);
  process.exit(2);
}
// The many short processes of the tests share what was compiled once.
process.env['NODE_COMPILE_CACHE'] = resolve('node_modules', '.cache', 'compile');

interface Failed {
  readonly file: string;
  readonly name: string;
}

/** What the chosen reporter makes of the events. */
function compose(events: ReturnType<typeof run>): NodeJS.ReadableStream {
  switch (reporter) {
    case 'tap':
      return events.compose(tap);
    case 'dot':
      return events.compose(dot);
    case 'junit':
      return events.compose(junit);
    default:
      return events.compose(new spec());
  }
}

/** Runs these files in their order, tells what comes of them, and gives the tests that failed. */
async function runFiles(these: readonly string[], concurrency: number): Promise<Failed[]> {
  const failed: Failed[] = [];
  const passedOn = options.filter((option) => option !== '--once' && !option.startsWith(REPORTER));
  const events = run({
    files: these,
    concurrency,
    timeout: LONGEST_TEST_MS,
    execArgv: ['--conditions=docstokg-source', ...passedOn],
  });
  events.on('test:fail', ({ file, name, todo }) => {
    if (todo === undefined) failed.push({ file: file ?? name, name });
  });
  const told = [compose(events), events.compose(testAccount)];
  for (const text of told) text.pipe(process.stdout, { end: false });
  await Promise.all(told.map((text) => once(text, 'end')));
  return failed;
}

// One more than there are cores: many tests wait for processes they have started.
const failed = await runFiles(files, availableParallelism() + 1);
process.exitCode = failed.length > 0 ? 1 : 0;
const again = [...new Set(failed.map(({ file }) => file))];
const isRunAgain = wanted.length === 0 && !options.includes('--once');
if (isRunAgain && again.length > 0 && again.length <= MOST_UNSTEADY_FILES) {
  console.log(`\nrun again, each alone: ${again.join(', ')}`);
  if ((await runFiles(again, 1)).length === 0) {
    process.exitCode = 0;
    console.log('unsteady: failed beside the others and passed alone; each is a defect to mend:');
    for (const { file, name } of failed) console.log(`  ${name} (${file})`);
  }
}
