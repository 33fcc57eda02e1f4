// Breaks promised behaviours one at a time, in a copy of the tree, and sees that the test named for each notices.
// `npm run verify:mutations` does all of them; `npm run verify:mutations -- robots` those that have a word in them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** A behaviour, the text that makes it, the text that breaks it, and the test that must then fail. */
interface Mutation {
  readonly behaviour: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
  readonly test: string;
  /** Part of the title of the one test that is meant; without it the whole file. */
  readonly title?: string;
}

const ROOT = resolve(import.meta.dirname, '..', '..');
const COPIED = ['bin', 'docs/reference', 'sim', 'sql', 'src', 'test', 'package.json', 'tsconfig.json'];
/** A broken program may well hang; that is noticed too. */
const LONGEST_MS = 180_000;

const words = process.argv.slice(2);
const all = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'mutations.json'), 'utf8')) as Mutation[];
const chosen = all.filter(({ behaviour, file }) => words.every((word) => `${behaviour} ${file}`.includes(word)));
if (chosen.length === 0) {
  console.error(`no behaviour has ${words.join(' ')} in its name; there are ${all.length}`);
  process.exit(2);
}

/** A copy of the tree, which one worker may break. */
class Copy implements Disposable {
  readonly #root = mkdtempSync(join(tmpdir(), 'docstokg-mutations-'));

  constructor() {
    for (const name of COPIED) cpSync(join(ROOT, name), join(this.#root, name), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(this.#root, 'node_modules'), 'junction');
  }

  /** True when the test passes. */
  async passes({ test, title }: Pick<Mutation, 'test' | 'title'>): Promise<boolean> {
    const pattern = title === undefined ? [] : [`--test-name-pattern=${RegExp.escape(title)}`];
    const child = spawn(
      process.execPath,
      ['--conditions=docstokg-source', '--test', '--test-reporter=tap', ...pattern, test],
      { cwd: this.#root, stdio: ['ignore', 'pipe', 'ignore'] },
    );
    let told = '';
    child.stdout.on('data', (bytes: Buffer) => (told += bytes.toString()));
    const patience = setTimeout(() => child.kill('SIGKILL'), LONGEST_MS);
    const [code] = (await once(child, 'close')) as [number | null];
    clearTimeout(patience);
    // A title that no test has would pass without having tested anything.
    return code === 0 && /^# pass [1-9]/m.test(told);
  }

  /** True when the test fails once the behaviour is broken. */
  async catches(mutation: Mutation): Promise<boolean> {
    const path = join(this.#root, mutation.file);
    const text = readFileSync(path, 'utf8');
    writeFileSync(
      path,
      text.replace(mutation.from, () => mutation.to),
    );
    try {
      return !(await this.passes(mutation));
    } finally {
      writeFileSync(path, text);
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.#root, { recursive: true, force: true });
  }
}

const stale = chosen.filter(({ file, from }) => readFileSync(join(ROOT, file), 'utf8').split(from).length !== 2);
for (const { behaviour, file } of stale)
  console.log(`NOT FOUND   ${behaviour}: the text to break stands not exactly once in ${file}`);

const startedAt = performance.now();
const survivors: string[] = [];
const broken: string[] = [];
const sound = new Map<string, Promise<boolean>>();
const left = chosen.filter((mutation) => !stale.includes(mutation));

async function work(): Promise<void> {
  using copy = new Copy();
  for (let mutation = left.shift(); mutation; mutation = left.shift()) {
    const { behaviour, test, title } = mutation;
    const key = `${test} ${title ?? ''}`;
    // A test that fails on the sound program proves nothing.
    sound.set(key, sound.get(key) ?? copy.passes(mutation));
    if (!(await sound.get(key))) {
      broken.push(behaviour);
      console.log(`NO TEST     ${behaviour}: ${key} does not pass, or is no test`);
      continue;
    }
    const isCaught = await copy.catches(mutation);
    if (!isCaught) survivors.push(behaviour);
    console.log(`${isCaught ? 'caught  ' : 'SURVIVED'}    ${behaviour}  (${test})`);
  }
}

await Promise.all(Array.from({ length: Math.min(availableParallelism(), left.length) }, work));
const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
const caught = chosen.length - stale.length - survivors.length - broken.length;
console.log(
  `${chosen.length} behaviours broken one at a time: ${caught} caught, ${survivors.length} survived, ` +
    `${stale.length} not found, ${broken.length} without a test  (${seconds} s)`,
);
process.exitCode = caught === chosen.length ? 0 : 1;
