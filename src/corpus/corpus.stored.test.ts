import assert from 'node:assert/strict';
import { appendFileSync, copyFileSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { test } from 'node:test';

import { systemClock } from '../base/index.ts';
import { loadConfig, settingsLayer } from '../config/index.ts';
import { openStorage } from '../run/index.ts';
import type { StageOutcome } from '../stage/index.ts';
import { corpusLayer, openCorpus } from './index.ts';

const DOCUMENTS = 6;

function configOf(folder: string, store: string) {
  const settings = { store: { url: store }, parse: { tokenizer: 'cl100k' }, stage: { workers: 1, policy: 'io' } };
  return loadConfig({
    folder,
    environment: {},
    flags: [...corpusLayer(folder, 'test'), ...settingsLayer(settings, 'test')],
  }).config;
}

async function parse(folder: string, store: string, shard?: string): Promise<StageOutcome[]> {
  const outcomes: StageOutcome[] = [];
  for (const stages of [['doctags'], ['chunk']] as const) {
    await using corpus = await openCorpus(folder, { config: configOf(folder, store) });
    const request = { input: join(folder, 'HTML'), stages, ...(shard !== undefined && { shard }) };
    for await (const event of corpus.parse(request))
      if (event.kind === 'stage' && event.event.kind === 'stage-ended') outcomes.push(event.event.outcome);
  }
  return outcomes;
}

/** The outputs of the stages, by name; fingerprints contain times. */
function outputsOf(folder: string): Map<string, string> {
  const paths = globSync('Data/{DocTagsFiles,ChunkedDocTagFiles}/*', { cwd: folder }).sort();
  return new Map(
    paths.filter((path) => !path.endsWith('.fp.json')).map((path) => [path, readFileSync(join(folder, path), 'utf8')]),
  );
}

test('a corpus parsed in parts by workers without its files has the same bytes as one parsed whole', async () => {
  await using temporary = await mkdtempDisposable(join(tmpdir(), 'docstokg-stored-'));
  const [whole, store] = ['whole', 'store'].map((name) => join(temporary.path, name)) as [string, string];
  mkdirSync(join(whole, 'HTML'), { recursive: true });
  for (let at = 0; at < DOCUMENTS; at += 1)
    writeFileSync(
      join(whole, 'HTML', `W${at}.html`),
      `<!doctype html><title>Paper ${at}</title><article><h1>Paper ${at}</h1><h2>Introduction</h2><p>${`Corals ${at} bleach when the water is warm. `.repeat(30)}</p><h2>Results</h2><p>${`They recover in ${at} years. `.repeat(30)}</p></article>`,
    );
  {
    await using shared = await openStorage(configOf(whole, store), { clock: systemClock, log: () => undefined });
    await shared?.files.save(globSync('HTML/*', { cwd: whole }).sort());
  }
  const papers = readFileSync(join(whole, 'objects.jsonl'), 'utf8');
  await parse(whole, '');
  const expected = outputsOf(whole);
  assert.ok(expected.size >= DOCUMENTS * 3);

  const joined = join(temporary.path, 'joined');
  mkdirSync(joined);
  writeFileSync(join(joined, 'objects.jsonl'), papers);
  let parsed = 0;
  for (const part of [1, 2]) {
    const folder = join(temporary.path, `part-${part}`);
    mkdirSync(join(folder, 'HTML'), { recursive: true });
    copyFileSync(join(joined, 'objects.jsonl'), join(folder, 'objects.jsonl'));
    const before = readFileSync(join(folder, 'objects.jsonl'), 'utf8');
    const [doctags, chunk] = await parse(folder, store, `${part}/2`);
    assert.equal(doctags?.failed, 0);
    assert.equal(chunk?.succeeded, doctags?.succeeded);
    parsed += doctags?.succeeded ?? 0;
    // Only this shard's papers were fetched.
    assert.equal(globSync('HTML/*', { cwd: folder }).length, doctags?.succeeded);
    appendFileSync(
      join(joined, 'objects.jsonl'),
      readFileSync(join(folder, 'objects.jsonl'), 'utf8').slice(before.length),
    );
  }
  assert.equal(parsed, DOCUMENTS);
  {
    await using shared = await openStorage(configOf(joined, store), { clock: systemClock, log: () => undefined });
    await shared?.files.bringAll('');
  }
  assert.deepEqual(outputsOf(joined), expected);
  // The fingerprints were fetched too: nothing is parsed again.
  const again = await parse(joined, store);
  assert.deepEqual(
    again.map(({ succeeded, skipped }) => [succeeded, skipped]),
    [
      [0, DOCUMENTS],
      [0, DOCUMENTS],
    ],
  );
  assert.ok(existsSync(join(joined, 'HTML', basename('W0.html'))));
});
