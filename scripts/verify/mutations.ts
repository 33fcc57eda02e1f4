// Breaks the program at random, one place at a time, in a copy of the tree, and runs the tests of the room that was broken.
// A survivor is a change that no test of its room notices: a missing test, or code that makes no difference.
//
// npm run verify:mutations [-- --rooms http,queue --count 20 --seed N --tests test/cli]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { checkOptions } from '../../test/support/options.ts';
import { seededNumbers } from '../../test/e2e/runner-process.ts';
import { HOUSE } from '../house.ts';

const ROOT = resolve(import.meta.dirname, '..', '..');
const COPIED = ['bin', 'sim', 'sql', 'src', 'test', 'package.json', 'tsconfig.json'];
/** A broken program may hang, which counts as noticed. */
const TIMEOUT_MS = 180_000;

/** Small faults that leave the text valid TypeScript. */
const FAULTS: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/ === /g, ' !== '],
  [/ !== /g, ' === '],
  [/ && /g, ' || '],
  [/ \|\| /g, ' && '],
  [/ >= /g, ' > '],
  [/ <= /g, ' < '],
  [/ < (?=\w+[);& ])/g, ' <= '],
  [/ > (?=\d)/g, ' >= '],
  [/\bif \(!/g, 'if ('],
  [/\breturn true;/g, 'return false;'],
  [/\breturn false;/g, 'return true;'],
  [/ \+ 1\b/g, ' + 0'],
  [/ - 1\b/g, ' - 0'],
  [/\bMath\.max\(/g, 'Math.min('],
  [/\bMath\.min\(/g, 'Math.max('],
  [/^\s+await [\w.#]+\([^()]*\);$/gm, ''],
  [/^\s+this\.#\w+ = [^;{]+;$/gm, ''],
];

interface Mutation {
  readonly room: string;
  readonly file: string;
  readonly line: number;
  readonly text: string;
  readonly what: string;
}

function mutationsOf(room: string, file: string): Mutation[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return FAULTS.flatMap(([pattern, replacement]) =>
    [...text.matchAll(pattern)].flatMap(({ 0: found, index }) => {
      const lineStart = text.lastIndexOf('\n', index) + 1;
      if (/^\s*(?:\/\/|\/?\*)/.test(text.slice(lineStart))) return [];
      return {
        room,
        file,
        line: text.slice(0, index).split('\n').length,
        text: text.slice(0, index) + replacement + text.slice(index + found.length),
        what: `${found.trim()} → ${replacement.trim() || '(removed)'}`,
      };
    }),
  );
}

/** A copy of the tree that one worker may break. */
class Copy implements Disposable {
  readonly #root = mkdtempSync(join(tmpdir(), 'docstokg-mutations-'));

  constructor() {
    for (const name of COPIED) cpSync(join(ROOT, name), join(this.#root, name), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(this.#root, 'node_modules'), 'junction');
  }

  async passes(tests: readonly string[]): Promise<boolean> {
    const child = spawn(
      process.execPath,
      ['--conditions=docstokg-source', '--test', '--test-concurrency=1', ...tests],
      {
        cwd: this.#root,
        stdio: 'ignore',
      },
    );
    const timeout = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS);
    const [code] = (await once(child, 'close')) as [number | null];
    clearTimeout(timeout);
    return code === 0;
  }

  async survives({ file, text }: Mutation, tests: readonly string[]): Promise<boolean> {
    const path = join(this.#root, file);
    writeFileSync(path, text);
    try {
      return await this.passes(tests);
    } finally {
      cpSync(join(ROOT, file), path);
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.#root, { recursive: true, force: true });
  }
}

const given = checkOptions({
  rooms: Object.keys(HOUSE).join(','),
  count: 20,
  seed: Date.now() % 1_000_000,
  tests: '',
});
const { seed, count } = given;
const rooms = given.rooms.split(',');
const random = seededNumbers(seed);
const candidates = rooms.flatMap((room) =>
  globSync(`src/${room}/**/*.ts`, { cwd: ROOT })
    .filter((file) => !/\.test\.ts$|\/page\//.test(file))
    .sort()
    .flatMap((file) => mutationsOf(room, file)),
);
if (candidates.length === 0) {
  console.error(`nothing to break in ${given.rooms}`);
  process.exit(2);
}
const left = Array.from({ length: Math.min(count, candidates.length) }, () => candidates[random(candidates.length)]);
console.log(`seed ${seed}: ${left.length} of ${candidates.length} places`);

const testsOf = (room: string): string[] => {
  const more = given.tests === '' ? [] : globSync(`${given.tests}/**/*.test.ts`, { cwd: ROOT });
  return [...globSync(`src/${room}/**/*.test.ts`, { cwd: ROOT }), ...more];
};
const survivors: Mutation[] = [];
async function work(): Promise<void> {
  using copy = new Copy();
  for (let mutation = left.shift(); mutation; mutation = left.shift()) {
    const survived = await copy.survives(mutation, testsOf(mutation.room));
    if (survived) survivors.push(mutation);
    console.log(`${survived ? 'SURVIVED' : 'noticed '}  ${mutation.file}:${mutation.line}  ${mutation.what}`);
  }
}
await Promise.all(Array.from({ length: Math.min(availableParallelism(), left.length) }, work));
console.log(`${survivors.length} survived`);
process.exitCode = survivors.length === 0 ? 0 : 1;
