import type { Answer, HostileCase } from './server.ts';
import { endless, head, pdfOf, send, trickle } from './server.ts';

const whole = (name: string): string => pdfOf(name).toString('latin1');
const chunked = { 'transfer-encoding': 'chunked' };
const raw = (name: string, answer: (body: string) => string, mayKeep = false): HostileCase => ({
  name,
  ...(mayKeep && { mayKeep: () => pdfOf(name) }),
  answer: ({ socket }) => socket.end(Buffer.from(answer(whole(name)), 'latin1')),
});
/** Several works of one host, all of which are to be had. */
const several = (name: string, answer: (path: string) => Answer): HostileCase => ({
  name,
  works: 6,
  mayKeep: (path) => pdfOf(name + path),
  answer: (met) => answer(met.path)(met),
});
/** With a whole file, which may be kept where the answer calls itself a success. */
const status = (name: string, line: string, headers: Readonly<Record<string, string>> = {}): HostileCase => ({
  name,
  ...(line.startsWith('2') && { mayKeep: () => pdfOf(name) }),
  answer: ({ socket }) => send(socket, line, headers, whole(name)),
});
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

/** Odd ways to speak HTTP: what can be understood is, and nothing else is kept. */
export const MANNERS: readonly HostileCase[] = [
  several('resets-after-each', (path) => ({ socket }) => { send(socket, '200 OK', {}, pdfOf(`resets-after-each${path}`)); setTimeout(() => socket.resetAndDestroy(), 5); }),
  several('closes-after-each', (path) => ({ socket }) => { send(socket, '200 OK', {}, pdfOf(`closes-after-each${path}`)); socket.end(); }),
  several('closes-every-second-unasked', (path) => ({ socket, before }) => before === 0 && path > '/3' ? socket.destroy() : send(socket, '200 OK', {}, pdfOf(`closes-every-second-unasked${path}`))),
  raw('old-http', (body) => `HTTP/1.0 200 OK\r\ncontent-length: ${body.length}\r\nconnection: keep-alive\r\n\r\n${body}`, true),
  raw('no-reason', (body) => `HTTP/1.1 200\r\ncontent-length: ${body.length}\r\n\r\n${body}`, true),
  raw('length-with-a-plus', (body) => `HTTP/1.1 200 OK\r\ncontent-length: +${body.length}\r\n\r\n${body}`),
  raw('length-in-hex', (body) => `HTTP/1.1 200 OK\r\ncontent-length: 0x${body.length.toString(16)}\r\n\r\n${body}`),
  raw('length-twice-the-same', (body) => `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}, ${body.length}\r\n\r\n${body}`, true),
  raw('length-one-short', (body) => `HTTP/1.1 200 OK\r\ncontent-length: ${body.length - 12}\r\n\r\n${body}`),
  raw('length-one-long', (body) => `HTTP/1.1 200 OK\r\ncontent-length: ${body.length + 1}\r\n\r\n${body}`),
  raw('chunked-twice', (body) => `${head('200 OK', { 'transfer-encoding': 'chunked, chunked' })}${chunk(`${chunk(body)}0\r\n\r\n`)}0\r\n\r\n`),
  raw('almost-chunked', (body) => `${head('200 OK', { 'transfer-encoding': 'xchunked' })}${chunk(body)}0\r\n\r\n`),
  raw('chunked-in-old-http', (body) => `HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${chunk(body)}0\r\n\r\n`, true),
  raw('chunks-of-one-byte', (body) => `${head('200 OK', chunked)}${body.split('').map(chunk).join('')}0\r\n\r\n`, true),
  raw('chunk-of-many-zeros', (body) => `${head('200 OK', chunked)}${'0'.repeat(50_000)}${chunk(body)}0\r\n\r\n`, true),
  raw('chunk-with-extensions', (body) => `${head('200 OK', chunked)}${body.length.toString(16)};a=b;c\r\n${body}\r\n0\r\n\r\n`, true),
  raw('chunk-without-its-end', (body) => `${head('200 OK', chunked)}${body.length.toString(16)}\r\n${body}0\r\n\r\n`),
  raw('trailers', (body) => `${head('200 OK', { ...chunked, trailer: 'x-sum' })}${chunk(body)}0\r\nx-sum: 1\r\n\r\n`, true),
  raw('trailers-that-lie', (body) => `${head('200 OK', chunked)}${chunk(body)}0\r\ncontent-length: 5\r\ncontent-encoding: gzip\r\nlocation: /x\r\n\r\n`, true),
  raw('more-after-the-last-chunk', (body) => `${head('200 OK', chunked)}${chunk(body)}0\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabc`, true),
  raw('a-hundred-hints', (body) => `${'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(100)}${head('200 OK', { 'content-length': body.length })}${body}`, true),
  raw('continue-unasked', (body) => `HTTP/1.1 100 Continue\r\n\r\n${head('200 OK', { 'content-length': body.length })}${body}`, true),
  raw('processing', (body) => `HTTP/1.1 102 Processing\r\n\r\n${head('200 OK', { 'content-length': body.length })}${body}`, true),
  raw('empty-lines-first', (body) => `\r\n\r\n${head('200 OK', { 'content-length': body.length })}${body}`, true),
  raw('header-without-a-name', (body) => `HTTP/1.1 200 OK\r\n: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`),
  raw('header-without-a-colon', (body) => `HTTP/1.1 200 OK\r\nnonsense\r\ncontent-length: ${body.length}\r\n\r\n${body}`),
  raw('headers-of-prototypes', (body) => `HTTP/1.1 200 OK\r\n__proto__: x\r\nconstructor: y\r\ntoString: z\r\nhasOwnProperty: w\r\ncontent-length: ${body.length}\r\n\r\n${body}`, true),
  raw('headers-in-latin', (body) => `HTTP/1.1 200 OK\r\nx-name: M\xfcller \xff\r\ncontent-length: ${body.length}\r\n\r\n${body}`, true),
  raw('a-return-in-a-header', (body) => `HTTP/1.1 200 OK\r\nx: a\rcontent-length: 3\r\ncontent-length: ${body.length}\r\n\r\n${body}`),
  { name: 'hints-then-silence', answer: ({ socket }) => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n') },
  { name: 'one-header-now-and-then', answer: ({ socket }) => (socket.write('HTTP/1.1 200 OK\r\n'), trickle(socket, 'x-a: b\r\n', 300)) },
  { name: 'one-chunk-now-and-then', answer: ({ socket }) => (socket.write(`${head('200 OK', chunked)}9\r\n%PDF-1.4\n\r\n`), trickle(socket, '1\r\na\r\n', 300)) },
  { name: 'one-byte-before-silence', answer: ({ socket }) => socket.write(`${head('200 OK', { 'content-length': 700 })}%`) },
  { name: 'all-but-the-last-byte', answer: ({ socket }) => socket.write(head('200 OK', { 'content-length': whole('x').length + 1 }) + whole('x')) },
  { name: 'status-lines-for-ever', answer: ({ socket }) => endless(socket, 'HTTP/1.1 200 OK\r\n'.repeat(100)) },
  status('denied-with-a-file', '403 Forbidden'),
  status('gone-with-a-file', '410 Gone'),
  status('teapot-with-a-file', "418 I'm a teapot"),
  status('legal-reasons', '451 Unavailable For Legal Reasons'),
  status('captive', '511 Network Authentication Required'),
  status('payment', '402 Payment Required'),
  status('too-early', '425 Too Early'),
  status('accepted', '202 Accepted'),
  status('busy-without-a-moment', '429 Too Many Requests'),
  status('busy-for-ages', '503 Service Unavailable', { 'retry-after': '999999999999' }),
  status('login-wanted', '401 Unauthorized', { 'www-authenticate': `Basic realm="${'a'.repeat(8_000)}"` }),
  status('use-a-proxy', '305 Use Proxy', { location: 'http://10.0.0.1:3128/' }),
  status('reset-content', '205 Reset Content'),
  status('many-statuses', '207 Multi-Status'),
]; // prettier-ignore
