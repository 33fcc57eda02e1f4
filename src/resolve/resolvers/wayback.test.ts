import assert from 'node:assert/strict';
import { test } from 'node:test';

import { place } from '../../../test/support/known-work.ts';
import { ask, sent, shown, work } from '../../../test/support/ask-resolver.ts';

test('wayback: captures of lost files, of the expected type', async () => {
  const about = work('W1', {
    locations: [place({ pdfUrl: 'https://dead.example/a.pdf?x=1' }), place({ pdfUrl: 'https://walled.example/b.pdf' })],
  });
  const attempted = new Map([
    ['https://dead.example/a.pdf?x=1', 'not-found'],
    ['https://walled.example/b.pdf', 'blocked-login'],
    ['https://page.example/', 'timeout'],
  ]);
  const cdx = JSON.stringify([['timestamp'], ['20200102030405']]);
  const full = await ask('wayback', about, { 'web.archive.org/cdx/search/cdx': cdx }, { attempted });
  assert.deepEqual(shown(full), [
    'pdf https://web.archive.org/web/20200102030405id_/https://dead.example/a.pdf?x=1',
    'pdf https://web.archive.org/web/20200102030405id_/https://page.example/',
  ]);
  for (const asked of sent(full)) assert.match(asked, /filter=statuscode:200&filter=mimetype:application\/pdf&/);
  assert.deepEqual([full.plans[0]?.version, full.plans[0]?.hostType], ['publishedVersion', 'archive']);
  const quick =
    '{"archived_snapshots":{"closest":{"status":"200","available":true,"url":"http://web.archive.org/web/20240102030405/x","timestamp":"20240102030405"}}}';
  // The quick index does not know that the capture is a page; the full one does.
  const none = await ask(
    'wayback',
    about,
    { 'web.archive.org/cdx/search/cdx': '[]', 'archive.org/wayback/available': quick },
    { attempted },
  );
  assert.deepEqual([none.plans, none.problems], [[], []]);
  for (const busy of ['<html>busy</html>', 'Blocked Site Error', '{"error":1}', '[{"a":1}]', '[["a"],["b"]]']) {
    const broken = await ask(
      'wayback',
      about,
      { 'web.archive.org/cdx/search/cdx': busy, 'archive.org/wayback/available': quick },
      { attempted },
    );
    assert.equal(shown(broken)[0], 'any https://web.archive.org/web/20240102030405id_/https://dead.example/a.pdf?x=1');
    assert.equal(broken.problems.length, 2, busy);
  }
});
