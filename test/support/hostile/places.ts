import type { HostileCase, Met } from './server.ts';
import { pdfOf, send } from './server.ts';

const port = ({ canary }: Met): string => canary.split(':')[1] ?? '';
const to =
  (place: (met: Met) => string, status = '302 Found', more: Readonly<Record<string, string>> = {}) =>
  (met: Met): void =>
    send(met.socket, status, { location: place(met), ...more });
const page =
  (text: (met: Met) => string, headers: (met: Met) => Readonly<Record<string, string>> = () => ({})) =>
  (met: Met): void =>
    send(
      met.socket,
      '200 OK',
      { 'content-type': 'text/html', ...headers(met) },
      `<html><head>${text(met)}</head></html>`,
    );

/** Ways to write an address of this machine or of its network. */
const HIDDEN = [
  '127.1', '127.0.1', '127.0.0.1.', 'localhost.', 'LOCALHOST', 'x.localhost', '127。0。0。1', '１２７.0.0.1', '0', '0x7f000001',
  '017700000001', '127.255.255.254', '[::]', '[0:0:0:0:0:0:0:1]', '[::ffff:7f00:1]', '[::127.0.0.1]', '[64:ff9b::7f00:1]', '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]', '[2001:0:7f00:1::]', '[fe80::1]', '[fc00::1]', '[ff02::1]', '[::ffff:0:127.0.0.1]', '192.168.0.1', '172.16.0.1', '100.64.0.1', '224.0.0.1',
  '255.255.255.255', '198.18.0.1', '192.0.0.1', '0.1.2.3',
]; // prettier-ignore

/** Redirects, links and headers that lead to places nobody should go, however they are written. */
export const PLACES: readonly HostileCase[] = [
  ...HIDDEN.map((host, at): HostileCase => ({ name: `to-hidden-${at}`, answer: to((met) => `http://${host}:${port(met)}/secret.pdf`) })),
  { name: 'to-loopback-by-backslashes', answer: to((met) => `http:\\\\${met.canary}\\secret.pdf`) },
  { name: 'to-loopback-without-scheme', answer: to((met) => `\t//${met.canary}/secret.pdf`) },
  { name: 'to-loopback-with-breaks', answer: to((met) => `ht\ttp://${met.canary}/secret.pdf`) },
  { name: 'to-loopback-behind-a-name', answer: to((met) => `http://good-0.hostile.example.org@${met.canary}/secret.pdf`) },
  { name: 'to-loopback-in-the-second-location', answer: (met) => met.socket.write(`HTTP/1.1 302 Found\r\nlocation: /b\r\nlocation: http://${met.canary}/secret.pdf\r\ncontent-length: 0\r\n\r\n`) },
  { name: 'to-loopback-after-nine', answer: to((met) => (met.path.length > 14 ? `http://${met.canary}/secret.pdf` : `${met.path}x`)) },
  { name: 'to-loopback-by-303', answer: to((met) => `http://${met.canary}/secret.pdf`, '303 See Other') },
  { name: 'to-a-unix-socket', answer: to(() => 'http+unix://%2Fvar%2Frun%2Fdocker.sock/info') },
  { name: 'to-a-view-of-source', answer: to(() => 'view-source:http://example.org/') },
  { name: 'to-a-blob', answer: to(() => 'blob:http://example.org/9115d58c') },
  { name: 'to-port-zero', answer: to(({ origin }) => `${origin}:0/a.pdf`) },
  { name: 'to-a-port-that-is-none', answer: to(({ origin }) => `${origin}:99999/a.pdf`) },
  { name: 'to-tls-that-is-none', answer: to(({ origin, port: own }) => `${origin.replace('http:', 'https:')}:${own}/a.pdf`) },
  { name: 'to-a-name-of-dots', answer: to(() => 'http://..../a.pdf') },
  { name: 'to-a-label-too-long', answer: to(() => `http://${'a'.repeat(300)}.example.org/a.pdf`) },
  { name: 'to-its-name-with-a-dot', mayKeep: () => pdfOf('to-its-name-with-a-dot'), answer: (met) => met.path === '/1.pdf' ? to(({ origin }) => `${origin}./2.pdf`)(met) : send(met.socket, '200 OK', {}, pdfOf('to-its-name-with-a-dot')) },
  { name: 'to-its-name-in-capitals', mayKeep: () => pdfOf('to-its-name-in-capitals'), answer: (met) => met.path === '/1.pdf' ? to(({ origin }) => `${origin.toUpperCase()}/2.pdf`)(met) : send(met.socket, '200 OK', {}, pdfOf('to-its-name-in-capitals')) },
  { name: 'to-somewhere-with-cookies', answer: to(({ path }) => `${path}x`, '302 Found', { 'set-cookie': `${'c'.repeat(4_000)}=1; Path=/` }) },
  { name: 'cookie-of-a-megabyte', answer: ({ socket }) => socket.end(`HTTP/1.1 200 OK\r\nset-cookie: a=${'b'.repeat(1_000_000)}\r\ncontent-length: 0\r\n\r\n`) },
  { name: 'base-to-loopback', answer: page(({ canary }) => `<base href="http://${canary}/"><meta name="citation_pdf_url" content="secret.pdf"><a href="secret.pdf">PDF</a>`) },
  { name: 'base-to-script', answer: page(() => '<base href="javascript:alert(1)//"><a href="x.pdf">PDF</a><link rel=alternate type=application/pdf href=x.pdf>') },
  { name: 'link-header-to-loopback', answer: page(() => '', ({ canary }) => ({ link: `<http://${canary}/secret.pdf>; rel="item"; type="application/pdf"` })) },
  { name: 'link-header-of-openings', answer: page(() => '', () => ({ link: '<'.repeat(15_000) })) },
  { name: 'link-header-of-quotes', answer: page(() => '', () => ({ link: `</a>; rel="${'\\"'.repeat(7_000)}` })) },
  { name: 'link-header-of-commas', answer: page(() => '', () => ({ link: ',;'.repeat(7_000) })) },
  { name: 'content-location-to-loopback', answer: page(() => '<a href="secret.pdf">PDF</a>', ({ canary }) => ({ 'content-location': `http://${canary}/` })) },
  { name: 'services-elsewhere', mayKeep: () => pdfOf('services-elsewhere'), answer: ({ socket, canary }) => send(socket, '200 OK', { 'alt-svc': `h2="${canary}"; ma=9999999`, refresh: `0; url=http://${canary}/s` }, pdfOf('services-elsewhere')) },
  { name: 'frames-to-loopback', answer: page(({ canary }) => `<iframe src="http://${canary}/s.pdf"></iframe><embed src="http://${canary}/s.pdf" type="application/pdf"><object data="http://${canary}/s.pdf" type="application/pdf"></object>`) },
  { name: 'refresh-of-spaces', answer: page(() => `<meta http-equiv="refresh" content="0${' '.repeat(300_000)};${' '.repeat(300_000)}url${' '.repeat(300_000)}x">`) },
  { name: 'refresh-to-hidden-loopback', answer: page((met) => `<meta http-equiv=refresh content="0;url='http://127.1:${port(met)}/s.pdf'">`) },
  { name: 'links-to-hidden-loopback', answer: page((met) => HIDDEN.map((host) => `<meta name="citation_pdf_url" content="http://${host}:${port(met)}/s.pdf">`).join('')) },
  { name: 'links-with-passwords', answer: page(({ canary }) => `<meta name="citation_pdf_url" content="http://a:b@${canary}/s.pdf">`) },
  { name: 'pages-that-link-to-pages', answer: page(({ origin, path }) => Array.from({ length: 20 }, (_, at) => `<meta name="citation_pdf_url" content="${origin}${path}/${at}.pdf">`).join('')) },
]; // prettier-ignore
