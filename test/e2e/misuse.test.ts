import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { command } from './command.ts';

const CONTACT = ['--mailto', 'someone@university.edu'];

/** Command lines that ask for what cannot be, and what their refusal names. */
const WRONG: readonly (readonly [line: readonly string[], names: RegExp])[] = [
  [['contentdownload', '10.1371/journal.pone.0000217', '--max', 'abc', ...CONTACT], /--max.*abc/],
  [['contentdownload', '--topic', 'x', '--max', '-3', ...CONTACT], /--max.*-3/],
  [['contentdownload', '--topic', 'x', '--year-start', 'abc', ...CONTACT], /--year-start.*abc/],
  [['contentdownload', 'not-a-doi', ...CONTACT], /USAGE_ID "not-a-doi": no id of a work/],
  [['contentdownload', '--input', 'nothere.bib', ...CONTACT], /USAGE_INPUT --input nothere\.bib/],
  [['contentdownload', '--input', 'list.txt', '--out', 'afile', ...CONTACT], /USAGE_OUT --out afile/],
  [['contentdownload', '--topic', 'x'], /CONTACT_MISSING/],
  [['contentdownload', '--topic', 'x', '--enable-resolver', 'bogus', ...CONTACT], /no resolver "bogus"/],
  [['docstokg', 'run', 'not-a-doi', ...CONTACT], /USAGE_ID/],
  [['docstokg', 'run', '--input', 'nothere.pdf'], /USAGE_INPUT --input nothere\.pdf/],
];

test('a command line that cannot be is refused with exit 2, names what is wrong, and leaves nothing behind', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-misuse-'));
  writeFileSync(join(folder.path, 'afile'), 'x');
  writeFileSync(join(folder.path, 'list.txt'), '10.1371/journal.pone.0000217\n');
  for (const [[door, ...parameters], names] of WRONG) {
    const { status, stdout, stderr } = command(door as 'docstokg', parameters, { cwd: folder.path });
    const line = [door, ...parameters].join(' ');
    assert.equal(status, 2, `${line}\n${stderr}`);
    assert.match(stderr, names, line);
    assert.doesNotMatch(stderr, /\n\s+at /, `${line} shows no stack trace`);
    assert.equal(stdout, '', line);
    assert.deepEqual(readdirSync(folder.path).sort(), ['afile', 'list.txt'], `${line} leaves nothing behind`);
  }
});
