import { entries } from '../random/entries.ts';
import { sha256 } from '../../src/base/index.ts';
import type { Exchange, Pool, Service } from '../server/exchange.ts';
import { keyOf } from '../server/exchange.ts';
import { SIM_KEYS } from '../server/run-state.ts';
import { json } from '../server/reply.ts';
import type { Reply } from '../server/reply.ts';
import { encodeDoi, isInSemanticScholar } from '../truth/shown.ts';
import { at } from '../world/identifiers.ts';
import { listedIn } from '../world/locations.ts';
import { authorsOf, journalOf } from '../world/people.ts';
import type { Work } from '../world/types.ts';
import type { World } from '../world/world.ts';

const KEYED: Pool = { name: 'semantic-scholar', perSecond: 1, burst: 1 };
const SHARED: Pool = { name: 'semantic-scholar-shared', perSecond: 1 / 3, burst: 1 };
const FIELDS = new Set(
  entries(`paperId; externalIds; url; title; venue; year; citationCount;
  influentialCitationCount; isOpenAccess; openAccessPdf; publicationTypes; publicationDate; journal; authors;
  abstract; citationStyles`),
);

function find(world: World, id: string): Work | undefined {
  const [, scheme = '', value = ''] = /^(DOI|ARXIV|PMID|PMCID|CorpusId):(.+)$/i.exec(id) ?? [];
  switch (scheme.toLowerCase()) {
    case 'doi':
      return world.byDoi(value);
    case 'arxiv':
      return world.byArxiv(value);
    case 'pmid':
      return world.byPmid(value);
    case 'pmcid':
      return world.byPmcid(`PMC${value.replace(/^PMC/i, '')}`);
    default:
      return undefined;
  }
}

function render(world: World, work: Work, fields: readonly string[]): Record<string, unknown> {
  const [listed] = listedIn(work, 'semantic_scholar');
  const host = world.publishers[work.source];
  const all: Record<string, unknown> = {
    paperId: sha256(work.id).slice(0, 40),
    externalIds: {
      ...(work.doi && {
        DOI: work.doi.toUpperCase() === work.doi ? work.doi : work.doi.replace('10.5555/j', '10.5555/J'),
      }),
      ...(work.pmcid && { PubMedCentral: work.pmcid.slice(3) }),
      ...(work.pmid && { PubMed: work.pmid }),
      ...(work.arxivId && { ArXiv: work.arxivId }),
      CorpusId: 260_000_000 + work.index,
    },
    url: `https://www.semanticscholar.org/paper/${sha256(work.id).slice(0, 40)}`,
    title: work.title,
    venue: journalOf(host),
    year: work.year,
    citationCount: world.columns.citedBy[work.index] ?? 0,
    influentialCitationCount: 0,
    isOpenAccess: listed !== undefined,
    // Closed works have a status and their DOI URL, which is not a file.
    openAccessPdf: listed
      ? {
          url: listed.url,
          status: 'GREEN',
          license: listed.license && listed.license.toUpperCase().replaceAll('-', ''),
        }
      : work.index % 2 === 0
        ? { url: work.doi ? at('doi.org', `/${encodeDoi(work.doi)}`) : '', status: 'CLOSED', license: null }
        : null,
    publicationTypes: ['JournalArticle'],
    publicationDate: work.date,
    journal: { name: journalOf(host), volume: '1' },
    authors: authorsOf(world, work, 20).map(({ index, name }) => ({ authorId: String(index), name })),
  };
  return Object.fromEntries(
    ['paperId', ...fields.filter((field) => field !== 'paperId')]
      .filter((field) => field in all)
      .map((field) => [field, all[field]]),
  );
}

function handle(exchange: Exchange): Reply {
  const { query, world } = exchange;
  const key = keyOf(exchange);
  if (key !== null && key !== SIM_KEYS.semantic_scholar) return json({ message: 'Forbidden' }, 403);
  const fields = (query.get('fields') ?? 'paperId,title').split(',');
  const unknown = fields.filter((field) => !FIELDS.has(field.split('.')[0] ?? ''));
  if (unknown.length > 0) return json({ error: `Unrecognized or unsupported fields: [${unknown.join(', ')}]` }, 400);
  const id = decodeURIComponent(exchange.url.pathname.replace('/graph/v1/paper/', ''));
  const known = find(world, id);
  const work = known && isInSemanticScholar(world, known) ? known : undefined;
  return work ? json(render(world, work, fields)) : json({ error: `Paper with id ${id} not found` }, 404);
}

export const semanticScholar: Service = {
  name: 'semantic_scholar',
  hosts: ['api.semanticscholar.org'],
  pool: (exchange) => (keyOf(exchange) === SIM_KEYS.semantic_scholar ? KEYED : SHARED),
  tooMany: () =>
    json(
      {
        message: 'Too Many Requests. Please wait and try again or apply for a key for higher rate limits.',
        code: '429',
      },
      429,
    ),
  handle,
};
