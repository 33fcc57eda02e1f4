import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ask, work } from '../../test/support/ask-resolver.ts';
import { RESOLVERS } from './index.ts';

const DOI = '10.5555/hostile';
const URLS = [
  'http://127.0.0.1/x.pdf',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'data:application/pdf,x',
  `http://x/${'('.repeat(20_000)}`,
];
const laughs = Array.from({ length: 12 }, (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`).join('');
/** Every field that any service has, with values of wrong types. */
const FIELDS = ['results', 'message', 'data', 'hits', 'response', 'resultList', 'oa_locations', 'best_oa_location', 'link', 'URL', 'records', 'collection',
  'attributes', 'files', 'docs', 'openAccessPdf', 'locations', 'content_url', 'license', 'externalIds', 'title', 'esearchresult', 'url', 'archived_snapshots']; // prettier-ignore
const filled = (value: string): string =>
  `{"DOI":"${DOI}","doi":"${DOI}",${FIELDS.map((name) => `"${name}":${value}`).join(',')}}`;

/** Responses with which a service can harm its clients. */
const ANSWERS: Readonly<Record<string, string>> = {
  'brackets without end': '['.repeat(200_000),
  'deep lists': '['.repeat(20_000) + ']'.repeat(20_000),
  'deep objects': `${'{"results":'.repeat(5_000)}1${'}'.repeat(5_000)}`,
  'a prototype': '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
  'fields that are numbers': filled('1e999'),
  'fields that are lists of nothing': filled('[null,[],{},"",0,[[]]]'),
  'fields that are long': filled(`"${'(a'.repeat(50_000)}"`),
  'fields that lead astray': filled(`[${URLS.map((url) => `{"url":"${url}","URL":"${url}","url_for_pdf":"${url}","content-type":"application/pdf","doi":"${DOI}"}`).join(',')}]`),
  'a list without end': `{"results":[${'{},'.repeat(30_000)}{}]}`,
  'entities': `<?xml version="1.0"?><!DOCTYPE feed [<!ENTITY l0 "ha">${laughs}]><feed><entry><title>&l12;</title><link href="&l12;"/></entry></feed>`,
  'openings': '<'.repeat(200_000),
  'a page': '<html><head><title>Sign in</title></head><body>Sign in</body></html>',
}; // prettier-ignore

for (const [name, body] of Object.entries(ANSWERS))
  test(`every resolver survives a response of ${name}: bounded, and without non-web URLs`, async () => {
    for (const { name: resolver } of RESOLVERS) {
      const before = process.cpuUsage();
      const answers = new Proxy({}, { get: () => body });
      const { plans } = await ask(
        resolver,
        work(DOI, {
          ids: {
            ...work(DOI).ids,
            arxiv: work('arXiv:2001.00001').ids.arxiv,
            pmcid: 'PMC1',
            pmid: '1',
            hal: 'hal-1',
            zenodo: '1',
          },
        }),
        answers,
      );
      const { user, system } = process.cpuUsage(before);
      assert.ok(user + system < 3_000_000, `${resolver} computed for ${(user + system) / 1e6} s`);
      assert.ok(plans.length <= 100, `${resolver} has ${plans.length} plans`);
      for (const { url } of plans) {
        assert.match(url, /^https?:/, `${resolver}: ${url.slice(0, 100)}`);
        assert.ok(url.length < 10_000, `${resolver} keeps a URL of ${url.length} characters`);
      }
    }
    assert.equal(({} as { polluted?: boolean }).polluted, undefined);
  });
