import { gzipSync } from 'node:zlib';

import type { Answer, HostileCase } from './server.ts';
import { endless, head, pdfOf, send, trickle } from './server.ts';

/** A host whose file is sound and whose robots.txt is not; the file may be kept where that forbids nothing. */
const robots = (name: string, answer: Answer, mayKeep = true): HostileCase => ({
  name: `robots-${name}`,
  robots: answer,
  answer: ({ socket }) => send(socket, '200 OK', {}, pdfOf(`robots-${name}`)),
  ...(mayKeep && { mayKeep: () => pdfOf(`robots-${name}`) }),
});
const text =
  (rules: string | Buffer, headers: Readonly<Record<string, string>> = {}): Answer =>
  ({ socket }) =>
    send(socket, '200 OK', { 'content-type': 'text/plain', ...headers }, rules);
const stars = `${'*a'.repeat(1_000)}b`;

/** What a robots.txt can do to its reader. */
export const ROBOTS: readonly HostileCase[] = [
  robots('of-megabytes', text(`# ${'a'.repeat(20_000_000)}\nUser-agent: *\nDisallow:\n`)),
  robots(
    'for-ever',
    ({ socket }) => (socket.write(head('200 OK')), endless(socket, 'User-agent: *\nAllow: /\n'.repeat(200))),
  ),
  robots('in-one-line', ({ socket }) => (socket.write(head('200 OK')), endless(socket, 'a'.repeat(4_096)))),
  robots('to-itself', ({ socket }) => send(socket, '302 Found', { location: '/robots.txt' })),
  robots('ever-further', ({ socket, path }) => send(socket, '302 Found', { location: `${path}?x` })),
  robots('to-loopback', ({ socket, canary }) => send(socket, '302 Found', { location: `http://${canary}/robots.txt` })),
  robots('broken', ({ socket }) => send(socket, '500 Oops', {}, ''), false),
  robots('silent', () => undefined, false),
  robots('hangs-up', ({ socket }) => socket.destroy(), false),
  robots('with-a-mark', text('\uFEFFUser-agent: *\nDisallow: /\n'), false),
  robots('in-capitals', text('USER-AGENT: *\r\nDISALLOW: /\r\n'), false),
  robots('in-old-lines', text('User-agent: *\rDisallow: /\r'), false),
  robots('encoded', text('User-agent: *\nDisallow: /%31.pdf\n'), false),
  robots('of-stars', text(`User-agent: *\nDisallow: /${stars}$\n`.repeat(50))),
  robots('of-groups', text('User-agent: a\nDisallow: /\n\n'.repeat(100_000))),
  robots('of-rules', text(`User-agent: *\n${'Disallow: /b\n'.repeat(30_000)}`)),
  robots('packed', text(gzipSync(Buffer.alloc(50_000_000, 0x0a)), { 'content-encoding': 'gzip' })),
  robots('as-a-page', text('<html><body>Disallow: /</body></html>', { 'content-type': 'text/html' })),
  robots('of-noise', text(Buffer.from(Float64Array.from({ length: 10_000 }, Math.random).buffer))),
  robots('without-agent', text('Disallow: /\n')),
  robots('with-a-delay', text('User-agent: *\nCrawl-delay: 1e400\n')),
  robots('with-a-delay-below-zero', text('User-agent: *\nCrawl-delay: -5\n')),
  robots('with-a-delay-in-words', text('User-agent: *\nCrawl-delay: NaN\n')),
  robots('forbidden', ({ socket }) => send(socket, '403 Forbidden', {}, 'User-agent: *\nDisallow: /\n')),
  robots(
    'busy-for-a-year',
    ({ socket }) => send(socket, '429 Too Many Requests', { 'retry-after': '31536000' }, ''),
    false,
  ),
  robots(
    'in-part',
    ({ socket }) =>
      send(socket, '206 Partial Content', { 'content-range': 'bytes 0-24/9999' }, 'User-agent: *\nDisallow:\n'),
    false,
  ),
  robots(
    'by-the-byte',
    ({ socket }) => (socket.write(head('200 OK', { 'content-length': 100_000 })), trickle(socket, '#', 200)),
    false,
  ),
  robots(
    'shorter-than-said',
    ({ socket }) => socket.end(`${head('200 OK', { 'content-length': 100_000 })}User-agent: *\nAllow: /\n`),
    false,
  ),
  robots('to-a-file', ({ socket }) => send(socket, '302 Found', { location: 'file:///etc/passwd' })),
  robots('to-metadata', ({ socket }) => send(socket, '302 Found', { location: 'http://169.254.169.254/robots.txt' })),
  robots('of-zeros', text(Buffer.alloc(400_000))),
  robots('in-wide-letters', text(Buffer.from('\uFEFFUser-agent: *\nAllow: /\n', 'utf16le'))),
  robots('of-percent-signs', text(`User-agent: *\nDisallow: /${'%'.repeat(50_000)}\n`)),
  robots('of-dollars', text(`User-agent: *\nDisallow: /${'$*'.repeat(20_000)}\n`)),
  robots('of-one-long-rule', text(`User-agent: *\nDisallow: /${'a*'.repeat(100_000)}\n`)),
  robots('of-long-agents', text(`User-agent: ${'a'.repeat(300_000)}\nDisallow: /\n`)),
];
