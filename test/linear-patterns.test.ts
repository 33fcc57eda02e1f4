import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createContext, Script } from 'node:vm';

import { analyse } from 'scslre';

import type { SourcePattern } from './support/pattern-attacks.ts';
import { attacksOn, patternsIn } from './support/pattern-attacks.ts';

const SOURCES = globSync('src/**/*.ts')
  .filter((file) => !file.endsWith('.test.ts'))
  .map((path) => ({ path, ...patternsIn(path, readFileSync(path, 'utf8')) }));
const SIZE = 3_000;
/** CPU time above which growth is measured; most linear patterns need a tenth of it. */
const SUSPECT_MS = 1;
/** Text this many times as long takes as many times as long; the square of it would be quadratic. */
const LONGER = 8;
/** Between the two, as far from one as from the other. */
const TOO_LONG = LONGER ** 1.5;
/** CPU time after which an attack counts as endless; a longer text may take as much longer as is allowed. */
const LONGEST_MS = 200;
/** Measurements that must all grow too fast: one alone may be due to a pause of the machine. */
const TIMES = 3;

test('every regular expression in src/ takes linear time on any text', () => {
  const slow: string[] = [];
  const places = SOURCES.flatMap(({ path, patterns }) => patterns.map((pattern) => ({ path, pattern })));
  for (const [named, [first]] of Map.groupBy(places, ({ pattern }) => `/${pattern.source}/${pattern.flags}`)) {
    const why = first && superlinear(first.pattern);
    if (why !== undefined) slow.push(`${first?.path}:${first?.pattern.line} ${why} ${named}`);
  }
  assert.deepEqual(slow, []);
});

/** One adds a flag to a literal; the others join fixed words of ours, each with a bounded form. */
const BUILT = [
  'parse/doctags/markup/node.ts',
  'graph/names/bodies.ts',
  'graph/names/countries.ts',
  'graph/names/study-designs.ts',
  'graph/extract/entity-names.ts',
  'graph/findings/finding-forms.ts',
  'graph/findings/read-finding.ts',
  'graph/extract/funding.ts',
  'graph/extract/table-names.ts',
  'graph/extract/population.ts',
  'graph/extract/procedures.ts',
];

test('regular expressions are built from strings only in the places that are known', () => {
  const built = SOURCES.flatMap(({ path, built: lines }) => lines.map((line) => `${path}:${line}`));
  assert.deepEqual(
    built.filter((place) => !BUILT.some((file) => place.startsWith(`src/${file}:`))),
    [],
  );
});

for (const [name, source, flags] of [
  ['comments before a tag', '^(?:<!--[^]*?-->\\s*)*<html', 'i'],
  ['comments at the end', '(?:\\s|<!--[^]*?-->)+$', ''],
  ['tags without an end', '<[^>]*>', 'g'],
  ['spaces at the end', '\\s+$', ''],
  ['a list of names', '\\s*;\\s*', ''],
  ['two runs of one class', '^[^\\p{L}]*\\p{N}[^\\p{L}]*$', 'u'],
  ['everything before a full stop', '[,;]\\s.*\\.$', ''],
  ['nested repetition', '^(?:a+)+$', ''],
] as const)
  test(`the check detects a slow pattern: ${name}`, () => {
    assert.ok(superlinear({ source, flags, line: 1 }));
  });

for (const [name, source, flags] of [
  ['tags that end before the next', '<[^<>]*>', 'g'],
  ['the first space of the run at the end', '(?<!\\s)\\s+$', ''],
  ['a bounded look ahead', '<meta[^>]{0,200}?charset', 'i'],
] as const)
  test(`the check accepts a linear pattern: ${name}`, () => {
    assert.equal(superlinear({ source, flags, line: 1 }), undefined);
  });

/** Why a pattern is too slow: its form, or its time on an attack. */
function superlinear(pattern: SourcePattern): string | undefined {
  const { reports } = analyse(pattern, { maxReports: 1 });
  if (reports.length > 0) return `by its form (${reports.map(({ type }) => type).join()})`;
  for (const text of suspects(pattern))
    if (cpuMs(pattern, text, LONGEST_MS) >= SUSPECT_MS && growsTooFast(pattern, text))
      return `when attacked with ${JSON.stringify(text.slice(0, 30))}…`;
  return undefined;
}

/** The attacks that take long by the clock, which never shows less than the CPU time; all, if together they do not end. */
function suspects({ source, flags, line }: SourcePattern): readonly string[] {
  const texts = [...attacksOn({ source, flags, line }, SIZE)];
  const slow: string[] = [];
  Object.assign(arena, { pattern: new RegExp(source, flags), texts, slow, now: () => performance.now() });
  return endsWithin(attackAll, LONGEST_MS) ? slow : texts;
}

function growsTooFast(pattern: SourcePattern, attack: string): boolean {
  for (let time = 0; time < TIMES; time += 1) {
    const once = leastMs(pattern, attack, LONGEST_MS);
    if (once === Infinity) continue;
    const longer = leastMs(pattern, attack.repeat(LONGER), Math.max(LONGEST_MS, TOO_LONG * once));
    if (longer === Infinity) return true;
    if (longer < LONGER * SUSPECT_MS || longer / once <= TOO_LONG) return false;
  }
  return true;
}

/** The least of several CPU times, which include other threads such as the garbage collector; one that is endless is. */
function leastMs(pattern: SourcePattern, text: string, longest: number): number {
  let least = Infinity;
  for (let time = 0; time < TIMES; time += 1) {
    const took = cpuMs(pattern, text, longest);
    if (took === Infinity) return took;
    least = Math.min(least, took);
  }
  return least;
}

const arena = createContext({});
const attack = new Script('if (pattern.global) text.replaceAll(pattern, ""); else pattern.exec(text);');
/** One start of the watching thread for all attacks on a pattern, and one compiled form of it. */
const attackAll = new Script(`((pattern, now) => {
  for (const text of texts) {
    const from = now();
    pattern.lastIndex = 0;
    if (pattern.global) text.replaceAll(pattern, ''); else pattern.exec(text);
    if (now() - from >= ${SUSPECT_MS}) slow.push(text);
  }
})(pattern, now)`);

/** CPU time of a pattern on a text; Infinity if it does not end in `longest`. */
function cpuMs({ source, flags }: SourcePattern, text: string, longest: number): number {
  Object.assign(arena, { pattern: new RegExp(source, flags), text });
  for (let timeout = Math.ceil(2 * longest); ; timeout *= 4) {
    const before = process.cpuUsage();
    const isOver = endsWithin(attack, timeout);
    const { user, system } = process.cpuUsage(before);
    const took = (user + system) / 1_000;
    if (isOver) return took;
    if (took > longest) return Infinity;
  }
}

function endsWithin(script: Script, timeout: number): boolean {
  try {
    script.runInContext(arena, { timeout });
    return true;
  } catch (error) {
    if ((error as { readonly code?: string }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    return false;
  }
}
