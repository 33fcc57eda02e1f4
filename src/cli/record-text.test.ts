import assert from 'node:assert/strict';
import { test } from 'node:test';

import { recordText } from './record-text.ts';

test('fields are printed in two columns, lists of objects as tables, and empty values are omitted', () => {
  const value = {
    queued: 12_345,
    left_seconds: 200,
    oldest_queued_at: '2026-01-01T00:00:00.000Z',
    next_at: null,
    pauses: [],
    codes: { HTTP_404: 2, HTTP_500: 0 },
    workers: [
      { name: 'a', alive: true, wait_ms: 1_500, note: '' },
      { name: 'b', alive: false, wait_ms: 0, note: '' },
    ],
  };
  assert.equal(
    recordText(value, Date.parse('2026-01-01T00:01:00.000Z')),
    ['queued         12,345', 'left           3 min 20 s', 'oldest queued at  1 min ago', 'codes          HTTP_404 2']
      .map((line) => line.replace(/^(.+?) {2,}/, (_, name: string) => name.padEnd(18)))
      .concat('', 'workers', 'name  alive  wait', 'a     yes    1.5 s', 'b     no     0 ms')
      .join('\n'),
  );
});

test('control characters are removed, and long lists are truncated', () => {
  assert.equal(recordText({ title: 'a\u001B[31mb\nc' }, 0), 'title  ab c');
  const paths = Array.from({ length: 25 }, (_, at) => `p${at}`);
  assert.match(recordText({ missing: paths }, 0), /^missing {2}p0, .*, p19, and 5 more$/);
  assert.equal(recordText([], 0), 'none');
});
