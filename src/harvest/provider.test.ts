import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { checkFolder } from './check-folder.ts';
import { checkWanted } from './provider.ts';

test('ids nobody knows, lists that are not there and years that cross are refused with what is allowed', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-wanted-'));
  const path = (name: string): string => join(folder.path, name);
  writeFileSync(path('good.bib'), '@article{a, doi = {10.1371/journal.pone.0000217}}');
  writeFileSync(path('empty.bib'), '');
  writeFileSync(path('list.docx'), 'x');
  checkWanted(['10.1371/journal.pone.0000217', 'https://example.org/x.pdf'], { input: [path('good.bib')] });
  const fault = (code: string, message: RegExp, ...asked: Parameters<typeof checkWanted>): void =>
    assert.throws(() => checkWanted(...asked), { code, message });
  fault('USAGE_ID', /^"nonsense": no id of a work$/, ['nonsense', '10.1371/journal.pone.0000217'], {});
  fault('USAGE_ID', /^"a", "b", "c", "d", "e" and 2 more:/, ['a', 'b', 'c', 'd', 'e', 'f', 'g'], {});
  fault('USAGE_INPUT', /nothere\.bib: there is no such file/, [], { input: [path('nothere.bib')] });
  fault('USAGE_INPUT', /the file is empty/, [], { input: [path('empty.bib')] });
  fault('USAGE_INPUT', /a folder is no list/, [], { input: [folder.path] });
  fault('USAGE_LIST_FORMAT', /list\.docx/, [], { input: [path('list.docx')] });
  fault('USAGE_YEARS', /2020 is after --year-end 2010/, [], { topic: 'x', yearStart: 2020, yearEnd: 2010 });
  fault('USAGE_TOPIC', /empty/, [], { topic: ' ' });
});

test('a folder that cannot be one is refused, and nothing is left behind', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-out-'));
  const file = join(folder.path, 'afile');
  writeFileSync(file, 'x');
  mkdirSync(join(folder.path, 'there'));
  checkFolder(join(folder.path, 'there'));
  checkFolder(join(folder.path, 'not', 'there', 'yet'));
  assert.throws(() => checkFolder(file), { code: 'USAGE_OUT', message: /is a file, not a folder/ });
  assert.throws(() => checkFolder(join(file, 'below')), { code: 'USAGE_OUT', message: /is a file, not a folder/ });
  if (process.platform === 'linux')
    assert.throws(() => checkFolder('/proc/x'), { code: 'USAGE_OUT', message: /nothing can be written in \/proc/ });
});
