import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createContext, Script } from 'node:vm';

import { analyse } from 'scslre';

import type { SourcePattern } from './support/pattern-attacks.ts';
import { attacksOn, patternsIn } from './support/pattern-attacks.ts';

const SOURCES = globSync('src/**/*.ts').filter((file) => !file.endsWith('.test.ts'));
const SIZE = 10_000;
/** CPU time above which growth is looked at; a linear pattern needs a hundredth of it. */
const SUSPECT_MS = 6;
/** So many times the text may take as many times the time, measured badly; its square is quadratic. */
const LONGER = 4;
const LONGEST_MS = 1_000;

test('no regular expression in src/ takes more than linear time, whatever text it meets', () => {
  const slow: string[] = [];
  for (const path of SOURCES) {
    for (const pattern of patternsIn(path, readFileSync(path, 'utf8')).patterns) {
      const why = superlinear(pattern);
      if (why !== undefined) slow.push(`${path}:${pattern.line} ${why} /${pattern.source}/${pattern.flags}`);
    }
  }
  assert.deepEqual(slow, []);
});

test('a regular expression is not built from a string but in the one place that adds a flag', () => {
  const built = SOURCES.flatMap((path) =>
    patternsIn(path, readFileSync(path, 'utf8')).built.map((line) => `${path}:${line}`),
  );
  assert.deepEqual(
    built.filter((place) => !place.startsWith('src/parse/doctags/markup/characters.ts:')),
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
  test(`the check knows a slow pattern when it sees one: ${name}`, () => {
    assert.ok(superlinear({ source, flags, line: 1 }));
  });

for (const [name, source, flags] of [
  ['tags that end before the next', '<[^<>]*>', 'g'],
  ['the first space of the run at the end', '(?<!\\s)\\s+$', ''],
  ['a bounded look ahead', '<meta[^>]{0,200}?charset', 'i'],
] as const)
  test(`and lets a linear one pass: ${name}`, () => {
    assert.equal(superlinear({ source, flags, line: 1 }), undefined);
  });

/** Why a pattern is too slow: by its form, or by what it does when it is attacked. */
function superlinear(pattern: SourcePattern): string | undefined {
  const { reports } = analyse(pattern, { maxReports: 1 });
  if (reports.length > 0) return `by its form (${reports.map(({ type }) => type).join()})`;
  const attacks = [...attacksOn(pattern, SIZE)];
  if (cpuMs(pattern, attacks) < SUSPECT_MS) return undefined;
  for (const attack of attacks) {
    const first = cpuMs(pattern, [attack]);
    if (first < SUSPECT_MS / 2) continue;
    // The least of several: other threads of the process, such as the collector of garbage, count as well.
    const once = first === Infinity ? first : leastMs(pattern, attack);
    const longer = once === Infinity ? once : leastMs(pattern, attack.repeat(LONGER));
    if (longer === Infinity || (longer >= LONGER * SUSPECT_MS && longer / once > LONGER * 2))
      return `when attacked with ${JSON.stringify(attack.slice(0, 30))}…`;
  }
  return undefined;
}

function leastMs(pattern: SourcePattern, text: string): number {
  return Math.min(...[1, 2, 3].map(() => cpuMs(pattern, [text])));
}

const arena = createContext({});
const attack = new Script(
  'for (const text of texts) if (pattern.global) text.replaceAll(pattern, ""); else pattern.exec(text);',
);

/** CPU time of using a pattern on texts; what does not end is ended. */
function cpuMs({ source, flags }: SourcePattern, texts: readonly string[]): number {
  Object.assign(arena, { pattern: new RegExp(source, flags), texts });
  const before = process.cpuUsage();
  try {
    attack.runInContext(arena, { timeout: LONGEST_MS });
  } catch (error) {
    if ((error as { readonly code?: string }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    return Infinity;
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
