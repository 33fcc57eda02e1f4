import type { HostileCase } from './server.ts';
import { endless, head, pdfOf, send, trickle } from './server.ts';

const kept = (name: string) => (): Buffer => pdfOf(name);
const whole = (name: string): string => pdfOf(name).toString('latin1');
const chunked = { 'transfer-encoding': 'chunked' };

/** Answers that break or bend the rules of HTTP itself. */
export const FRAMING: readonly HostileCase[] = [
  {
    name: 'header-lines',
    answer: ({ socket }) => socket.end(`HTTP/1.1 200 OK\r\n${'x-a: b\r\n'.repeat(10_000)}content-length: 0\r\n\r\n`),
  },
  { name: 'header-of-megabytes', answer: ({ socket }) => socket.end(`HTTP/1.1 200 OK\r\nx: ${'a'.repeat(5_000_000)}\r\n\r\n`) },
  { name: 'headers-without-end', answer: ({ socket }) => (socket.write('HTTP/1.1 200 OK\r\n'), endless(socket, 'x-a: b\r\n'.repeat(500))) },
  { name: 'header-line-without-end', answer: ({ socket }) => (socket.write('HTTP/1.1 200 OK\r\nx: '), endless(socket, 'a'.repeat(4096))) },
  {
    name: 'cookies',
    answer: ({ socket }) => socket.end(`HTTP/1.1 200 OK\r\n${'set-cookie: a=b; Path=/\r\n'.repeat(300)}content-length: 0\r\n\r\n`),
  },
  {
    name: 'cookies-of-other-hosts',
    mayKeep: kept('cookies-of-other-hosts'),
    answer: ({ socket }) =>
      send(socket, '200 OK', { 'set-cookie': 'a=b; Domain=org; Path=/' }, pdfOf('cookies-of-other-hosts')),
  },
  { name: 'status-is-no-number', answer: ({ socket }) => socket.end(`HTTP/1.1 abc OK\r\n\r\n${whole('x')}`) },
  { name: 'status-000', answer: ({ socket }) => socket.end(`HTTP/1.1 000 Zero\r\ncontent-length: 0\r\n\r\n`) },
  { name: 'status-999', answer: ({ socket }) => send(socket, '999 Request denied', {}, 'go away') },
  { name: 'status-of-many-digits', answer: ({ socket }) => socket.end(`HTTP/1.1 20000000000 OK\r\n\r\n`) },
  { name: 'version-9', answer: ({ socket }) => socket.end(`HTTP/9.9 200 OK\r\ncontent-length: 0\r\n\r\n`) },
  { name: 'no-http-at-all', answer: ({ socket }) => socket.end(whole('no-http-at-all')) },
  { name: 'silence', answer: () => undefined },
  { name: 'hangs-up', answer: ({ socket }) => socket.end() },
  { name: 'resets', answer: ({ socket }) => socket.resetAndDestroy() },
  { name: 'continue-for-ever', answer: ({ socket }) => endless(socket, 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(50)) },
  { name: 'hints-for-ever', answer: ({ socket }) => endless(socket, 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(50)) },
  {
    name: 'hints-then-the-file',
    mayKeep: kept('hints-then-the-file'),
    answer: ({ socket }) => {
      socket.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n');
      send(socket, '200 OK', {}, pdfOf('hints-then-the-file'));
    },
  },
  { name: 'headers-by-the-byte', answer: ({ socket }) => (socket.write('HTTP/1.1 200 OK\r\n'), trickle(socket, 'x', 100)) },
  {
    name: 'body-by-the-byte',
    answer: ({ socket }) => (socket.write(`${head('200 OK', { 'content-length': 100_000 })}%PDF-1.4\n`), trickle(socket, ' ', 100)),
  },
  {
    name: 'longer-than-sent',
    answer: ({ socket }) => socket.end(head('200 OK', { 'content-length': 100_000 }) + whole('longer-than-sent')),
  },
  {
    name: 'shorter-than-sent',
    answer: ({ socket }) => socket.end(head('200 OK', { 'content-length': 200 }) + whole('shorter-than-sent').repeat(3)),
  },
  {
    name: 'length-and-chunks',
    answer: ({ socket }) => socket.end(`${head('200 OK', { 'content-length': 5, ...chunked })}5\r\n%PDF-\r\n0\r\n\r\n`),
  },
  {
    name: 'two-lengths',
    answer: ({ socket }) => socket.end(`HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 700\r\n\r\n${whole('two-lengths')}`),
  },
  { name: 'length-below-zero', answer: ({ socket }) => socket.end(head('200 OK', { 'content-length': -5 }) + whole('x')) },
  { name: 'length-of-exabytes', answer: ({ socket }) => socket.write(`${head('200 OK', { 'content-length': '9000000000000000000' })}%PDF`) },
  { name: 'length-in-words', answer: ({ socket }) => socket.end(head('200 OK', { 'content-length': 'many' }) + whole('x')) },
  { name: 'chunk-size-is-no-number', answer: ({ socket }) => socket.end(`${head('200 OK', chunked)}zz\r\nabc\r\n0\r\n\r\n`) },
  { name: 'chunk-size-overflows', answer: ({ socket }) => socket.end(`${head('200 OK', chunked)}FFFFFFFFFFFFFFFFFF\r\nabc\r\n0\r\n\r\n`) },
  { name: 'chunk-size-below-zero', answer: ({ socket }) => socket.end(`${head('200 OK', chunked)}-1\r\nabc\r\n0\r\n\r\n`) },
  { name: 'chunk-breaks-off', answer: ({ socket }) => socket.end(`${head('200 OK', chunked)}ffff\r\n${whole('chunk-breaks-off')}`) },
  { name: 'chunks-break-off', answer: ({ socket }) => socket.end(`${head('200 OK', chunked)}5\r\n%PDF-\r\n`) },
  {
    name: 'chunks-for-ever',
    answer: ({ socket }) => (socket.write(`${head('200 OK', chunked)}9\r\n%PDF-1.4\n\r\n`), endless(socket, `4000\r\n${'a'.repeat(0x4000)}\r\n`)),
  },
  { name: 'body-for-ever', answer: ({ socket }) => (socket.write(`${head('200 OK')}%PDF-1.4\n`), endless(socket, 'a'.repeat(0x4000))) },
  { name: 'page-for-ever', answer: ({ socket }) => (socket.write(`${head('200 OK')}<html><body>`), endless(socket, '<p>a'.repeat(4096))) },
  { name: 'chunk-extension-for-ever', answer: ({ socket }) => (socket.write(`${head('200 OK', chunked)}5;a=`), endless(socket, 'a'.repeat(4096))) },
  { name: 'trailers-for-ever', answer: ({ socket }) => (socket.write(`${head('200 OK', chunked)}5\r\n%PDF-\r\n0\r\n`), endless(socket, 'x: y\r\n'.repeat(500))) },
  {
    // Each answer is followed by another one that nobody asked for: whoever takes it has the bytes of another work.
    name: 'one-answer-more',
    works: 6,
    mayKeep: (path) => pdfOf(`one-answer-more${path}`),
    answer: ({ socket, path }) => {
      send(socket, '200 OK', {}, pdfOf(`one-answer-more${path}`));
      send(socket, '200 OK', {}, pdfOf(`FOREIGN after ${path}`));
    },
  },
  {
    name: 'one-answer-more-later',
    works: 6,
    mayKeep: (path) => pdfOf(`one-answer-more-later${path}`),
    answer: ({ socket, path }) => {
      send(socket, '200 OK', {}, pdfOf(`one-answer-more-later${path}`));
      setTimeout(() => send(socket, '200 OK', {}, pdfOf(`FOREIGN after ${path}`)), 20);
    },
  },
  { name: 'switches-protocols', answer: ({ socket }) => socket.write(`HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n${whole('x')}`) },
  { name: 'no-content-with-content', answer: ({ socket }) => socket.end(`HTTP/1.1 204 No Content\r\n\r\n${whole('x')}`) },
  { name: 'not-modified-unasked', answer: ({ socket }) => socket.end(`HTTP/1.1 304 Not Modified\r\netag: "a"\r\n\r\n`) },
  { name: 'asks-for-a-login', answer: ({ socket }) => send(socket, '407 Proxy Authentication Required', { 'proxy-authenticate': 'Basic' }, '') },
  { name: 'until-it-closes', mayKeep: kept('until-it-closes'), answer: ({ socket }) => socket.end(head('200 OK') + whole('until-it-closes')) },
  { name: 'until-it-closes-too-early', answer: ({ socket }) => socket.end(head('200 OK') + whole('x').slice(0, -30)) },
  { name: 'folded-headers', answer: ({ socket }) => socket.end('HTTP/1.1 200 OK\r\nx-a: b\r\n  folded\r\n\tmore\r\ncontent-length: 0\r\n\r\n') },
  { name: 'zeros-in-headers', answer: ({ socket }) => socket.end(`HTTP/1.1 200 OK\r\nx-a: b\0c\r\ncontent-length: 0\r\n\r\n`) },
  { name: 'line-feeds-only', answer: ({ socket }) => socket.end(`HTTP/1.1 200 OK\ncontent-length: 4\n\n%PDF`) },
  { name: 'spaces-before-colons', answer: ({ socket }) => socket.end(`HTTP/1.1 200 OK\r\ncontent-length : 4\r\n\r\n%PDF`) },
  { name: 'unknown-transfer-coding', answer: ({ socket }) => socket.end(`${head('200 OK', { 'transfer-encoding': 'gzip, chunked' })}5\r\n%PDF-\r\n0\r\n\r\n`) },
  { name: 'speaks-http-2', answer: ({ socket }) => socket.end(Buffer.from('000012040000000000000300000064000400100000000600002000', 'hex')) },
  { name: 'speaks-tls', answer: ({ socket }) => socket.end(Buffer.from('160303007a020000760303', 'hex')) },
  { name: 'noise', answer: ({ socket }) => endless(socket, Buffer.from(Float64Array.from({ length: 512 }, Math.random).buffer)) },
]; // prettier-ignore
