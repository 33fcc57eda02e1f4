import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { command } from '../../../test/e2e/command.ts';

const work = (id: number, title: string): string => `${JSON.stringify({ id: `https://openalex.org/W${id}`, title })}\n`;

test('discover writes works and an account, and --check says whether the same works are found', async () => {
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'discover-'));
  const cwd = scratch.path;
  mkdirSync(join(cwd, 'works'));
  const part = join(cwd, 'works', 'part_0000.jsonl');
  writeFileSync(part, work(20, 'Corals and heat') + work(3, 'Coral reefs') + work(5, 'Kelp'));
  writeFileSync(join(cwd, 'query.yaml'), 'query: coral* NOT kelp\n');
  const discover = (...words: string[]) => command('docstokg', ['discover', ...words, '--snapshot', 'works'], { cwd });
  const found = discover('query.yaml');
  assert.equal(found.status, 0, found.stderr);
  assert.match(found.stdout, /^2 works of 3 rows; ids [0-9a-f]{12}\nworks\.jsonl, works\.account\.json\n$/);
  const ids = readFileSync(join(cwd, 'works.jsonl'), 'utf8').matchAll(/"openalex":"(W\d+)"/g);
  assert.deepEqual(
    [...ids].map(([, id]) => id),
    ['W3', 'W20'],
  );

  const same = discover('works.account.json', '--check');
  assert.deepEqual([same.status, same.stdout.startsWith('the same 2 works')], [0, true]);
  writeFileSync(part, work(20, 'Corals and heat') + work(5, 'Kelp'));
  const other = discover('works.account.json', '--check');
  assert.equal(other.status, 1);
  assert.match(other.stderr, /1 work found, 2 before[\s\S]*the snapshot has other files/);
  assert.equal(discover('nowhere.yaml').status, 2);

  const dry = command('contentdownload', ['--input', 'works.jsonl', '--dry-run', '--mailto', 'anna@docstokg.dev'], {
    cwd,
  });
  assert.match(`${dry.stdout}${dry.stderr}`, /W20/);
});
