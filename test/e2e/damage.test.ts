import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Damage } from '../support/damage.ts';
import { openDamageScene, verdictText } from '../support/damage.ts';

/** A part of `npm run verify:damage`, which tries every file, damage and command. */
const TRIED: Readonly<Record<string, readonly Damage[]>> = {
  'decisions.jsonl': ['shortened', 'one byte changed', 'foreign'],
  'corpus.sqlite': ['missing', 'one byte changed', 'foreign', 'newer'],
};

test('a damaged run folder loses no decision and no foreign file, and no command prints a stack', async () => {
  await using scene = await openDamageScene();
  const faults: string[] = [];
  const judge = async (wounds: Parameters<typeof scene.judge>[0], command: 'search' | 'set' | 'reindex' | 'run') => {
    const verdict = await scene.judge(wounds, command);
    if (verdict) faults.push(...verdict.faults.map((fault) => `${verdictText(verdict)}: ${fault}`));
  };
  for (const [file, damages] of Object.entries(TRIED))
    for (const damage of damages) {
      for (const command of ['search', 'set', 'reindex'] as const) await judge([{ file, damage }], command);
    }
  const pair = [
    { file: 'corpus.sqlite', damage: 'one byte changed' },
    { file: 'decisions.jsonl', damage: 'shortened' },
  ] as const;
  for (const command of ['search', 'reindex', 'run'] as const) await judge(pair, command);
  const behind = [
    { file: 'corpus.sqlite', damage: 'older' },
    { file: 'decisions.jsonl', damage: 'one byte changed' },
  ] as const;
  for (const command of ['search', 'set'] as const) await judge(behind, command);
  assert.deepEqual(faults, []);
});
