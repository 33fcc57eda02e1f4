import type { HostileCase, Met } from './server.ts';
import { head, pdfOf, send } from './server.ts';

const SIZE = 300_000;
const HALF = 150_000;
const one = (name: string): Buffer => pdfOf(name, SIZE);
const other = (name: string): Buffer => pdfOf(name.replaceAll(/[a-z]/g, 'x'), SIZE);

/** Breaks off in the middle the first time; afterwards answers as the case has it. */
const broken =
  (name: string, then: (met: Met, from: number) => void, etag: string | undefined = '"one"') =>
  (met: Met): void => {
    const from = /\r\nrange: bytes=(\d+)-/.exec(met.text)?.[1];
    if (met.before > 0) return then(met, Number(from ?? 0));
    const headers = { 'content-length': one(name).length, ...(etag !== undefined && { etag }) };
    met.socket.write(head('200 OK', headers));
    met.socket.write(one(name).subarray(0, HALF), () => met.socket.destroy());
  };

const part = ({ socket }: Met, bytes: Buffer, from: number, more: Readonly<Record<string, string>>): void =>
  send(
    socket,
    '206 Partial Content',
    { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}`, ...more },
    bytes.subarray(from),
  );

/** Asks for the whole are answered with the whole of the new version. */
const spliced = (name: string, more: (from: number) => Readonly<Record<string, string>>): HostileCase => ({
  name,
  mayKeep: () => other(name),
  answer: broken(name, (met, from) =>
    from === 0 ? send(met.socket, '200 OK', { etag: '"two"' }, other(name)) : part(met, other(name), from, more(from)),
  ),
});

/** Bytes of one version put together with those of another. */
export const RANGES: readonly HostileCase[] = [
  spliced('other-version', () => ({ etag: '"two"' })),
  spliced('no-version', () => ({})),
  spliced('weak-version', () => ({ etag: 'W/"one"' })),
  spliced('other-start', (from) => ({ etag: '"one"', 'content-range': `bytes ${from + 7}-${SIZE - 1}/${SIZE}` })),
  spliced('other-total', (from) => ({ etag: '"one"', 'content-range': `bytes ${from}-${SIZE + 4}/${SIZE + 5}` })),
  spliced('unknown-total', (from) => ({ etag: '"one"', 'content-range': `bytes ${from}-${SIZE - 1}/*` })),
  spliced('no-range', () => ({ etag: '"one"', 'content-range': 'nonsense' })),
  spliced('encoded-rest', () => ({ etag: '"one"', 'content-encoding': 'gzip' })),
  spliced('many-parts', () => ({ etag: '"one"', 'content-type': 'multipart/byteranges; boundary=x', 'content-range': '' })),
  spliced('wide-range', (from) => ({ etag: '"one"', 'content-range': `bytes 0-${SIZE - 1}/${SIZE}`, 'x-from': String(from) })),
  spliced('range-below-zero', () => ({ etag: '"one"', 'content-range': 'bytes -5-10/20' })),
  spliced('range-of-digits', (from) => ({ etag: '"one"', 'content-range': `bytes ${from}-${'9'.repeat(400)}/${'9'.repeat(400)}` })),
  spliced('other-unit', (from) => ({ etag: '"one"', 'content-range': `pages ${from}-${SIZE - 1}/${SIZE}` })),
  spliced('version-in-other-letters', () => ({ etag: '"ONE"' })),
  spliced('version-without-quotes', () => ({ etag: 'one' })),
  {
    name: 'rest-too-long',
    mayKeep: () => one('rest-too-long'),
    answer: broken('rest-too-long', (met, from) => {
      const bytes = one('rest-too-long');
      if (from === 0) return send(met.socket, '200 OK', {}, bytes);
      const rest = Buffer.concat([bytes.subarray(from), other('rest-too-long')]);
      return send(met.socket, '206 Partial Content', { etag: '"one"', 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` }, rest);
    }),
  },
  {
    name: 'another-version-each-time',
    answer: ({ socket, before }) => {
      const bytes = pdfOf(`another-version-each-time ${before}`, SIZE);
      socket.write(head('200 OK', { 'content-length': bytes.length, etag: `"${before}"` }));
      socket.write(bytes.subarray(0, HALF), () => socket.destroy());
    },
  },
  {
    name: 'no-such-range-for-ever',
    answer: broken('no-such-range-for-ever', ({ socket }) => send(socket, '416 Range Not Satisfiable', { 'content-range': 'bytes */0' }, '')),
  },
  {
    name: 'shorter-the-second-time',
    mayKeep: () => pdfOf('shorter-the-second-time'),
    answer: broken('shorter-the-second-time', ({ socket }) => send(socket, '200 OK', { etag: '"one"' }, pdfOf('shorter-the-second-time'))),
  },
  {
    name: 'moves-between-the-parts',
    mayKeep: () => other('moves-between-the-parts'),
    answer: broken('moves-between-the-parts', (met, from) =>
      met.path === '/1.pdf' ? send(met.socket, '302 Found', { location: '/elsewhere.pdf' }) : from === 0 ? send(met.socket, '200 OK', {}, other('moves-between-the-parts')) : part(met, other('moves-between-the-parts'), from, { etag: '"one"' }),
    ),
  },
  {
    name: 'no-such-range',
    mayKeep: () => other('no-such-range'),
    answer: broken('no-such-range', (met, from) =>
      from === 0 ? send(met.socket, '200 OK', {}, other('no-such-range')) : send(met.socket, '416 Range Not Satisfiable', {}, ''),
    ),
  },
  {
    name: 'everything-instead',
    mayKeep: () => other('everything-instead'),
    answer: broken('everything-instead', ({ socket }) => send(socket, '200 OK', { etag: '"two"' }, other('everything-instead'))),
  },
  {
    name: 'breaks-off-for-ever',
    answer: ({ socket, text }) => {
      const from = Number(/\r\nrange: bytes=(\d+)-/.exec(text)?.[1] ?? 0);
      const bytes = one('breaks-off-for-ever').subarray(from);
      socket.write(head(from > 0 ? '206 Partial Content' : '200 OK', { etag: '"one"', 'content-length': bytes.length, ...(from > 0 && { 'content-range': `bytes ${from}-${from + bytes.length - 1}/${from + bytes.length}` }) }));
      socket.write(bytes.subarray(0, 10), () => socket.destroy());
    },
  },
  { name: 'part-unasked', answer: (met) => part(met, one('part-unasked'), HALF, { etag: '"one"' }) },
  { name: 'part-unasked-of-all', answer: (met) => part(met, one('part-unasked-of-all'), 0, { etag: '"one"' }) },
  { name: 'come-back-next-year', answer: ({ socket }) => send(socket, '503 Service Unavailable', { 'retry-after': '31536000' }, '') },
  { name: 'come-back-yesterday', answer: ({ socket }) => send(socket, '503 Service Unavailable', { 'retry-after': 'Mon, 01 Jan 1990 00:00:00 GMT' }, '') },
  { name: 'come-back-in-words', answer: ({ socket }) => send(socket, '429 Too Many Requests', { 'retry-after': 'soon' }, '') },
  { name: 'come-back-before-now', answer: ({ socket }) => send(socket, '429 Too Many Requests', { 'retry-after': '-5' }, '') },
  { name: 'come-back-infinitely', answer: ({ socket }) => send(socket, '429 Too Many Requests', { 'retry-after': '9'.repeat(400) }, '') },
]; // prettier-ignore
