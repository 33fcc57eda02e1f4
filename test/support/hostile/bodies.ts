import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';

import type { HostileCase, Met } from './server.ts';
import { pdfOf, send } from './server.ts';

type Headers = Readonly<Record<string, string>>;
const body =
  (bytes: Buffer | string, headers: Headers = { 'content-type': 'application/pdf' }) =>
  ({ socket }: Met): void =>
    send(socket, '200 OK', headers, bytes);
const markup = (text: string): ReturnType<typeof body> => body(text, { 'content-type': 'text/html; charset=utf-8' });
const coded = (bytes: Buffer, coding: string): ReturnType<typeof body> =>
  body(bytes, { 'content-type': 'application/pdf', 'content-encoding': coding });
const zeros = Buffer.concat([Buffer.from('%PDF-1.4\n'), Buffer.alloc(60_000_000)]);
const bomb = gzipSync(zeros);
const article = (inner: string): string =>
  `<?xml version="1.0"?><article><front></front><body>${inner}</body></article>`;
const xml = (text: string): ReturnType<typeof body> => body(text, { 'content-type': 'application/xml' });
const cut = (bytes: Buffer): Buffer => bytes.subarray(0, Math.floor(bytes.length * 0.8));
const noise = Buffer.from(Float64Array.from({ length: 2_000 }, Math.random).buffer);
const noisy = Buffer.concat([Buffer.from('%PDF-1.4\n'), noise, Buffer.from('\nstartxref\n9\n%%EOF\n')]);
const laughs = Array.from({ length: 12 }, (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`).join('');
const packedPages = (inner: string): Buffer => {
  const stream = deflateSync(Buffer.alloc(80_000_000, 0x20));
  return Buffer.concat([
    Buffer.from(`%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj 3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R>>endobj\n4 0 obj<</Length ${stream.length}/Filter/FlateDecode${inner}>>stream\n`),
    stream,
    Buffer.from('\nendstream endobj\ntrailer<</Size 5/Root 1 0 R>>\nstartxref\n9\n%%EOF\n'),
  ]);
}; // prettier-ignore
const flate = packedPages('');

// Entities are opened by nobody here, so the bytes of these two are harmless.
const LAUGHS = `<?xml version="1.0"?><!DOCTYPE article [<!ENTITY l0 "ha">${laughs}]><article><body>&l12;</body></article>`;
const STRANGER =
  '<?xml version="1.0"?><!DOCTYPE article [<!ENTITY f SYSTEM "file:///etc/passwd">]><article><body>&f;</body></article>';
const LONG = article(`<p a="${'b'.repeat(2_000_000)}"/>`);

/** Bodies that are not what they say, or too much of it. */
export const BODIES: readonly HostileCase[] = [
  { name: 'empty', answer: body('') },
  { name: 'page-as-pdf', answer: body('<html><head><title>Sign in</title></head><body><form><input type=password></form></body></html>') },
  { name: 'pdf-then-page', answer: body(`%PDF-1.4\n<html>${'<p>not found'.repeat(200)}</html>`) },
  { name: 'cut-pdf', answer: body(pdfOf('cut-pdf', 20_000).subarray(0, 15_000)) },
  { name: 'pdf-of-noise', answer: body(noisy) },
  { name: 'pdf-of-itself', answer: body(`%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 1 0 R/Kids[1 0 R]/Count 9>>endobj\ntrailer<</Size 2/Root 1 0 R>>\nstartxref\n9\n%%EOF\n${' '.repeat(200)}`) },
  { name: 'pdf-of-brackets', answer: body(`%PDF-1.4\n1 0 obj ${'['.repeat(500_000)} endobj\ntrailer<</Size 2/Root 1 0 R>>\nstartxref\n9\n%%EOF\n`) },
  { name: 'pdf-with-a-bomb', mayKeep: () => flate, answer: body(flate) },
  { name: 'gzip-bomb', answer: coded(bomb, 'gzip') },
  { name: 'gzip-bomb-twice', answer: coded(gzipSync(bomb), 'gzip, gzip') },
  { name: 'brotli-bomb', answer: coded(brotliCompressSync(zeros), 'br') },
  { name: 'zstd-bomb', answer: coded(zstdCompressSync(zeros), 'zstd') },
  { name: 'gzip-bomb-as-a-file', answer: body(bomb) },
  { name: 'cut-gzip', answer: coded(cut(gzipSync(noisy)), 'gzip') },
  { name: 'cut-brotli', answer: coded(cut(brotliCompressSync(noisy)), 'br') },
  { name: 'cut-zstd', answer: coded(cut(zstdCompressSync(noisy)), 'zstd') },
  { name: 'gzip-that-is-none', answer: coded(pdfOf('gzip-that-is-none'), 'gzip') },
  { name: 'deflate-that-is-none', answer: coded(noise, 'deflate') },
  { name: 'twenty-codings', answer: coded(pdfOf('x'), Array.from({ length: 20 }, () => 'gzip').join(', ')) },
  { name: 'unknown-coding', answer: coded(pdfOf('x'), 'rot13') },
  { name: 'gzip-with-a-tail', answer: coded(Buffer.concat([gzipSync(pdfOf('gzip-with-a-tail')), noise]), 'gzip') },
  { name: 'zip-as-pdf', answer: body(Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(1_000)])) },
  { name: 'picture-as-pdf', answer: body(Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(1_000)])) },
  { name: 'a-billion-laughs', mayKeep: () => Buffer.from(LAUGHS), answer: xml(LAUGHS) },
  { name: 'somebodys-file', mayKeep: () => Buffer.from(STRANGER), answer: xml(STRANGER) },
  { name: 'deep-article', answer: xml(article(`${'<sec>'.repeat(100_000)}${'</sec>'.repeat(100_000)}`)) },
  { name: 'article-of-openings', answer: xml(article('<'.repeat(400_000))) },
  { name: 'article-of-one-attribute', mayKeep: () => Buffer.from(LONG), answer: xml(LONG) },
  { name: 'article-of-attributes', answer: xml(article(`<p ${Array.from({ length: 50_000 }, (_, at) => `a${at}="b"`).join(' ')}/>`)) },
  { name: 'comments', answer: markup(`${'<!---->'.repeat(40)}<html><body>x</body></html>`) },
  { name: 'comments-without-end', answer: markup(`<html>${'<!--'.repeat(100_000)}`) },
  { name: 'instructions', answer: body(`${'<?x '.repeat(1_000)}<article>`, { 'content-type': 'application/xml' }) },
  { name: 'deep-page', answer: markup(`<html><body>${'<div>'.repeat(150_000)}`) },
  { name: 'page-of-openings', answer: markup(`<html><body>${'<a '.repeat(150_000)}`) },
  { name: 'page-of-attributes', answer: markup(`<html><head><meta ${'name="citation_pdf_url" '.repeat(20_000)}`) },
  { name: 'page-of-spaces', answer: markup(`<html><head><meta name="citation_pdf_url" content="${' '.repeat(500_000)}">`) },
  { name: 'page-of-quotes', answer: markup(`<html><head><meta content='${'"'.repeat(300_000)}`) },
  { name: 'page-of-tables', answer: markup(`<html><body>${'<table><tr><td>'.repeat(20_000)}`) },
  { name: 'page-of-formatting', answer: markup(`<html><body>${'<b><i><font>'.repeat(5_000)}${'<p>x'.repeat(500)}`) },
  { name: 'page-of-entities', answer: markup(`<html><body>${'&amp'.repeat(300_000)}`) },
  { name: 'page-of-json', answer: markup(`<html><head><script type="application/ld+json">${'['.repeat(100_000)}</script>`) },
  { name: 'charset-of-nobody', answer: body('<html><head><title>x</title></head></html>', { 'content-type': 'text/html; charset=klingon' }) },
  { name: 'charset-utf-7', answer: body('+ADw-html+AD4-', { 'content-type': 'text/html; charset=utf-7' }) },
  { name: 'charset-utf-16', answer: body(Buffer.concat([Buffer.from('fffe', 'hex'), Buffer.from('<html><head></head></html>', 'utf16le')]), { 'content-type': 'text/html; charset=utf-8' }) },
  { name: 'type-of-kilobytes', mayKeep: () => pdfOf('type-of-kilobytes'), answer: body(pdfOf('type-of-kilobytes'), { 'content-type': `application/pdf; a=${'b'.repeat(8_000)}` }) },
  { name: 'name-that-climbs', mayKeep: () => pdfOf('name-that-climbs'), answer: body(pdfOf('name-that-climbs'), { 'content-disposition': 'attachment; filename="../../../../evil.pdf"' }) },
  { name: 'name-with-zeros', mayKeep: () => pdfOf('name-with-zeros'), answer: body(pdfOf('name-with-zeros'), { 'content-disposition': "attachment; filename*=UTF-8''%2e%2e%2f%00evil.pdf" }) },
]; // prettier-ignore
