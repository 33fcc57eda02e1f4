import { encodeDoi, shownLicense } from '../truth/shown.ts';
import { at } from '../world/identifiers.ts';
import { listedIn } from '../world/locations.ts';
import { abstractOf, author, issnOf, journalOf } from '../world/people.ts';
import { DOMAIN, TOPICS } from '../world/topics.ts';
import type { Location, Work } from '../world/types.ts';
import type { World } from '../world/world.ts';

const LISTED_AUTHORS = 100;

/** A work as an OpenAlex record; lists show at most 100 authors. */
export function renderWork(
  world: World,
  work: Work,
  inList: boolean,
  fields: readonly string[] | null = null,
): Record<string, unknown> {
  const { seed, profile } = world.parameters;
  const isReality = profile === 'reality';
  const shown = listedIn(work, 'openalex');
  const locations = shown.map((location) => renderLocation(world, work, location));
  const bestAt = bestOpen(shown);
  const doi = work.doiAsShown === null ? null : `https://doi.org/${work.doiAsShown}`;
  const authors = inList ? work.authors.slice(0, LISTED_AUTHORS) : work.authors;
  // Authors and abstract are expensive to generate, so lists that do not select them skip them.
  const wants = (field: string): boolean => fields === null || fields.includes(field);
  const abstract = wants('abstract_inverted_index') ? abstractOf(world, work) : null;
  const topics = work.topics.map(({ topic, score }) => renderTopic(topic, score));
  const best = bestAt === -1 ? null : locations[bestAt];
  const oaUrl = bestAt === -1 ? null : (shown[bestAt]?.url ?? null);
  const rendered: Record<string, unknown> = {
    id: `https://openalex.org/${work.id}`,
    doi,
    title: work.title,
    display_name: work.title,
    publication_year: work.year,
    publication_date: work.date,
    ids: {
      openalex: `https://openalex.org/${work.id}`,
      ...(doi && { doi }),
      ...(work.pmid && { pmid: `https://pubmed.ncbi.nlm.nih.gov/${work.pmid}` }),
      // Many PMC works are known only by page URL, without the "PMC" prefix.
      ...(work.pmcid &&
        !(isReality && work.index % 2 === 0) && { pmcid: `https://www.ncbi.nlm.nih.gov/pmc/articles/${work.pmcid}` }),
    },
    language: work.language,
    type: work.type,
    primary_location: locations[0] ?? null,
    best_oa_location: best,
    locations,
    open_access: {
      is_oa: best !== null,
      oa_status: best === null ? 'closed' : shown[bestAt]?.hostType === 'publisher' ? 'gold' : 'green',
      oa_url: oaUrl,
    },
    authorships: (wants('authorships') ? authors : []).map((index, position) =>
      renderAuthorship(seed, index, position, work.authors.length),
    ),
    ...(inList && work.authors.length > LISTED_AUTHORS && { is_authors_truncated: true }),
    primary_topic: topics[0] ?? null,
    topics,
    keywords: (TOPICS[work.topics[0]?.topic ?? 0]?.subjects ?? []).slice(0, 2).map((word) => ({
      id: `https://openalex.org/keywords/${word.replaceAll(' ', '-')}`,
      display_name: word,
      score: 0.6,
    })),
    awards: [],
    funders: [],
    has_fulltext: work.hasContent.pdf,
    has_content: { pdf: work.hasContent.pdf, grobid_xml: work.hasContent.tei },
    ...((work.hasContent.pdf || work.hasContent.tei) && {
      content_urls: {
        pdf: work.hasContent.pdf ? at('content.openalex.org', `/works/${work.id}.pdf`) : null,
        grobid_xml: work.hasContent.tei ? at('content.openalex.org', `/works/${work.id}.grobid-xml`) : null,
      },
    }),
    biblio: {
      volume: String(1 + (work.index % 40)),
      issue: null,
      first_page: String(1 + (work.index % 900)),
      last_page: String(10 + (work.index % 900)),
    },
    is_retracted: work.isRetracted,
    is_paratext: false,
    is_xpac: work.isXpac,
    cited_by_count: (world.columns.citedBy[work.index] ?? 0) + (work.said?.touched ? 3 : 0),
    referenced_works: [
      ...work.references.map((index) => `https://openalex.org/W${7_000_000_001 + index}`),
      ...work.danglingReferences.map((number) => `https://openalex.org/W${number}`),
    ],
    related_works: work.related.map((index) => `https://openalex.org/W${7_000_000_001 + index}`),
    abstract_inverted_index: abstract === null ? null : invert(abstract),
    updated_date: work.said ? '2026-02-10T03:00:00.000000' : '2026-01-14T03:00:00.000000',
    created_date: `${work.date}T00:00:00`,
  };
  // Records in the format before November 2025 ("Walden"): recorded in August 2025, still found in caches and mirrors.
  if (isReality && work.index % 3 === 2 && !work.hasContent.pdf && !work.hasContent.tei) {
    for (const field of ['has_content', 'content_urls', 'awards', 'funders', 'is_xpac']) delete rendered[field];
    rendered['grants'] = [];
  }
  return rendered;
}

/** The first open location with a file, else the first open one; −1 if all are closed. */
function bestOpen(shown: readonly Location[]): number {
  const withFile = shown.findIndex(({ isOa, kind }) => isOa && kind === 'pdf');
  return withFile === -1 ? shown.findIndex(({ isOa }) => isOa) : withFile;
}

function renderLocation(world: World, work: Work, location: Location): Record<string, unknown> {
  const host = world.host(location.host);
  const isPublisher = location.hostType === 'publisher';
  const isFile = location.kind === 'pdf';
  const license = shownLicense(location);
  const page = isFile
    ? isPublisher && work.doi !== null
      ? at('doi.org', `/${encodeDoi(work.doi)}`)
      : null
    : world.parameters.profile === 'reality' && location.host.startsWith('pmc.')
      ? at('www.ncbi.nlm.nih.gov', `/pmc/articles/${work.pmcid?.slice(3) ?? ''}`)
      : location.url;
  const id = locationId(work, location);
  return {
    ...(id && { id }),
    is_oa: location.isOa,
    landing_page_url: page,
    pdf_url: isFile ? location.url : null,
    source: {
      id: `https://openalex.org/S${4_000_000 + (host?.index ?? 900)}`,
      display_name: host ? journalOf(host) : location.host.replace('.sim.test', ''),
      issn_l: isPublisher ? issnOf(host) : null,
      issn: isPublisher ? [issnOf(host)] : null,
      is_oa: location.isOa,
      host_organization_name: host ? journalOf(host).split(' ')[0] : location.host,
      type: isPublisher ? 'journal' : 'repository',
    },
    license,
    license_id: license === null ? null : `https://openalex.org/licenses/${license}`,
    version: location.version ?? 'submittedVersion',
    is_published: location.version === 'publishedVersion',
    raw_source_name: host ? journalOf(host) : null,
    raw_type: isPublisher ? 'journal-article' : null,
  };
}

function locationId(work: Work, location: Location): string | null {
  if (work.arxivId !== null && location.host.includes('arxiv')) return `pmh:oai:arXiv.org:${work.arxivId}`;
  if (work.pmcid !== null && location.host.startsWith('pmc.'))
    return `pmh:oai:pubmedcentral.nih.gov:${work.pmcid.slice(3)}`;
  if (location.hostType === 'publisher' && work.doi !== null) return `doi:${work.doi}`;
  return null;
}

function renderAuthorship(seed: number, index: number, position: number, count: number): Record<string, unknown> {
  const person = author(seed, index);
  const { institution } = person;
  const affiliation = `${institution.name}, ${institution.country}`;
  return {
    author_position: position === 0 ? 'first' : position === count - 1 ? 'last' : 'middle',
    author: { id: person.id, display_name: person.name, orcid: person.orcid && `https://orcid.org/${person.orcid}` },
    institutions: [
      {
        id: institution.id,
        display_name: institution.name,
        ror: institution.ror,
        type: 'education',
        lineage: [institution.id],
      },
    ],
    is_corresponding: position === 0,
    raw_author_name: person.name,
    raw_affiliation_strings: [affiliation],
    affiliations: [{ raw_affiliation_string: affiliation, institution_ids: [institution.id] }],
  };
}

export function renderTopic(index: number, score?: number): Record<string, unknown> {
  const topic = TOPICS[index] ?? TOPICS[0];
  return {
    id: topic?.id,
    display_name: topic?.name,
    ...(score !== undefined && { score }),
    subfield: { id: `https://openalex.org/subfields/${topic?.subfield[0]}`, display_name: topic?.subfield[1] },
    field: { id: `https://openalex.org/fields/${topic?.field[0]}`, display_name: topic?.field[1] },
    domain: DOMAIN,
  };
}

function invert(abstract: string): Record<string, number[]> {
  const index: Record<string, number[]> = Object.create(null) as Record<string, number[]>;
  for (const [position, word] of abstract.split(' ').entries()) (index[word] ??= []).push(position);
  return index;
}
