import type { HostileCase, Met } from './server.ts';
import { pdfOf, send } from './server.ts';

const to =
  (place: (met: Met) => string, status = '302 Found') =>
  (met: Met): void =>
    send(met.socket, status, { location: place(met) });
const html =
  (text: string) =>
  ({ socket }: Met): void =>
    send(socket, '200 OK', { 'content-type': 'text/html' }, `<html><head>${text}</head></html>`);
const page =
  (text: (met: Met) => string) =>
  (met: Met): void =>
    send(met.socket, '200 OK', { 'content-type': 'text/html' }, `<html><head>${text(met)}</head><body></body></html>`);

/** Answers that send their reader where nobody should go. */
export const REDIRECTS: readonly HostileCase[] = [
  { name: 'to-itself', answer: to(({ path }) => path) },
  { name: 'to-and-fro', answer: to(({ path }) => (path === '/1.pdf' ? '/b' : '/1.pdf')) },
  { name: 'ever-further', answer: to(({ path }) => `${path}x`) },
  { name: 'to-private', answer: to(() => 'http://10.0.0.1/a.pdf') },
  { name: 'to-cloud-metadata', answer: to(() => 'http://169.254.169.254/latest/meta-data/') },
  { name: 'to-loopback', answer: to(({ canary }) => `http://${canary}/secret.pdf`) },
  { name: 'to-loopback-by-name', answer: to(({ canary }) => `http://localhost:${canary.split(':')[1]}/secret.pdf`) },
  { name: 'to-loopback-v6', answer: to(({ canary }) => `http://[::1]:${canary.split(':')[1]}/secret.pdf`) },
  { name: 'to-loopback-mapped', answer: to(({ canary }) => `http://[::ffff:127.0.0.1]:${canary.split(':')[1]}/secret.pdf`) },
  { name: 'to-loopback-decimal', answer: to(({ canary }) => `http://2130706433:${canary.split(':')[1]}/secret.pdf`) },
  { name: 'to-loopback-hex', answer: to(({ canary }) => `http://0x7f.1:${canary.split(':')[1]}/secret.pdf`) },
  { name: 'to-loopback-octal', answer: to(({ canary }) => `http://0177.0.0.01:${canary.split(':')[1]}/secret.pdf`) },
  { name: 'to-loopback-in-circles', answer: to(({ canary }) => `http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ:${canary.split(':')[1]}/secret.pdf`) },
  { name: 'to-everywhere', answer: to(({ canary }) => `http://0.0.0.0:${canary.split(':')[1]}/secret.pdf`) },
  { name: 'to-loopback-permanently', answer: to(({ canary }) => `//${canary}/secret.pdf`, '308 Permanent Redirect') },
  { name: 'to-a-file', answer: to(() => 'file:///etc/passwd') },
  { name: 'to-script', answer: to(() => 'javascript:alert(1)') },
  { name: 'to-data', answer: to(() => `data:application/pdf;base64,${pdfOf('DATA').toString('base64')}`) },
  { name: 'to-ftp', answer: to(() => 'ftp://ftp.example.org/a.pdf') },
  { name: 'to-a-mail-port', answer: to(({ origin }) => `${origin}:25/a.pdf`) },
  { name: 'to-nothing', answer: to(() => '') },
  { name: 'to-nowhere', answer: ({ socket }) => send(socket, '302 Found', {}) },
  { name: 'to-noise', answer: to(() => 'ht!tp:::///%%%zz%00') },
  { name: 'to-a-hundred-kilobytes', answer: to(({ origin }) => `${origin}/${'a'.repeat(12_000)}`) },
  { name: 'to-somebodys-password', answer: to(({ canary }) => `http://user:secret@${canary}/secret.pdf`) },
  { name: 'to-a-name-that-is-none', answer: to(() => 'http://xn--a-ecp.ru--/a.pdf') },
  { name: 'to-many-choices', answer: ({ socket }) => send(socket, '300 Multiple Choices', {}, '<html>one or the other</html>') },
  { name: 'cookie-or-again', answer: ({ socket, path }) => send(socket, '302 Found', { location: path, 'set-cookie': 'seen=1' }) },
  { name: 'refresh-to-itself', answer: page(({ path }) => `<meta http-equiv="refresh" content="0; url=${path}">`) },
  { name: 'refresh-ever-further', answer: page(({ path }) => `<meta http-equiv="refresh" content="0; url=${path}x">`) },
  { name: 'refresh-to-a-file', answer: html('<meta http-equiv=refresh content="0;url=file:///etc/passwd">') },
  { name: 'refresh-to-loopback', answer: page(({ canary }) => `<meta http-equiv=refresh content="0;url=http://${canary}/s.pdf">`) },
  { name: 'refresh-by-header', answer: ({ socket, path }) => send(socket, '200 OK', { refresh: `0; url=${path}`, 'content-type': 'text/html' }, '<html></html>') },
  { name: 'links-to-loopback', answer: page(({ canary }) => `<meta name="citation_pdf_url" content="http://${canary}/secret.pdf">`) },
  { name: 'links-to-data', answer: html(`<meta name="citation_pdf_url" content="data:application/pdf;base64,${pdfOf('DATA').toString('base64')}">`) },
  { name: 'links-to-script', answer: html('<meta name="citation_pdf_url" content="javascript:alert(1)"><link rel=alternate type=application/pdf href="file:///etc/passwd">') },
  { name: 'links-to-itself', answer: page(({ path }) => `<meta name="citation_pdf_url" content="${path}">`) },
  { name: 'links-by-the-thousand', answer: (met) => met.path === '/1.pdf' ? page(({ origin }) => Array.from({ length: 5_000 }, (_, at) => `<meta name="citation_pdf_url" content="${origin}/${at}.pdf">`).join(''))(met) : send(met.socket, '404 Not Found', {}, 'no') },
  { name: 'links-that-stall', answer: (met) => met.path === '/1.pdf' ? page(({ origin }) => Array.from({ length: 30 }, (_, at) => `<meta name="citation_pdf_url" content="${origin}/stall-${at}.pdf">`).join(''))(met) : undefined },
]; // prettier-ignore
