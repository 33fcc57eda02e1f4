import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';

import type { Answer, HostileCase } from './server.ts';
import { pdfOf, send } from './server.ts';

type Headers = Readonly<Record<string, string>>;
const answer =
  (bytes: Buffer | string, headers: Headers): Answer =>
  ({ socket }) =>
    send(socket, '200 OK', headers, bytes);
const page = (name: string, text: string): HostileCase => ({
  name: `page-of-${name}`,
  answer: answer(text, { 'content-type': 'text/html; charset=utf-8' }),
});
const head = (text: string): string => `<html><head>${text}</head><body><p>x</p></body></html>`;
const meta = (name: string, content: string): string => head(`<meta name="${name}" content="${content}">`);
/** Bytes that are as they should be, however they come: these and no others may be kept. */
const sound = (
  name: string,
  bytes: Buffer,
  headers: Headers = { 'content-type': 'application/pdf' },
  right = bytes,
): HostileCase => ({
  name,
  mayKeep: () => right,
  answer: answer(bytes, headers),
});
const file = (name: string, make: (pdf: Buffer) => Buffer): HostileCase => sound(name, make(pdfOf(name, 3_000)));
const coded = (name: string, coding: string, code: (pdf: Buffer) => Buffer): HostileCase =>
  sound(name, code(pdfOf(name)), { 'content-type': 'application/pdf', 'content-encoding': coding }, pdfOf(name));
const zeros = Buffer.concat([Buffer.from('%PDF-1.4\n'), Buffer.alloc(60_000_000)]);
const bomb = (name: string, coding: string, bytes: Buffer): HostileCase => ({
  name,
  answer: answer(bytes, { 'content-type': 'application/pdf', 'content-encoding': coding }),
});
const numbered = (count: number, make: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => make(at)).join('');

/** Pages that cost their reader more than their sender, and files that come in odd wrappings. */
export const PAGES: readonly HostileCase[] = [
  page('a-million-tags', `<html><body>${'<b>'.repeat(1_000_000)}`),
  page('different-formatting', `<html><body>${numbered(5_000, (at) => `<b id=${at}>`)}${'<p>x</p>'.repeat(1_000)}`),
  page('templates', `<html><head>${'<template>'.repeat(100_000)}`),
  page('foreign-elements', `<html><body>${'<svg><math><mi>'.repeat(30_000)}`),
  page('selects', `<html><body>${'<select><option><table>'.repeat(20_000)}`),
  page('closings', `<html><body>${'</p></br></div>'.repeat(100_000)}`),
  page('a-script-without-end', `<html><head><script>${'<!--<script>'.repeat(50_000)}`),
  page('cdata', `<html><body>${'<![CDATA['.repeat(100_000)}`),
  page('declarations', '<!DOCTYPE '.repeat(100_000)),
  page('zeros', `<html><head><title>${'\0'.repeat(500_000)}`),
  page('angles', `<html><body>${'<>'.repeat(300_000)}${'</>'.repeat(200_000)}`),
  page('a-name-without-end', `<${'a'.repeat(2_000_000)}`),
  page('a-title-of-spaces', head(`<title>${' '.repeat(1_000_000)}x</title>`)),
  page('a-title-of-dashes', meta('citation_title', 'a - '.repeat(200_000))),
  page('a-title-of-brackets', meta('citation_title', '(['.repeat(200_000))),
  page('dois', meta('citation_doi', `10.1234/${'('.repeat(300_000)}`)),
  page('dois-in-prose', `<html><body>${'doi:10.1234/'.repeat(60_000)}`),
  page('dots', meta('citation_doi', `10.${'1'.repeat(300_000)}/${'.'.repeat(300_000)}`)),
  page('addresses', `<html><body>${'a@'.repeat(200_000)}b${'.c'.repeat(100_000)}`),
  page('licences', head(`<link rel=license href="https://creativecommons.org/licenses/${'by-'.repeat(200_000)}">`)),
  page('licences-in-prose', `<html><body>${'creative commons attribution '.repeat(30_000)}`),
  page('almost-walls', `<html><body>${'sign in to sign in to your institution access '.repeat(20_000)}`),
  page('almost-challenges', `<html><body>${'checking your browser before checking just a moment '.repeat(20_000)}`),
  page('links', `<html><body>${numbered(50_000, (at) => `<a href="/x${at}?pdf">Download PDF</a>`)}`),
  page('long-links', head(numbered(50, (at) => `<meta name="citation_pdf_url" content="/${String(at).repeat(30_000)}.pdf">`))),
  page('percent-signs', head(`<meta name="citation_pdf_url" content="/${'%'.repeat(200_000)}">`)),
  page('steps-up', head(`<meta name="citation_pdf_url" content="${'../'.repeat(100_000)}x.pdf">`)),
  page('closed-json', head(`<script type="application/ld+json">${'['.repeat(50_000)}${']'.repeat(50_000)}</script>`)),
  page('deep-json', head(`<script type="application/ld+json">${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}</script>`)),
  page('prototypes', head('<script type="application/ld+json">{"__proto__":{"polluted":true},"constructor":{"prototype":{"url":1}},"encoding":{"contentUrl":{"toString":1}}}</script>')),
  page('json-of-links', head(`<script type="application/ld+json">{"@type":"ScholarlyArticle","encoding":[${numbered(20_000, (at) => `{"contentUrl":"/${at}.pdf","encodingFormat":"application/pdf"},`)}{}]}</script>`)),
  page('scripts', head(numbered(20_000, (at) => `<script>window.a${at}={"pdfUrl":"/${at}.pdf"}</script>`))),
  page('references', `<html><body>${'&#x110000;&#0;&bogus;&#xD800;'.repeat(50_000)}`),
  page('languages', `<html lang="${'a-'.repeat(100_000)}"><body>x`),
  page('robots', head(numbered(20_000, () => '<meta name=robots content="noindex,nofollow,noarchive">'))),
  { name: 'charset-that-lies', answer: answer(Buffer.from('ff'.repeat(100_000), 'hex'), { 'content-type': 'text/html; charset=utf-8' }) },
  { name: 'charset-in-two-ways', answer: answer(Buffer.from('<meta charset="utf-16le"><title>x</title>'), { 'content-type': 'text/html; charset=shift_jis' }) },
  { name: 'magic-in-a-comment', answer: answer(`<!-- ${pdfOf('magic-in-a-comment').toString('latin1')} --><html><body>Log in</body></html>`, { 'content-type': 'application/pdf' }) },
  { name: 'a-file-in-a-page', answer: answer(`<html><body><embed type="application/pdf" src="data:application/pdf;base64,${pdfOf('IN A PAGE').toString('base64')}"></body></html>`, { 'content-type': 'text/html' }) },
  { name: 'login-called-pdf', answer: answer('<!DOCTYPE html><html><head><title>Login</title></head><body><form action=/login><input name=user><input type=password></form></body></html>', { 'content-type': 'application/pdf', 'content-disposition': 'attachment; filename=paper.pdf' }) },
  { name: 'json-called-pdf', answer: answer('{"error":"not entitled"}', { 'content-type': 'application/pdf' }) },
  { name: 'magic-and-nothing', answer: answer('%PDF-1.7', { 'content-type': 'application/pdf' }) },
  { name: 'magic-and-zeros', answer: answer(Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(100_000)]), { 'content-type': 'application/pdf' }) },
  { name: 'end-without-beginning', answer: answer(pdfOf('end-without-beginning', 9_000).subarray(4_000), { 'content-type': 'application/pdf' }) },
  file('a-tail-of-junk', (pdf) => Buffer.concat([pdf, Buffer.alloc(900, 0x20), Buffer.from('<!-- served by x -->\n')])),
  file('two-files-in-one', (pdf) => Buffer.concat([pdf, pdf])),
  file('junk-before-the-file', (pdf) => Buffer.concat([Buffer.from('\r\n\r\n'), pdf])),
  file('a-mark-before-the-file', (pdf) => Buffer.concat([Buffer.from('efbbbf', 'hex'), pdf])),
  sound('pdf-as-a-page', pdfOf('pdf-as-a-page'), { 'content-type': 'text/html; charset=utf-8' }),
  sound('pdf-as-nothing', pdfOf('pdf-as-nothing'), {}),
  sound('pdf-as-many-types', pdfOf('pdf-as-many-types'), { 'content-type': `${'text/html, '.repeat(500)}application/pdf` }),
  sound('names-of-kilobytes', pdfOf('names-of-kilobytes'), { 'content-disposition': `attachment; filename="${'\\"'.repeat(6_000)}` }),
  sound('names-of-devices', pdfOf('names-of-devices'), { 'content-disposition': 'attachment; filename="CON.pdf"; filename*=UTF-8\'\'%2Fetc%2Fpasswd' }),
  sound('dates-that-are-none', pdfOf('dates-that-are-none'), { date: 'yesterday', 'last-modified': '9'.repeat(5_000), expires: '-1', 'cache-control': 'max-age=1e400, s-maxage=-5', age: '-9', vary: '*' }),
  sound('a-tag-of-kilobytes', pdfOf('a-tag-of-kilobytes'), { etag: `"${'e'.repeat(12_000)}"` }),
  coded('packed-in-three', 'gzip, br, zstd', (pdf) => zstdCompressSync(brotliCompressSync(gzipSync(pdf)))),
  coded('packed-in-capitals', 'GZIP', gzipSync),
  coded('packed-as-x-gzip', 'x-gzip', gzipSync),
  coded('deflated', 'deflate', deflateSync),
  coded('deflated-without-a-head', 'deflate', deflateRawSync),
  coded('packed-in-members', 'gzip', (pdf) => Buffer.concat(Array.from({ length: Math.ceil(pdf.length / 8) }, (_, at) => gzipSync(pdf.subarray(at * 8, at * 8 + 8))))),
  bomb('deflate-bomb', 'deflate', deflateSync(zeros)),
  bomb('brotli-in-gzip-bomb', 'br, gzip', gzipSync(brotliCompressSync(zeros))),
  bomb('empty-members', 'gzip', Buffer.concat(Array.from({ length: 50_000 }, () => gzipSync('')))),
  bomb('packed-once-more-than-said', 'gzip', gzipSync(gzipSync(pdfOf('packed-once-more-than-said')))),
]; // prettier-ignore
