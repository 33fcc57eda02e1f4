import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { SaxesParser } from 'saxes';

import { emptyRecord } from '../../works/index.ts';
import { keepChanges } from './changes.ts';
import { diffStates, stateOf } from './compare-states.ts';

const of = (id: string, title: string) => stateOf({ ...emptyRecord(id, { doi: `10.1/${id}` }), title }, false);

type Fields = Readonly<Record<string, string>>;

interface Feed {
  readonly head: Fields;
  readonly entries: readonly Fields[];
}

/** The fields of a feed and of its entries; throws if it is not well-formed XML in the namespace of Atom. */
function readFeed(xml: string): Feed {
  const parser = new SaxesParser({ xmlns: true });
  const head: Record<string, string> = {};
  const entries: Record<string, string>[] = [];
  let field = '';
  parser.on('opentag', ({ local, uri }) => {
    assert.equal(uri, 'http://www.w3.org/2005/Atom');
    if (local === 'entry') entries.push({});
    field = local;
  });
  parser.on('text', (text) => {
    if (text.trim() !== '') (entries.at(-1) ?? head)[field] = text;
  });
  parser.on('error', (error) => {
    throw error;
  });
  parser.write(xml).close();
  return { head, entries };
}

test('a refresh killed after its changes were stored does not store them twice', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-refresh-'));
  const diff = diffStates({}, { W1: of('W1', 'Reefs') });
  for (const [began, ended] of [
    ['2026-01-01', '2026-01-02'],
    ['2026-02-01', '2026-02-02'],
    ['2026-02-01', '2026-02-03'],
  ] as const)
    await keepChanges(folder.path, { began, ended, diff });
  const { looks } = JSON.parse(readFileSync(join(folder.path, 'refreshed.json'), 'utf8')) as {
    readonly looks: readonly { readonly ended: string }[];
  };
  assert.deepEqual(
    looks.map(({ ended }) => ended),
    ['2026-01-02', '2026-02-03'],
  );
});

test('changes are an Atom feed, the latest first, in which each keeps its id', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-refresh-'));
  const feed = (): Feed => readFeed(readFileSync(join(folder.path, 'refreshed.atom'), 'utf8'));
  const first = diffStates({}, { W1: of('W1', 'Reefs & <b>kelp</b>\u0007'), W2: of('W2', 'Ducks') });
  await keepChanges(folder.path, { began: '2026-01-01T00:00:00Z', ended: '2026-01-01T01:00:00Z', diff: first });
  const before = feed();
  const later = diffStates({ W2: of('W2', 'Ducks') }, { W2: { ...of('W2', 'Ducks'), isRetracted: true } });
  await keepChanges(folder.path, { began: '2026-02-01T00:00:00Z', ended: '2026-02-01T01:00:00Z', diff: later });
  const after = feed();
  assert.deepEqual(
    after.entries.map(({ title, updated }) => [title, updated]),
    [
      ['Retracted: Ducks', '2026-02-01T01:00:00Z'],
      ['New work: Reefs & <b>kelp</b>', '2026-01-01T01:00:00Z'],
      ['New work: Ducks', '2026-01-01T01:00:00Z'],
    ],
  );
  assert.deepEqual([after.head['id'], after.head['updated']], [before.head['id'], '2026-02-01T01:00:00Z']);
  assert.deepEqual(after.entries.slice(1), before.entries);
  const ids = [after.head, ...after.entries].map(({ id }) => id ?? '');
  assert.equal(new Set(ids).size, 4);
  for (const id of ids) assert.match(id, /^urn:uuid:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/);
});
