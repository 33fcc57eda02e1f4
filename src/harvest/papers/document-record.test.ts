import assert from 'node:assert/strict';
import { test } from 'node:test';

import { parseSidecar } from '../../parse/index.ts';
import { documentRecord } from './identify-papers.ts';

test('ORCID and institutions of a document reach its record, and people of another shape are ignored', () => {
  const sidecar = parseSidecar(
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
  assert.ok(sidecar);
  const { record } = documentRecord('duck', sidecar, '2026-01-01T00:00:00.000Z');
  assert.deepEqual(
    record.authors.map(({ name, orcid, institutions }) => [name, orcid, institutions]),
    [
      ['Ada Duck', '0000-0002-1825-0097', [{ name: 'University of Pond', ror: null }]],
      ['Bo Lake', null, []],
    ],
  );
});
