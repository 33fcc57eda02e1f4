import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { halfOfHouse } from '../scripts/score/halves.ts';
import { missingData } from '../scripts/score/score-set.ts';
import { renderPdf, truth, writePaper } from '../sim/content/index.ts';
import { paperSpec } from '../sim/server/paper-spec.ts';
import { World } from '../sim/world/world.ts';

const absent = missingData();
const skip = absent === undefined ? false : `${absent} IS ABSENT: scores are not tested`;

function score(...options: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, ['scripts/score-parse.ts', ...options], {
    cwd: join(import.meta.dirname, '..'),
    encoding: 'utf8',
  });
}

test('score:parse scores the papers of any folder, with or without a pass', { skip }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'score-'));
  try {
    const world = new World({ seed: 1, works: 50, hosts: 4, profile: 'realistic' });
    const paper = writePaper(paperSpec(world, 3));
    writeFileSync(join(folder, 'a.pdf'), await renderPdf(paper, 'L1'));
    const blocks = truth(paper, 'L1').blocks.filter(({ kind }) => kind !== 'table' && kind !== 'picture');
    writeFileSync(join(folder, 'a.truth.json'), JSON.stringify({ blocks }));
    const headings = (...options: readonly string[]): number => {
      const { stdout, stderr } = score('--data', folder, '--json', ...options);
      const report = JSON.parse(stdout || '{}') as Record<string, { documents: Record<string, { headF1: number }> }>;
      const found = report[folder]?.documents['a']?.headF1;
      assert.ok(found !== undefined, stderr);
      return found;
    };
    assert.ok(headings() > 0.9);
    assert.ok(headings('--without', 'headings') < 0.5);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('score:parse refuses a pass that does not exist', { skip }, () => {
  const { status, stderr } = score('--without', 'ducks');
  assert.equal(status, 2);
  assert.match(stderr, /without/u);
});

test('a publisher of the training manifest is always in the same half', () => {
  assert.deepEqual(['MDPI', 'Elsevier', 'PLOS'].map(halfOfHouse), ['work', 'opened', 'kept']);
});
