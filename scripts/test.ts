import { once } from 'node:events';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { run } from 'node:test';
import type { TestEvent } from 'node:test/reporters';
import { dot, junit, spec, tap } from 'node:test/reporters';

// `npm test` runs everything; `npm test -- src/queue` runs the test files whose path contains that.
// The run fails when a test fails, when a test file ends before its tests do, or when fewer tests ran than FEWEST_TESTS.
// After a failed full run up to four failing files run again, each alone, to tell a race from a plain fault; the run
// still fails. `--once` skips that.
const FEWEST_TESTS = 3_400;
const MOST_FILES_RUN_AGAIN = 4;
const FILES_PER_PROCESS = 12;
/** Rooms with fewer test files share a process. */
const FEW_FILES = 4;
const TEST_TIMEOUT_MS = 300_000;
/** Test files beside those that occupy the cores: with two more, cores idled for a third of the time. */
const FILES_BESIDE = 6;
/** Start order of files: those with long tests first, so that both cores stay busy at the end. */
const LONGEST_FIRST = [
  'test/package',
  'test/e2e/',
  'src/corpus/',
  'src/search/postgres/',
  'test/',
  'sim/',
  'src/stage/',
  'src/run/',
  'src/parse/',
  'src/',
];
const REPORTER = '--test-reporter=';
/** A spec reporter is a stream, which serves one run. */
const REPORTERS = { spec: () => new spec(), dot: () => dot, tap: () => tap, junit: () => junit };

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
if (!Object.hasOwn(REPORTERS, reporter)) {
  console.error(`unknown reporter ${reporter}: choose one of ${Object.keys(REPORTERS).join(', ')}`);
  process.exit(2);
}
// The short-lived test processes share one compile cache.
process.env['NODE_COMPILE_CACHE'] = resolve('node_modules', '.cache', 'compile');
// They start the program hundreds of times.
if (files.some((file) => file.startsWith('test/')))
  process.env['TESTED_BIN'] ??= await (await import('./bundle.ts')).bundledProgram();

/** What one process runs: a test file, or a file that imports some. */
interface Group {
  readonly path: string;
  readonly files: readonly string[];
}

const alone = (file: string): Group => ({ path: file, files: [file] });

/**
 * Unit tests of a room share a process in small groups: to start one and load the room takes longer than most tests.
 * A file with hooks for every test of its process, that calls a suite of src/testing, or changes its process, keeps its own.
 */
function inGroups(all: readonly string[]): Group[] {
  const keepsOwn = /^(?:before|beforeEach|afterEach|\s*describe\w+)\(|process\.(?:env|exit|on|chdir|memoryUsage)\b/m;
  const roomOf = (file: string): string => {
    const room = /^(?:src\/[^/]+|sim|test\/serve)(?=\/)/.exec(file)?.[0];
    return room === undefined || keepsOwn.test(readFileSync(file, 'utf8')) ? file : room.replace('/', '-');
  };
  const inRooms = Map.groupBy(all, roomOf);
  const rooms = Map.groupBy(all, (file) => {
    const room = roomOf(file);
    return room.startsWith('src-') && (inRooms.get(room)?.length ?? 0) < FEW_FILES ? 'src' : room;
  });
  return [...rooms].flatMap(([room, inRoom]) => {
    const count = Math.ceil(inRoom.length / FILES_PER_PROCESS);
    return Array.from({ length: count }, (_, at): Group => {
      const members = inRoom.filter((_file, index) => index % count === at);
      if (members.length === 1) return alone(members[0] ?? '');
      const path = join('node_modules', '.cache', 'tests', `${room}-${at + 1}.test.mjs`);
      mkdirSync(dirname(path), { recursive: true });
      const imports = members.map((file) => `import '${relative(dirname(path), file).split(sep).join('/')}';\n`);
      writeFileSync(path, imports.join(''));
      return { path, files: members };
    });
  });
}

interface Failure {
  readonly file: string;
  readonly name: string;
}

/** A reporter that prints in one line how many tests were skipped and why. */
async function* reportSkipped(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const reasons = new Map<string, number>();
  for await (const event of source) {
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue;
    const { skip } = event.data;
    if (skip === undefined || skip === false) continue;
    const why = typeof skip === 'string' && skip !== '' ? skip : 'no reason given';
    reasons.set(why, (reasons.get(why) ?? 0) + 1);
  }
  const count = [...reasons.values()].reduce((sum, tests) => sum + tests, 0);
  const why = [...reasons].map(([reason, tests]) => `${tests} because ${reason}`).join('; ');
  if (count > 0) yield `${count} ${count === 1 ? 'test was' : 'tests were'} skipped: ${why}\n`;
}

/** Runs the files in order and returns the failures and the number of tests. */
async function runFiles(
  groups: readonly Group[],
  concurrency: number,
): Promise<{ readonly failures: Failure[]; readonly tests: number }> {
  const failures: Failure[] = [];
  const ended = new Set<string>();
  const tested = new Set<string>();
  let tests = 0;
  const events = run({
    files: groups.map(({ path }) => path),
    concurrency,
    timeout: TEST_TIMEOUT_MS,
    execArgv: [
      '--conditions=docstokg-source',
      ...options.filter((option) => option !== '--once' && !option.startsWith(REPORTER)),
    ],
  });
  events.on('test:fail', ({ file, name, todo }) => {
    if (todo === undefined) failures.push({ file: file ?? name, name });
  });
  events.on('test:pass', ({ file }) => {
    if (file !== undefined) tested.add(resolve(file));
  });
  events.on('test:summary', ({ file, counts }) => {
    if (file === undefined) return;
    ended.add(resolve(file));
    tests += counts.tests;
  });
  const outputs = [REPORTERS[reporter as 'dot'](), reportSkipped].map((each) => events.compose(each));
  for (const text of outputs) text.pipe(process.stdout, { end: false });
  await Promise.all(outputs.map((text) => once(text, 'end')));
  // A file that calls process.exit or is killed sends no summary, and node:test takes exit code 0 for success.
  const failed = new Set(failures.map(({ file }) => resolve(file)));
  for (const { path, files: members } of groups)
    for (const file of members)
      if (
        !failed.has(resolve(file)) &&
        !(ended.has(resolve(path)) && (members.length === 1 || tested.has(resolve(file))))
      )
        failures.push({ file, name: 'ran no test or ended before its tests did' });
  return { failures, tests };
}

const list = (failures: readonly Failure[]): void => {
  for (const { file, name } of failures) console.log(`  ${name} (${file})`);
};

const isWhole = wanted.length === 0;
const { failures, tests } = await runFiles(inGroups(files), availableParallelism() + FILES_BESIDE);
const isShort = isWhole && tests < FEWEST_TESTS;
process.exitCode = failures.length > 0 || isShort ? 1 : 0;
if (failures.length > 0) {
  console.log('\nfailed:');
  list(failures);
}
if (isShort) console.log(`\nonly ${tests} tests ran; expected at least ${FEWEST_TESTS} (scripts/test.ts)`);
const again = [...new Set(failures.map(({ file }) => file))];
if (isWhole && !options.includes('--once') && again.length > 0 && again.length <= MOST_FILES_RUN_AGAIN) {
  console.log(`\nrerunning each alone, to tell a race from a plain failure: ${again.join(', ')}`);
  const second = new Set((await runFiles(again.map(alone), 1)).failures.map(({ file, name }) => `${file} ${name}`));
  const passed = failures.filter(({ file, name }) => !second.has(`${file} ${name}`));
  if (passed.length > 0) {
    console.log('\npassed alone, so there is a race or shared state: fix the test or the program');
    list(passed);
  }
}
