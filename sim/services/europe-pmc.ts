import type { Exchange, Service } from '../server/exchange.ts';
import { json, page, text } from '../server/reply.ts';
import type { Reply } from '../server/reply.ts';
import { at } from '../world/identifiers.ts';
import { listedIn } from '../world/locations.ts';
import { abstractOf, journalOf } from '../world/people.ts';
import type { Work } from '../world/types.ts';
import type { World } from '../world/world.ts';

function find(world: World, query: string): Work[] {
  const one =
    byPattern(/DOI:"?([^"\s]+(?:[^"]*[^"\s])?)"?/i, query, (doi) => world.byDoi(doi)) ??
    byPattern(/PMCID:"?(PMC\d+)"?/i, query, (pmcid) => world.byPmcid(pmcid)) ??
    byPattern(/EXT_ID:"?(\d+)"?/i, query, (pmid) => world.byPmid(pmid));
  return one && one.pmcid !== null ? [one] : [];
}

/** Undefined if the query has no such clause; null if nothing matches it. */
function byPattern(pattern: RegExp, query: string, lookUp: (id: string) => Work | undefined): Work | null | undefined {
  const id = pattern.exec(query)?.[1];
  return id === undefined ? undefined : (lookUp(id) ?? null);
}

function render(world: World, work: Work, isCore: boolean): Record<string, unknown> {
  const open = listedIn(work, 'europe_pmc');
  const isOpen = open.length > 0;
  const license = work.locations.find((location) => location.license !== null)?.license ?? null;
  const light = {
    id: work.pmid ?? work.pmcid,
    source: 'MED',
    ...(work.pmid && { pmid: work.pmid }),
    ...(work.pmcid && { pmcid: work.pmcid }),
    ...(isOpen && { fullTextIdList: { fullTextId: [work.pmcid] } }),
    ...(work.doi && { doi: work.doi }),
    title: `${work.title}.`,
    isOpenAccess: isOpen ? 'Y' : 'N',
    inEPMC: isOpen ? 'Y' : 'N',
  };
  if (!isCore) return light;
  const pdf = open.find(({ kind }) => kind === 'pdf');
  return {
    ...light,
    journalInfo: {
      volume: '1',
      journal: { title: journalOf(world.publishers[work.source]), medlineAbbreviation: 'Sim J' },
    },
    abstractText: abstractOf(world, work) ?? '',
    language: 'eng',
    pubTypeList: { pubType: ['research-article', 'Journal Article'] },
    fullTextUrlList: {
      fullTextUrl: [
        ...(work.doi ? [fullTextUrl('Subscription required', 'S', 'doi', 'DOI', at('doi.org', `/${work.doi}`))] : []),
        ...(isOpen
          ? [fullTextUrl('Open access', 'OA', 'html', 'Europe_PMC', at('europepmc.org', `/articles/${work.pmcid}`))]
          : []),
        ...(pdf ? [fullTextUrl('Open access', 'OA', 'pdf', 'Europe_PMC', pdf.url)] : []),
      ],
    },
    ...(isOpen && license && { license: license.replaceAll('-', ' ') }),
  };
}

function fullTextUrl(
  availability: string,
  code: string,
  style: string,
  site: string,
  url: string,
): Record<string, string> {
  return { availability, availabilityCode: code, documentStyle: style, site, url };
}

function search({ query, world }: Exchange): Reply {
  const pageSize = Number(query.get('pageSize') ?? 25);
  if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > 1_000)
    return json({ errCode: 404, errMsg: 'Invalid page size provided. Page size must be between 1 and 1000.' });
  if (query.get('format') !== 'json')
    return text('<responseWrapper><version>6.9</version><hitCount>0</hitCount></responseWrapper>', 200, {
      'content-type': 'application/xml',
    });
  const cursorMark = query.get('cursorMark') ?? '*';
  const from = cursorMark === '*' ? 0 : Number(/^Ao(\d+)$/.exec(cursorMark)?.[1] ?? 0);
  const found = find(world, query.get('query') ?? '');
  const resultType = query.get('resultType') ?? 'lite';
  return json({
    version: '6.9',
    hitCount: found.length,
    request: { queryString: query.get('query') ?? '', resultType, cursorMark, pageSize, sort: '', synonym: false },
    resultList: {
      result: found.slice(from, from + pageSize).map((work) => render(world, work, resultType === 'core')),
    },
  });
}

export const europePmc: Service = {
  name: 'europe_pmc',
  hosts: ['www.ebi.ac.uk', 'europepmc.org'],
  async handle(exchange): Promise<Reply> {
    const { path, world, query } = exchange;
    if (path === '/europepmc/webservices/rest/search') return search(exchange);
    const full = /^\/europepmc\/webservices\/rest\/(PMC\d+|PPR\d+)\/fullTextXML$/.exec(path)?.[1];
    const article =
      /^\/articles\/(PMC\d+)$/.exec(path)?.[1] ??
      (path === '/backend/ptpmcrender.fcgi' ? (query.get('accid') ?? '') : undefined);
    const work = world.byPmcid(full ?? article ?? '');
    const wanted = full === undefined ? 'pdf' : 'jats';
    const location = listedIn(work, 'europe_pmc').find(({ kind }) => kind === wanted);
    if (!location) return text('', 404);
    if (full === undefined && query.get('pdf') !== 'render' && path.startsWith('/articles/'))
      return page('Europe PMC', '<div id="app"></div>');
    return exchange.file(location);
  },
};
