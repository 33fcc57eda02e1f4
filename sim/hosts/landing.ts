import { escapeHtml, html } from '../server/reply.ts';
import type { Reply } from '../server/reply.ts';
import { authorsOf, journalOf } from '../world/people.ts';
import type { Location, Work } from '../world/types.ts';
import type { World } from '../world/world.ts';

/** Markup found on every page of some sites: guard scripts, login forms, shopping carts. */
const GUARDS =
  '<script>(function(){window.__CF$cv$params={r:"8"};})();</script><script src="/cdn-cgi/challenge-platform/scripts/jsd/main.js"></script><script src="https://cdn.perfdrive.com/aperture/aperture.js"></script><form action="/login"><input type="password" name="password"></form><a href="/cart">Add to Cart</a>';

/** Query parameters for variants of a landing page or file at the same path. */
export const FACES = ['hop', 'view', 'supplement', 'cookieSet', 'error'] as const;

export function withFace(url: string, face: (typeof FACES)[number], value: string): string {
  return `${url}${url.includes('?') ? '&' : '?'}${face}=${value}`;
}

export function landingReply(world: World, location: Location, isFull: boolean): Reply {
  const template = location.template === 'meta-refresh' && isFull ? 'highwire' : location.template;
  const headers: Record<string, string> = {};
  if (template === 'link-header' && location.file)
    headers['link'] = `<${location.file.url}>; rel="item"; type="application/pdf"`;
  return html(render(world, location, template ?? 'js-only'), 200, headers);
}

/** The landing page at a service's own host. */
export function landingPage(world: World, location: Location): string {
  return render(world, location, location.template ?? 'js-only');
}

function render(world: World, location: Location, template: LandingTemplate): string {
  const work = world.work(location.work);
  if (template === 'js-only' || template === 'dspace7')
    return page(
      'Loading',
      `<meta name="generator" content="${template === 'dspace7' ? 'DSpace 7.6' : 'app'}">`,
      '<ds-app id="app"></ds-app><script src="/main.js"></script>',
    );
  if (template === 'meta-refresh')
    return page(
      'One moment',
      `<meta http-equiv="refresh" content="0;url=${escapeHtml(withFace(new URL(location.url).pathname, 'view', 'full'))}">`,
      'You are being redirected.',
    );
  const { head = '', body = '' }: Pointer = POINTERS[template](location.file?.url ?? '');
  const guards = world.parameters.profile === 'reality' ? GUARDS : '';
  return page(
    work.title,
    `${citation(world, work, template)}\n${head}`,
    `<h1>${escapeHtml(work.title)}</h1>\n${body}\n${guards}`,
  );
}

function page(title: string, head: string, body: string): string {
  return `<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>${escapeHtml(title)}</title>\n${head}\n</head>\n<body>\n<nav><a href="/">Home</a> <a href="/about">About</a></nav>\n${body}\n<footer>Simulated page</footer>\n</body>\n</html>\n`;
}

function citation(world: World, work: Work, template: LandingTemplate): string {
  // Another work: its DOI, title and authors.
  const isOther = template === 'doi-mismatch';
  // A repository registers its copy under its own DOI.
  const doi = isOther
    ? '10.5555/another.work.entirely'
    : template === 'own-doi'
      ? `10.5072/copy.${work.index}`
      : work.doi;
  const meta = (name: string, content: string): string => `<meta name="${name}" content="${escapeHtml(content)}">`;
  return [
    meta('citation_title', isOther ? 'An altogether different inquiry into unrelated matters' : work.title),
    ...(isOther
      ? [meta('citation_author', 'Somebody Else')]
      : authorsOf(world, work, 5).map(({ name }) => meta('citation_author', name))),
    meta('citation_publication_date', work.date.replaceAll('-', '/')),
    meta('citation_journal_title', journalOf(world.publishers[work.source])),
    ...(doi === null ? [] : [meta('citation_doi', doi)]),
  ].join('\n');
}

interface Pointer {
  readonly head?: string;
  readonly body?: string;
}

const citationMeta = (url: string): Pointer => ({
  head: `<meta name="citation_pdf_url" content="${escapeHtml(url)}">`,
});
const nothing = (): Pointer => ({});

/** Markup by which each template links to the file, or hides it. */
const POINTERS = {
  highwire: citationMeta,
  'own-doi': citationMeta,
  'doi-mismatch': citationMeta,
  'highwire-unquoted': (url) => ({ head: `<meta content=${escapeHtml(url)} name=citation_pdf_url>` }),
  'highwire-base': (url) => {
    const { origin, pathname, search } = new URL(url);
    const path = escapeHtml(pathname.slice(1) + search);
    return { head: `<base href="${origin}/">\n<meta name='citation_pdf_url' content='${path}'>` };
  },
  property: (url) => ({ head: `<meta property="citation_pdf_url" content="${escapeHtml(url)}"/>` }),
  'two-pdf-metas': (url) => ({
    head: [withFace(url, 'supplement', '1'), url].map((each) => citationMeta(each).head).join('\n'),
  }),
  'link-alternate': (url) => ({
    head: `<link rel="alternate" type="application/pdf" title="PDF" href="${escapeHtml(url)}">`,
  }),
  'link-header': () => ({ body: '<p>The file is described in the headers of this page.</p>' }),
  'json-ld': (url) => {
    const data = {
      '@context': 'https://schema.org',
      '@type': 'ScholarlyArticle',
      isAccessibleForFree: true,
      encoding: [{ '@type': 'MediaObject', contentUrl: url, encodingFormat: 'application/pdf' }],
    };
    const json = JSON.stringify(data).replaceAll('<', String.raw`\u003c`);
    return { head: `<script type="application/ld+json">${json}</script>` };
  },
  'ojs-galley': (url) => {
    const page = escapeHtml(url.replace('/article/download/', '/article/view/'));
    return {
      head: '<meta name="generator" content="Open Journal Systems 3.4.0.5">',
      body: `<a class="obj_galley_link pdf" href="${page}">PDF</a>`,
    };
  },
  dspace7: nothing,
  'full-text': nothing,
  'js-only': nothing,
  'meta-refresh': nothing,
} satisfies Readonly<Record<string, (url: string) => Pointer>>;

export type LandingTemplate = keyof typeof POINTERS;
