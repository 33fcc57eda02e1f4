import { renderHtml, writePaper } from '../content/index.ts';
import { paperSpec } from '../server/paper-spec.ts';
import type { Exchange, Pool, Service } from '../server/exchange.ts';
import { escapeHtml, html, text, xml } from '../server/reply.ts';
import type { Reply } from '../server/reply.ts';
import { landingPage } from '../hosts/landing.ts';
import { at } from '../world/identifiers.ts';
import { abstractOf, authorsOf } from '../world/people.ts';
import type { Location, Work } from '../world/types.ts';
import type { World } from '../world/world.ts';

/** One request per three seconds, one connection, over all arXiv hosts. */
const POOL: Pool = { name: 'arxiv', perSecond: 1 / 3, burst: 1, concurrency: 1 };

interface Identifier {
  readonly work: Work;
  readonly version: number | null;
}

function parse(world: World, raw: string): Identifier | null {
  const [, id = '', version] =
    /^(.+?)(?:v(\d+))?$/.exec(raw.replace(/\.pdf$/, '').replace(/^([a-z-]+)\.[A-Z]{2}\//, '$1/')) ?? [];
  const work = world.byArxiv(id);
  if (!work || (version !== undefined && Number(version) > work.arxivVersions)) return null;
  return { work, version: version === undefined ? null : Number(version) };
}

function isWithdrawn(work: Work): boolean {
  return work.locations[0]?.behaviour.kind === 'status';
}

function feed(query: string, entries: readonly string[], total: number, start: number, perPage: number): string {
  return `<?xml version='1.0' encoding='UTF-8'?>
<feed xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/" xmlns:arxiv="http://arxiv.org/schemas/atom" xmlns="http://www.w3.org/2005/Atom">
  <id>https://arxiv.org/api/${Buffer.from(query).toString('base64url').slice(0, 26)}</id>
  <title>arXiv Query: ${escapeHtml(query)}</title>
  <updated>2026-01-15T00:00:00Z</updated>
  <link href="https://arxiv.org/api/query?${escapeHtml(query)}" type="application/atom+xml"/>
  <opensearch:itemsPerPage>${perPage}</opensearch:itemsPerPage>
  <opensearch:totalResults>${total}</opensearch:totalResults>
  <opensearch:startIndex>${start}</opensearch:startIndex>
${entries.join('\n')}
</feed>
`;
}

function entry(world: World, { work, version }: Identifier): string {
  const id = `${work.arxivId}v${version ?? work.arxivVersions}`;
  const people = authorsOf(world, work, 30).map(
    ({ name }) => `    <author>\n      <name>${escapeHtml(name)}</name>\n    </author>`,
  );
  return `  <entry>
    <id>http://arxiv.org/abs/${id}</id>
    <title>${escapeHtml(work.title.replace(': ', ':\n  '))}</title>
    <updated>${work.date}T12:00:00Z</updated>
    <link href="${at('arxiv.org', `/abs/${id}`)}" rel="alternate" type="text/html"/>
    <link href="${at('arxiv.org', `/pdf/${id}`)}" rel="related" type="application/pdf" title="pdf"/>
    <summary>${escapeHtml(abstractOf(world, work) ?? work.title)}</summary>
    <category term="cs.LG" scheme="http://arxiv.org/schemas/atom"/>
    <published>${work.date}T12:00:00Z</published>
    <arxiv:comment>${isWithdrawn(work) ? 'This paper has been withdrawn' : 'Simulated document'}</arxiv:comment>
    <arxiv:primary_category term="cs.LG"/>
${people.join('\n')}
  </entry>`;
}

function errorFeed(message: string, status: number): Reply {
  return xml(
    feed(
      '',
      [
        `  <entry>\n    <id>https://arxiv.org/api/errors#error</id>\n    <title>Error</title>\n    <summary>${escapeHtml(message)}</summary>\n  </entry>`,
      ],
      1,
      0,
      1,
    ),
    status,
    { 'content-type': 'application/atom+xml; charset=utf-8' },
  );
}

function search({ query, world }: Exchange): Reply {
  const start = query.get('start') ?? '0';
  const perPage = Number(query.get('max_results') ?? 10);
  if (!/^\d+$/.test(start)) return errorFeed('start must be an integer', 200);
  if (perPage > 2_000 || Number(start) + perPage > 30_000) return errorFeed('max_results is too large', 400);
  const ids = (query.get('id_list') ?? '').split(',').filter((id) => id !== '');
  const malformed = ids.find((id) => !/^(\d{4}\.\d{4,5}|[a-z-]+(\.[A-Z]{2})?\/\d{7})(v\d+)?$/.test(id));
  if (malformed !== undefined) return errorFeed(`incorrect id format for ${malformed}`, 400);
  const found = ids.map((id) => parse(world, id)).filter((one) => one !== null);
  const shown = found.slice(Number(start), Number(start) + perPage).map((one) => entry(world, one));
  const echo = `search_query=&id_list=${ids.join(',')}&start=${start}&max_results=${perPage}`;
  return xml(feed(echo, shown, found.length, Number(start), perPage), 200, {
    'content-type': 'application/atom+xml; charset=utf-8',
  });
}

export const arxiv: Service = {
  name: 'arxiv',
  hosts: ['export.arxiv.org', 'arxiv.org', 'oaipmh.arxiv.org'],
  pool: ({ path }) => (path === '/robots.txt' ? null : POOL),
  tooMany: () => text('Rate exceeded.', 429),
  async handle(exchange): Promise<Reply> {
    const { path, world } = exchange;
    if (path === '/api/query') return search(exchange);
    const [, route = '', id = ''] = /^\/(abs|pdf|html|src)\/(.+)$/.exec(path) ?? [];
    const found = parse(world, id);
    if (!found) return html('<html><head><title>404</title></head><body><h1>No such paper</h1></body></html>', 404);
    const [pdf, page] = found.work.locations as readonly [Location, Location];
    if (route === 'abs') return html(landingPage(world, page));
    if (isWithdrawn(found.work))
      return html('<html><head><title>Withdrawn</title></head><body>This paper has been withdrawn.</body></html>', 404);
    if (route === 'html') return html(renderHtml(writePaper(paperSpec(world, found.work.index)), 'arxiv'));
    return exchange.file(pdf);
  },
};
