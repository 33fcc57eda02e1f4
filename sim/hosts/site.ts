import { perform } from '../behaviours/perform.ts';
import { rawPdf } from '../behaviours/odd-pdf.ts';
import { withJunk } from '../server/documents.ts';
import type { Exchange } from '../server/exchange.ts';
import { HANG, html, page, text } from '../server/reply.ts';
import type { Reply } from '../server/reply.ts';
import type { FileSpec, Host, Location } from '../world/types.ts';
import { robotsOf } from './robots.ts';
import { landingReply } from './landing.ts';
import { cleanUrl, loginPage } from './walls.ts';

const TYPES = {
  pdf: 'application/pdf',
  'odd-pdf': 'application/pdf',
  jats: 'application/xml',
  tei: 'application/xml',
  html: 'text/html; charset=utf-8',
} as const;

export function serveFile(exchange: Exchange, file: FileSpec): Promise<Reply> {
  return perform(exchange, file.behaviour, async () => ({
    bytes: withJunk(await exchange.bytes(file), file.behaviour),
    contentType: TYPES[file.payload.form],
  }));
}

/** A generated host: robots.txt, landing pages, files, a login page. */
export async function serveSite(exchange: Exchange, host: Host): Promise<Reply> {
  const { path, query, world } = exchange;
  if (path === '/robots.txt') return robots(exchange, host);
  if (path === '/login') return loginPage();
  const wanted = cleanUrl(exchange.url);
  for (const work of world.namedIn(path + exchange.url.search)) {
    for (const location of work.locations) {
      if (location.file && location.file.url === wanted) {
        if (query.has('supplement')) return supplement();
        return serveFile(exchange, location.file);
      }
      if (location.kind === 'landing' && location.url === wanted) return serveLanding(exchange, location);
      if (location.file && location.file.url.replace('/article/download/', '/article/view/') === wanted)
        return galley();
    }
  }
  return page('Not found', 'Nothing is published here.', 404);
}

async function serveLanding(exchange: Exchange, location: Location): Promise<Reply> {
  const { body, headers } = landingReply(exchange.world, location, exchange.query.has('view'));
  const content = { bytes: Buffer.from(body), contentType: 'text/html; charset=utf-8' };
  const reply = await perform(exchange, location.behaviour, () => Promise.resolve(content));
  return reply.status === 200 && headers['link']
    ? { ...reply, headers: { ...reply.headers, link: headers['link'] } }
    : reply;
}

function supplement(): Reply {
  return {
    status: 200,
    headers: { 'content-type': 'application/pdf' },
    body: rawPdf([['Supplementary tables S1 to S4', 'Simulated document']]),
  };
}

function galley(): Reply {
  return html(
    '<!doctype html><html><head><title>PDF</title></head><body class="pkp_page_article"><div id="pdfCanvasContainer"></div></body></html>',
  );
}

function robots(exchange: Exchange, host: Host): Reply {
  const answer = robotsOf(host);
  if (answer.hangs) return HANG;
  const hop = Number(exchange.query.get('hop') ?? 0);
  if (hop < answer.redirects) return { status: 301, headers: { location: `/robots.txt?hop=${hop + 1}` }, body: '' };
  return text(answer.text, answer.status, { 'content-type': 'text/plain; charset=utf-8' });
}
