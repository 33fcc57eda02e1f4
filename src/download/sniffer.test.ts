import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import type { Sniffed } from './index.ts';
import { kindOf, reasonOfResult, reasonOfStatus, REASONS, Sniffer } from './index.ts';

const FIXTURES = join(import.meta.dirname, '../../../shared/data/api-fixtures/open');
const skip = existsSync(FIXTURES) ? false : `${FIXTURES} is absent`;

function sniff(body: string | Buffer, pieceBytes = 1000): Sniffed {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body, 'latin1');
  const sniffer = new Sniffer();
  for (let at = 0; at < bytes.length; at += pieceBytes) sniffer.write(bytes.subarray(at, at + pieceBytes));
  return sniffer.end();
}

const pdf = (more = ''): string => `%PDF-1.7\n${'x'.repeat(9000)}${more}\nstartxref\n9\n%%EOF\n`;

test('a complete PDF is recognised, with junk before or after it', () => {
  for (const pieceBytes of [1, 7, 1000, 100_000]) {
    const { kind, fault } = sniff(pdf(), pieceBytes);
    assert.deepEqual([kind, fault], ['pdf', undefined]);
  }
  const junk = sniff(`${'<!-- debris -->\n'.repeat(19)}${pdf()}${' '.repeat(500)}`);
  assert.deepEqual([junk.kind, junk.fault], ['pdf', undefined]);
  assert.equal(sniff(`${' '.repeat(1100)}${pdf()}`).fault, 'wrong-kind');
  assert.equal(sniff(`${pdf()}${'\0'.repeat(9000)}`).fault, undefined, 'padded to whole blocks');
});

test('a page that contains the PDF magic number is a page', () => {
  for (const before of ['<!-- ', ' \n<!-- a --><!-- ', '<!DOCTYPE html><script>//', '\xef\xbb\xbf<html><body>'])
    assert.notEqual(sniff(`${before}${pdf()}--></html>`).kind, 'pdf', before);
});

test('a PDF inside a multipart body is not a file', () => {
  const part = 'Content-Type: application/pdf\r\nContent-Length: 9000\r\n\r\n';
  for (const before of [`--b1\r\n${part}`, `\r\n--b1\r\n${part}`, `For MIME readers\r\n--b1\r\n${part}`, '--b1\n\n'])
    assert.equal(sniff(`${before}${pdf()}\r\n--b1--\r\n`).fault, 'wrong-kind', before);
  assert.equal(sniff(`-- debris --\n${pdf()}`).fault, undefined);
});

test('a PDF without its end is truncated', () => {
  assert.equal(sniff(pdf().slice(0, -30)).fault, 'truncated');
  assert.equal(sniff('%PDF-1.7\n%%EOF').fault, 'truncated');
  assert.equal(sniff(`%PDF-1.7\n${'x'.repeat(9000)}%%EOF`).fault, 'truncated');
  // A later revision that was cut off leaves the end marker of the one before.
  assert.equal(sniff(`${pdf()}12 0 obj\n<</Length 9>>\nendobj\nxref\n12 1\ntrailer\n<</Prev 9`).fault, 'truncated');
  assert.equal(sniff(`${pdf()}<!-- served in 12 ms; object cache -->\0\0`).fault, undefined);
});

test('XML articles are distinguished from metadata and other XML', { skip }, () => {
  for (const name of ['jats/scielo-article.xml', 'pmc/efetch-articleset.xml']) {
    const { kind, fault } = sniff(readFileSync(join(FIXTURES, name)), 4096);
    assert.deepEqual([kind, fault], ['jats', undefined], name);
  }
  const cut = readFileSync(join(FIXTURES, 'jats/scielo-article.xml'));
  assert.equal(sniff(cut.subarray(0, cut.length - 50)).fault, 'truncated');
  assert.equal(
    sniff('<?xml version="1.0"?><!DOCTYPE article [<!ENTITY a "b">]><article><front/></article>').fault,
    'wrong-kind',
  );
  const tei = sniff('<?xml version="1.0"?>\n<!-- x --><TEI xmlns="http://www.tei-c.org/ns/1.0"><text/></TEI>\n');
  assert.deepEqual([tei.kind, tei.fault], ['tei', undefined]);
  assert.equal(sniff(readFileSync(join(FIXTURES, 'arxiv/id-versioned.xml'))).fault, 'wrong-kind');
});

test('other bodies are classified by their bytes', () => {
  for (const [body, kind] of [
    ['<!DOCTYPE html><html>', 'html'],
    ['  \n<!-- c --><HTML>', 'html'],
    ['\xef\xbb\xbf<html xmlns="http://www.w3.org/1999/xhtml">', 'html'],
    ['<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml">', 'html'],
    ['<br />\n<b>Warning</b>: Undefined key<br />\n<!DOCTYPE html><html>', 'html'],
    ['Notice: Undefined index in line 12\n<html>', 'html'],
    ['<table><tr><td>', 'html'],
    ['<records><record/></records>', 'xml'],
    ['\x1f\x8b\x08', 'gzip'],
    ['PK\x03\x04', 'zip'],
    ['\x89PNG', 'image'],
    ['just words', 'text'],
    ['\x00\x01', 'unknown'],
  ] as const) {
    assert.equal(kindOf(Buffer.from(body, 'latin1')), kind, body);
  }
  for (const pieceBytes of [1000, 100_000])
    assert.equal(
      sniff(`${'\r\n'.repeat(5000)}<!DOCTYPE html><html>`, pieceBytes).kind,
      'html',
      'blank lines before it',
    );
  assert.equal(sniff('').fault, 'empty-body');
});

test('every way a request can end has its reason', () => {
  assert.equal(reasonOfStatus(200), undefined);
  assert.deepEqual([404, 410, 402, 403, 451, 418, 500, 408, 429].map(reasonOfStatus), [
    'not-found',
    'not-found',
    'paywalled',
    'forbidden',
    'forbidden',
    'bad-status',
    'server-error',
    'server-error',
    'rate-limited',
  ]);
  const trail = { url: 'http://a/', chain: [] };
  assert.equal(reasonOfResult({ kind: 'later', at: 1, reason: 'rate-limited', trail }), 'rate-limited');
  assert.equal(reasonOfResult({ kind: 'refused', reason: 'max-hops', message: '', trail }), 'too-many-redirects');
  assert.equal(reasonOfResult({ kind: 'failed', reason: 'too-slow', message: '', retryable: false, trail }), 'timeout');
  for (const { sentence } of Object.values(REASONS)) assert.match(sentence, /\.$/);
});

/** Inputs that make a regular expression run forever; each was tried on this program or similar ones. */
const ATTACKS: readonly (readonly [string, string])[] = [
  ['empty comments before a tag', `${'<!---->'.repeat(580)}<x`],
  ['comments that never end', '<!--'.repeat(1_000)],
  ['comments at the end', `<article><body/>${'<!---->'.repeat(580)}x`],
  ['comments and spaces at the end', `<article><body/></article>${' <!-- --> '.repeat(400)}<`],
  ['instructions without an end', '<?x '.repeat(1_000)],
  ['document types within document types', '<!DOCTYPE [ '.repeat(300)],
  ['opened tags', '<'.repeat(400_000)],
  ['spaces', ' '.repeat(400_000)],
];

for (const [name, text] of ATTACKS)
  test(`a body of ${name} is classified quickly`, () => {
    const sniffer = new Sniffer();
    sniffer.write(Buffer.from(text));
    assert.notEqual(sniffer.end().kind, 'pdf');
  });

test('comments before and after the text do not change the type', () => {
  const judged = (text: string): [string, string | undefined] => {
    const sniffer = new Sniffer();
    sniffer.write(Buffer.from(text));
    const { kind, fault } = sniffer.end();
    return [kind, fault];
  };
  assert.deepEqual(judged('<!-- a --> <!-- b --><html><p>x'), ['html', undefined]);
  assert.deepEqual(judged('<?xml version="1.0"?><!-- a --><article><body>x</body></article> <!-- b --> <!---->\n'), [
    'jats',
    undefined,
  ]);
});
