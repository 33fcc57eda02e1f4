import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { doiPath, findDoi, normalizeDoi } from './index.ts';

const SHARED = join(import.meta.dirname, './../../../shared/data/hostile/open');

test('equal DOIs are normalised to the same string, whatever they were wrapped in', () => {
  for (const text of [
    '10.1000/XYZ123',
    'https://doi.org/10.1000/xyz123',
    'http://dx.doi.org/10.1000%2Fxyz123',
    'doi:10.1000/xyz123',
    'DOI: 10.1000/xyz123 ',
    'doi.org/10.1000/xyz123.',
    'https://doi.org/doi:10.1000/xyz123',
    '10.1000/xyz123),',
    'https://www.doi.org/10.1000/xyz123?utm_source=mail',
  ]) {
    assert.equal(normalizeDoi(text), '10.1000/xyz123', text);
  }
});

test('unusual suffixes are preserved', () => {
  const sici = '10.1002/(sici)1521-3951(199911)216:1<135::aid-pssb135>3.0.co;2-#';
  for (const text of [sici, sici.toUpperCase(), `https://doi.org/${sici}`, `https://doi.org/${doiPath(sici)}`]) {
    assert.equal(normalizeDoi(text), sici, text);
  }
  for (const doi of [
    '10.5555/a%2bc',
    '10.5555//double',
    '10.5555/a?b',
    '10.5555/a#b',
    '10.1016/s0140-6736(05)67890-x',
    '10.1000.10/1',
  ]) {
    assert.equal(normalizeDoi(`https://doi.org/${doi}`), doi);
  }
  assert.equal(doiPath('10.5555/a#b?c%d/e<f>'), '10.5555/a%23b%3Fc%25d/e%3Cf%3E');
  assert.equal(normalizeDoi('10.5555/with(open'), '10.5555/with(open');
});

test('strings that are not DOIs are rejected, and look-alikes stay distinct', () => {
  for (const text of [
    '',
    '10.1/',
    '10./x',
    'not a doi',
    '10.1000/',
    '10.99999999999999999999/x',
    '１０.１０００/ｘ',
    '10.1000/a b',
    '10.1000/\u0000',
    '10.1000/a\r\nX: 1',
    `10.1000/${'x'.repeat(3000)}`,
  ]) {
    assert.equal(normalizeDoi(text), undefined, text.slice(0, 40));
  }
  const kept = [
    '10.1000/I',
    '10.1000/\u0131',
    '10.1000/\u0130',
    '10.1000/K',
    '10.1000/\u212a',
    '10.1000/\u00df',
    '10.1000/SS',
  ];
  assert.equal(new Set(kept.map(normalizeDoi)).size, kept.length);
});

test('a DOI is found in running text without the punctuation around it', () => {
  assert.equal(findDoi('see (https://doi.org/10.1000/182).'), '10.1000/182');
  assert.equal(findDoi('see doi:10.1016/S1473-3099(12)70148-2.'), '10.1016/s1473-3099(12)70148-2');
  assert.equal(findDoi('(https://doi.org/10.1234/Abc.d), and'), '10.1234/abc.d');
  assert.equal(findDoi('is it 10.1234/abc?'), '10.1234/abc');
  assert.equal(findDoi('doi = {10.1126/science.169.3946.635},'), '10.1126/science.169.3946.635');
  assert.equal(findDoi('version 10.4 of 10.12/x'), undefined);
  assert.equal(findDoi('nothing here'), undefined);
});

test('a DOI is found in a URL without the rest of its query', () => {
  assert.equal(findDoi('https://dx.doi.org/10.1016%2FS0022-0981%2897%2900133-0'), '10.1016/s0022-0981(97)00133-0');
  assert.equal(findDoi('https://x.org/?doi=10.1371/journal.pone.1&volume=2'), '10.1371/journal.pone.1');
  const sici = 'https://x.org/10.1002/(SICI)1097-0282(1996)38:1%3C1::AID-BIP1%3E3.0.CO;2-S';
  assert.equal(findDoi(sici), '10.1002/(sici)1097-0282(1996)38:1<1::aid-bip1>3.0.co;2-s');
});

test('a long text is rejected at once', () => {
  const startedAt = process.cpuUsage().user;
  assert.equal(normalizeDoi(`10.1000/${')'.repeat(100_000)}`), undefined);
  assert.ok((process.cpuUsage().user - startedAt) / 1e6 < 1);
});

test(
  'every hostile DOI of the collection is parsed or rejected in linear time',
  { skip: existsSync(SHARED) ? false : `${SHARED} is absent` },
  () => {
    const lines = readFileSync(join(SHARED, 'ids.jsonl'), 'utf8').trim().split('\n');
    const dois = lines
      .map((line) => JSON.parse(line) as { kind: string; value: string })
      .filter(({ kind }) => kind === 'doi');
    assert.ok(dois.length > 20);
    for (const { value } of dois) {
      const doi = normalizeDoi(value);
      if (doi === undefined) continue;
      assert.ok(Buffer.byteLength(doi) <= 2048);
      assert.equal(normalizeDoi(doi), doi, 'normalising twice changes nothing');
    }
    const startedAt = process.cpuUsage().user;
    const probes = readFileSync(join(SHARED, 'markup/t01_redos.txt'), 'utf8').split('\n');
    for (const probe of probes) {
      normalizeDoi(probe);
      findDoi(probe);
    }
    const seconds = (process.cpuUsage().user - startedAt) / 1e6;
    assert.ok(seconds < 0.25 * probes.length + 1, `${seconds} s for ${probes.length} lines`);
  },
);
