import assert from 'node:assert/strict';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import type { CorpusServer } from '../../src/serve/index.ts';
import { command, refusedCommand } from '../e2e/command.ts';
import { ask, openSmallServer, writeSmallRun } from './small-run.ts';

interface Notes {
  readonly total: number;
  readonly next?: string | null;
  readonly items: readonly { readonly id: string; readonly text: string; readonly page: number | null }[];
}

async function notes(server: CorpusServer, query = ''): Promise<Notes> {
  return (await (await ask(server, `/api/v1/runs/small/notes?${query}`)).json()) as Notes;
}

async function send(server: CorpusServer, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return await ask(server, '/api/v1/runs/small/note', { method: 'POST', body: JSON.stringify(body), headers });
}

test('notes are written, paged, removed and exported over HTTP, and only where control is allowed', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'serve-'));
  await writeSmallRun(folder.path);
  {
    await using server = await openSmallServer(folder.path, { allowControl: true });
    const first = { id: 'one', work: 'W0', by: 'ada', page: 1, quote: 'Corals bleach', text: 'When?' };
    for (const body of [first, first, { work: 'W1', by: 'bo', text: 'Not about corals.' }])
      assert.equal((await send(server, body)).status, 200);
    const page = await notes(server, 'limit=1');
    assert.deepEqual([page.total, page.items.length], [2, 1], 'the same note sent twice is one');
    const rest = await notes(server, `limit=1&cursor=${page.next}`);
    assert.deepEqual([rest.items[0]?.text, rest.next], ['Not about corals.', null]);
    assert.deepEqual((await notes(server, 'work=10.1000/w0')).items[0], page.items[0], 'a work by its DOI');
    assert.equal((await notes(server, 'by=bo')).total, 1);
    const file = await (await ask(server, '/api/v1/runs/small/notes.md')).text();
    assert.match(file, /> Corals bleach[^]*When\?[^]*Not about corals\./);
    await send(server, { id: 'one', by: 'ada', removed: true });
    assert.deepEqual(
      (await notes(server)).items.map(({ text }) => text),
      ['Not about corals.'],
    );
    for (const [body, why] of [
      [{ work: 'W99', by: 'ada', text: 'x' }, /USAGE_NOTE/],
      [{ work: 'W0', text: 'x' }, /by/],
      [{ work: 'W0', by: 'ada', text: 'x', page: 0 }, /page/],
    ] as const) {
      const refused = await send(server, body);
      assert.equal(refused.status, 400);
      assert.match(await refused.text(), why);
    }
    assert.equal((await ask(server, '/api/v1/runs/small/notes?cursor=x')).status, 400);
  }
  await using reading = await openSmallServer(folder.path);
  const refused = await send(reading, { work: 'W0', by: 'ada', text: 'x' });
  assert.deepEqual([refused.status, (await notes(reading)).total], [403, 1]);
  assert.match(await refused.text(), /docstokg notes/);
});

test('the command writes a note, lists it, and names the command that restores it', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'notes-'));
  await writeSmallRun(folder.path);
  const typed = (...words: string[]): string => {
    const { status, stdout, stderr } = command('docstokg', ['notes', folder.path, ...words]);
    assert.equal(status, 0, stderr);
    return stdout;
  };
  const id = /kept as (\S+)/.exec(typed('--work', '10.1000/w1', '--add', 'Compare table 2.', '--by', 'ada'))?.[1] ?? '';
  assert.match(typed(), new RegExp(`part 1\n {2}Compare table 2.\n {2}ada, \\d{4}-\\d\\d-\\d\\d {2}${id}`));
  assert.ok(typed('--remove', id, '--by', 'ada').includes(`docstokg notes ${folder.path} --restore ${id}`));
  assert.match(typed(), /no notes/);
  assert.match(typed('--removed'), /removed/);
  const misused = await refusedCommand('docstokg', ['notes', folder.path, '--add', 'x'], folder.path);
  assert.match(misused.stderr, /USAGE_NOTE/);
});
