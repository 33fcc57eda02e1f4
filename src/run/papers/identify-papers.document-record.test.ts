import assert from 'node:assert/strict';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { readSidecar } from '../../parse/index.ts';
import { documentRecord } from './identify-papers.ts';

test('ORCID iDs and institutions of a document are added to its record; malformed people are ignored', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sidecar-'));
  const path = join(folder.path, 'duck.meta.json');
  await writeFile(
    path,
    JSON.stringify({
      source_sha256: 'a'.repeat(64),
      source_kind: 'jats',
      authors: ['Ada Duck', 'Bo Lake'],
      people: [
        { name: 'Ada Duck', orcid: '0000-0002-1825-0097', institutions: ['University of Pond', 7] },
        null,
        { orcid: '0000-0002-1825-0098' },
      ],
    }),
  );
  const { record } = documentRecord('duck', readSidecar(path), '2026-01-01T00:00:00.000Z');
  assert.deepEqual(
    record.authors.map(({ name, orcid, institutions }) => [name, orcid, institutions]),
    [
      ['Ada Duck', '0000-0002-1825-0097', [{ name: 'University of Pond', ror: null }]],
      ['Bo Lake', null, []],
    ],
  );
});
