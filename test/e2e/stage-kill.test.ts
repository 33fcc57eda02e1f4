import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { manifestPath } from '../../src/stage/index.ts';
import { KILL_ITEMS, KILLS, killPlan } from '../fixtures/stage/kill-plan.ts';

const PROGRAM = fileURLToPath(new URL('../fixtures/stage/kill-program.ts', import.meta.url));

/** A small random generator, the same everywhere for the same seed. */
function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function run(
  folder: string,
  name: string,
  kill: readonly [at: number, how: string],
  options: object,
): Promise<string | number> {
  return new Promise((resolve, reject) => {
    const child = spawn(
      process.execPath,
      [PROGRAM, join(folder, name), String(kill[0]), kill[1], JSON.stringify(options)],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    );
    child.on('error', reject);
    child.on('exit', (code, signal) => resolve(signal ?? code ?? -1));
  });
}

/** Every output by name, with its content. */
function outputs(root: string): Map<string, string> {
  return new Map(globSync('out/**/*.txt', { cwd: root }).map((path) => [path, readFileSync(join(root, path), 'utf8')]));
}

test('a stage killed with SIGKILL at random times and resumed gives the outputs of an uninterrupted run', async (context) => {
  const seed = Number(process.env['DOCSTOKG_TEST_SEED'] ?? Date.now() % 1_000_000);
  context.diagnostic(`seed ${seed} (DOCSTOKG_TEST_SEED=${seed} repeats it)`);
  const chance = random(seed);
  const folder = mkdtempSync(join(tmpdir(), 'docstokg-kill-'));
  try {
    for (const part of ['in', 'killed', 'calm']) mkdirSync(join(folder, part));
    const hourAgo = Date.now() / 1000 - 3_600.5;
    for (const { inputs } of killPlan(join(folder, 'calm'))) {
      writeFileSync(inputs['input'] ?? '', `the text of ${inputs['input']?.split('/').at(-1)}`);
      utimesSync(inputs['input'] ?? '', hourAgo, hourAgo);
    }
    const root = join(folder, 'killed');
    for (let kill = 0; kill < KILLS; kill += 1) {
      const at = 1 + Math.floor(chance() * 160);
      const how = ['before', 'half', 'after'][Math.floor(chance() * 3)] ?? '';
      const place = chance();
      const options = {
        workers: 2,
        durable: chance() < 0.2,
        policy: place < 0.35 ? 'cpu' : 'io',
      };
      const end = await run(folder, 'killed', [at, how], options);
      assert.equal(end, 'SIGKILL', `kill ${kill} ${how} change ${at} with ${JSON.stringify(options)}`);
      for (const [path, text] of outputs(root))
        assert.match(text, /^THE TEXT OF DOC\d+$/, `${path} is half written after kill ${kill} (${how} ${at})`);
    }
    const done = outputs(root).size;
    context.diagnostic(`${done} of ${KILL_ITEMS} items were done when the last kill came`);
    assert.ok(done > 4 * KILLS, `the kills left time for only ${done} items`);
    assert.equal(await run(folder, 'killed', [0, 'never'], { policy: 'io', workers: 4 }), 0);
    assert.equal(await run(folder, 'calm', [0, 'never'], { policy: 'io', workers: 4, durable: false }), 0);

    assert.deepEqual(outputs(root), outputs(join(folder, 'calm')));
    assert.equal(outputs(root).size, KILL_ITEMS);
    const rows = readFileSync(manifestPath(join(root, 'Manifests'), 'test'), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { readonly doc_id: string; readonly status: string });
    const count = Map.groupBy(rows, ({ doc_id, status }) => `${doc_id} ${status}`);
    for (const { itemId } of killPlan(root)) {
      assert.equal(count.get(`${itemId} success`)?.length, 1, `${itemId} does not have exactly one success row`);
      assert.ok((count.get(`${itemId} skip`)?.length ?? 0) <= 1, `${itemId} was logged as skipped twice`);
    }
    assert.equal(rows.filter(({ status }) => status === 'failure').length, 0);
    assert.deepEqual(globSync('**/*.part', { cwd: root }), [], 'orphan temp files');
    assert.deepEqual(readdirSync(join(root, 'Manifests', '.runs')), ['guard.lock'], 'marker files of dead runs');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
