import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '..');

/** Phrases that readers found unclear, and what to write instead (docs/glossary.md). */
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
  [/\bto be had\b/i, 'available'],
  [/known to nobody/i, 'unknown'],
  [/politeness broken|rules of politeness/i, 'politeness violations'],
  [/held against the truth/i, 'compared with the expected results'],
  [/wants a number/i, 'expects a number'],
  [/answers again/i, 'accepts requests again'],
  [/nobody asked for/i, 'was not requested'],
  [/\bput aside\b/i, 'moved to'],
  [/(?<!there )is no (?:folder|file|number|year|shard|PDF|base URL|service|kind of)\b/i, 'is not a …'],
];

/** Phrases that are refused only in the folders of CLEANED. */
const REFUSED_IN_CLEANED: readonly (readonly [RegExp, string])[] = [
  [/\bfor who\b/i, 'for a caller that …'],
  [/\banew\b/i, 'again'],
  [/\bwhoever\b/i, 'name the caller, client, user'],
  [/\bwhat came of\b/i, 'outcome, result'],
  [/\bis told\b|\btold (?:apart|by|of)\b/i, 'is reported, is distinguished by'],
  [/\bof one's own\b/i, 'own'],
  [/\bunless said otherwise\b/i, 'default …'],
  [/\bhow far it is\b/i, 'progress'],
  [/\bof which there is\b/i, 'with'],
  [/\bput back\b/i, 'requeue, return'],
  [/\bgoes on\b/i, 'continues, resumes'],
];
const CLEANED = /^(?:src\/cli|src\/serve|src\/mcp|sim|scripts|docs\/guides)\//;

const files = globSync(
  [
    'src/**/*.{ts,css,sql}',
    'sim/**/*.ts',
    'scripts/**/*.ts',
    'training/**/*.{ts,py,md}',
    'sql/**/*.sql',
    'docs/**/*.md',
    'README.md',
  ],
  { cwd: ROOT, exclude: (path) => /\.test\.ts$|node_modules/.test(path) },
)
  .map((file) => file.split(sep).join('/'))
  // Generated pages may be out of date; their sources are checked.
  .filter((file) => !file.startsWith('docs/reference/') || file.endsWith('simulator.md'));

test('user-visible text has no refused phrases', () => {
  assert.ok(files.length > 500);
  const found = files.flatMap((file) => {
    const lines = readFileSync(join(ROOT, file), 'utf8').split('\n');
    return lines.flatMap((line, at) =>
      [...REFUSED, ...(CLEANED.test(file) ? REFUSED_IN_CLEANED : [])]
        .filter(([phrase]) => phrase.test(line))
        .map(([, instead]) => `${file}:${at + 1} ${line.trim().slice(0, 120)}  → ${instead}`),
    );
  });
  assert.deepEqual(found, []);
});
