import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const FOLDER = join(import.meta.dirname, '../../shared/data/hostile/open/markup');
const CODES = new Set(['PARSE_TOO_DEEP', 'PARSE_TOO_LARGE', 'PARSE_BROKEN', 'PARSE_EMPTY', 'PARSE_UNSUPPORTED']);

interface Outcome {
  readonly file: string;
  readonly kind?: string;
  readonly code?: string;
  readonly message?: string;
  readonly blocks?: number;
  readonly lines?: number;
  readonly wellFormed?: boolean;
  readonly leak?: boolean;
  readonly script?: boolean;
  readonly cpuMs: number;
  readonly polluted: boolean;
  readonly connections: number;
}

test(
  'every hostile file ends within the limits, with an error code or plain text',
  { skip: existsSync(FOLDER) ? false : `${FOLDER} is absent: hostile files are not tested` },
  () => {
    const child = spawnSync(
      process.execPath,
      // The heap is bounded, so that an expansion would crash.
      ['--max-old-space-size=512', join(import.meta.dirname, 'fixtures/parse-hostile.ts'), FOLDER],
      { encoding: 'utf8', timeout: 280_000, maxBuffer: 1 << 26 },
    );
    assert.equal(child.status, 0, child.stderr);
    const outcomes = child.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Outcome);
    assert.equal(outcomes.length, readdirSync(FOLDER).length * 3);
    for (const outcome of outcomes) {
      const about = JSON.stringify(outcome);
      if (outcome.code === undefined) {
        assert.equal(outcome.wellFormed, true, about);
        assert.equal(outcome.lines, (outcome.blocks ?? 0) + 2, about);
        assert.equal(outcome.leak, false, about);
        assert.equal(outcome.script, false, about);
      } else assert.ok(CODES.has(outcome.code), about);
      assert.equal(outcome.polluted, false, about);
      assert.equal(outcome.connections, 0, about);
      assert.ok(outcome.cpuMs < 20_000, about);
    }
  },
);
