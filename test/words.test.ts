import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '..');

/** Phrases that readers stumbled over, and what to write instead (docs/glossary.md). */
const REFUSED: readonly (readonly [RegExp, string])[] = [
  [/not to be had/i, 'unavailable'],
  [/to be had later/i, 'deferred'],
  [/worth another try/i, 'retryable'],
  [/passed over/i, 'skipped'],
  [/structure read/i, 'parsed'],
  [/cut into passages/i, 'chunked'],
  [/turned into vectors/i, 'embedded'],
  [/half within/i, 'median'],
  [/95 % within/i, 'p95'],
  [/left alone/i, 'rate-limited'],
  [/heard of/i, 'last seen'],
  [/\bHeld by\b/, 'Leased by'],
  [/nobody works on/i, 'no active workers'],
  [/take it along/i, 'Export'],
  [/nothing fits/i, 'no results'],
  [/is no id we know/i, 'not a recognised identifier'],
  [/whole number from/i, 'expected an integer ≥ …'],
  [/token wanted/i, 'authentication required'],
  [/is no folder of a run/i, 'not a run folder'],
  [/has happened since/i, 'no changes since …'],
  [/nobody has confirmed/i, 'not verified'],
  [/once more ends at once/i, 'Ctrl-C again to quit'],
  [/goes on from here/i, 'resume: run the same command'],
  [/dear ones/i, 'most expensive first'],
  [/weigh most/i, 'highest PageRank'],
  [/hang together/i, 'are connected'],
  [/the entry has no end/i, 'unterminated entry'],
  [/\brehears(?:e|al)\b/i, 'simulate'],
];

const files = globSync(['src/**/*.{ts,css,sql}', 'sql/**/*.sql', 'docs/**/*.md', 'README.md'], {
  cwd: ROOT,
  exclude: (path) => /\.test\.ts$|node_modules/.test(path),
}).map((file) => file.split(sep).join('/'));

test('user-visible text has no refused phrases', () => {
  assert.ok(files.length > 500);
  const found = files.flatMap((file) => {
    const lines = readFileSync(join(ROOT, file), 'utf8').split('\n');
    return lines.flatMap((line, at) =>
      REFUSED.filter(([phrase]) => phrase.test(line)).map(
        ([, instead]) => `${file}:${at + 1} ${line.trim().slice(0, 120)}  → ${instead}`,
      ),
    );
  });
  assert.deepEqual(found, []);
});
