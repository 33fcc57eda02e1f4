import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';

import { OTHER, PDF, tryAgainst, tryPlan, whole } from '../../test/support/try-plan.ts';
import type { Send } from '../http/index.ts';

test('a text mining reservation in a header is recorded', async () => {
  const { attempt } = await tryAgainst((_request, response) => {
    response.writeHead(200, { 'tdm-reservation': '1' }).end(PDF);
  });
  assert.equal(attempt.terms, 'text-mining');
});

test('a file linked by a page is requested with the page as referer, and without the checksum of another file', async () => {
  for (const [link, referer] of [
    ['/b.pdf', 'http://files.test/a.pdf?session=1'],
    ['http://cdn.test/b.pdf', 'http://files.test/'],
  ] as const) {
    const seen: (string | undefined)[] = [];
    const checksum = { algorithm: 'md5', hex: '0'.repeat(32) } as const;
    const { saved } = await tryPlan(
      { plan: { url: 'http://files.test/a.pdf?session=1', checksum } },
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/html' });
        response.end(`<html><head><meta name="citation_pdf_url" content="${link}"></head></html>`);
      },
      (request, response) => {
        seen.push(request.headers.referer);
        response.end(PDF);
      },
    );
    assert.deepEqual(seen, [referer]);
    assert.ok(saved?.equals(PDF));
  }
});

test('the terms of a service do not cover other hosts: links there obey their robots.txt', async () => {
  const asked: string[] = [];
  const send: Send = async (request) => {
    const { url, robots = 'obey' } = request;
    asked.push(`${url.href} ${robots}`);
    const pages: Record<string, string> = {
      // doi.org's response is a redirect, which the client has followed.
      'http://doi.test/10.1/a': '<meta http-equiv="refresh" content="0; url=http://publisher.test/moved">',
      'http://publisher.test/moved':
        '<meta name="citation_pdf_url" content="/a.pdf"><meta name="citation_pdf_url" content="http://doi.test/b.pdf">',
    };
    const head = { url, status: pages[url.href] === undefined ? 404 : 200, headers: { 'content-type': 'text/html' } };
    if (head.status === 200) {
      const sink = await request.sink?.(head, () => undefined);
      await sink?.write(Buffer.from(`<html><body>${pages[url.href] ?? ''}`));
    }
    const body = { body: Buffer.alloc(0), wireBytes: 1, bodyBytes: 1, chain: [], origin: 'network' } as const;
    return { kind: 'response', response: { ...head, ...body } };
  };
  await tryPlan({ plan: { url: 'http://doi.test/10.1/a', expect: 'landing', robots: 'terms' }, send });
  assert.deepEqual(asked, [
    'http://doi.test/10.1/a terms',
    'http://publisher.test/moved obey',
    'http://publisher.test/a.pdf obey',
    'http://doi.test/b.pdf terms',
  ]);
});

test('a file with a wrong published checksum is rejected', async () => {
  const good = createHash('md5').update(OTHER).digest('hex');
  const { attempt: wrong } = await tryPlan({ plan: { checksum: { algorithm: 'md5', hex: '0'.repeat(32) } } }, whole);
  assert.equal(wrong.reason, 'checksum-mismatch');
  const { saved } = await tryPlan({ plan: { checksum: { algorithm: 'md5', hex: good } } }, whole);
  assert.ok(saved);
});
