import type { Stream } from '../random/stream.ts';
import { stream } from '../random/stream.ts';
import { arxivId, crossrefDoi, numberOf, osfGuid, pad, shownDoi } from './identifiers.ts';
import { TOPICS } from './topics.ts';
import type { Profile, Work, WorkType, WorldParameters } from './types.ts';
import { METHODS, QUALIFIERS, SETTINGS } from './words.ts';

/** Shares of the archetypes in per mille; they add up to 1,000. */
const SHARES = [
  ['A1', 200],
  ['A2', 130],
  ['A3', 90],
  ['A4', 90],
  ['A5', 90],
  ['A6', 20],
  ['A7', 40],
  ['A8-semantic_scholar', 15],
  ['A8-core', 15],
  ['A8-doaj', 15],
  ['A8-hal', 15],
  ['A8-openaire', 15],
  ['A9-zenodo', 15],
  ['A9-figshare', 15],
  ['A9-osf', 15],
  ['A10', 20],
  ['A11', 20],
  ['A12', 30],
  ['A13', 100],
  ['A14', 50],
] as const;

/** Shares in the `reality` world: more copies with their own DOIs, and more sources. */
const REALITY_SHARES = [
  ...SHARES.map(([archetype, share]) => [archetype, share - (share >= 90 ? 30 : 0)] as const),
  ['B-version', 40],
  ['B-doi', 20],
  ['B-datacite', 20],
  ['B-springer_nature', 20],
  ['B-wiley_tdm', 15],
  ['B-elsevier_tdm', 15],
  ['B-promised', 25],
  ['B-fulltext', 25],
] as const;

/** How a work can be obtained: by which source, only or first. */
export type Archetype = (typeof REALITY_SHARES)[number][0];

/**
 * The first works of the `reality` world: for every resolver one that only it can obtain, so that a small world has all
 * of them. Order matters: the third, ninth and twelfth depend on ids that other resolvers know too.
 */
const PLANTED: readonly Archetype[] = [
  'A5',
  'A8-semantic_scholar',
  'A3',
  'A4',
  'A6',
  'A7',
  'B-doi',
  'A8-core',
  'A8-doaj',
  'A5',
  'A8-hal',
  'A8-openaire',
  'A9-zenodo',
  'A9-figshare',
  'A9-osf',
  'A10',
  'A11',
  'A12',
  'B-version',
  'B-datacite',
  'B-springer_nature',
  'B-wiley_tdm',
  'B-elsevier_tdm',
  // Open according to the record but unreachable: a Retry-After of a year, and an unresolvable name.
  'A14',
  'A14',
];

/** Whether a work exists for a single resolver. */
export function isPlanted({ profile }: Pick<WorldParameters, 'profile'>, index: number): boolean {
  return profile === 'reality' && index < PLANTED.length;
}

/** A work without its locations. */
export type WorkCore = Omit<Work, 'locations' | 'doiTarget' | 'doiHops'>;

const WITHOUT_DOI_ALLOWED: ReadonlySet<Archetype> = new Set(['A1', 'A2', 'A4', 'A12', 'A13']);
const TWINNED: ReadonlySet<Archetype> = new Set(['A1', 'A2', 'A3']);
const WITH_NASTY_DOI_ALLOWED: ReadonlySet<Archetype> = new Set(['A1', 'A2', 'A3', 'A6', 'A7', 'A8-doaj', 'A8-hal']);

/** The slot of a work among 1,000; works of one archetype have adjacent slots. */
export function slotOf(seed: number, index: number): number {
  // 617 is coprime to 1,000 and near its golden section: every slot is used once, and any range is evenly mixed.
  return (index * 617 + (seed % 1_000) * 61) % 1_000;
}

/**
 * The archetype of a work. Shares are exact in every 1,000 works and even within, so that small worlds are mixed too
 * and the number of obtainable works does not vary.
 */
export function archetypeOf(seed: number, index: number, profile: Profile): Archetype {
  const planted = isPlanted({ profile }, index) ? PLANTED[index] : undefined;
  if (planted !== undefined) return planted;
  const slot = slotOf(seed, index);
  let passed = 0;
  for (const [archetype, share] of profile === 'reality' ? REALITY_SHARES : SHARES) {
    passed += share;
    if (slot < passed) return archetype;
  }
  return 'A1';
}

/** The work of that number, without locations. `publishers` is the number of venues. */
export function generateCore(parameters: WorldParameters, index: number, publishers: readonly string[]): WorkCore {
  const { seed } = parameters;
  const draw = stream(seed, 'work', index);
  // One work in a hundred is the preprint of the previous one: same title and DOI, another id.
  const twin = index % 50 === 7 && TWINNED.has(archetypeOf(seed, index - 1, parameters.profile)) ? index - 1 : null;
  const archetype = twin === null ? archetypeOf(seed, index, parameters.profile) : 'A1';
  const year = 2008 + Math.floor(18 * draw.next() ** 0.6);
  const date = `${year}-${pad(1 + draw.below(12))}-${pad(1 + draw.below(28))}`;
  const topics = pickTopics(draw);
  const source = draw.below(publishers.length);
  const venue = publishers[source] ?? 'venue';
  const original = twin === null ? null : generateCore(parameters, twin, publishers);
  const identity = identify({ parameters, index, archetype, venue, year, date });
  const isRetracted = (archetype !== 'A5' || parameters.profile === 'reality') && draw.chance(0.03);
  return {
    index,
    id: `W${7_000_000_001 + index}`,
    archetype,
    ...identity,
    doi: original ? original.doi : identity.doi,
    doiAsShown: original ? original.doiAsShown : identity.doiAsShown,
    agency: original ? original.agency : identity.agency,
    title: original ? original.title : titleOf(draw, topics[0]?.topic ?? 0),
    type: twin === null ? typeOf(archetype, draw) : 'preprint',
    year,
    date,
    language: draw.chance(0.06) ? draw.pick(['de', 'ru']) : 'en',
    topics,
    authors: pickAuthors(parameters, draw),
    source,
    ...references(parameters, index),
    hasAbstract: !draw.chance(0.05),
    isRetracted,
    isXpac: archetype.startsWith('A9') && draw.chance(0.2) && !isPlanted(parameters, index),
    duplicateOf: twin,
    hasContent: {
      pdf: archetype === 'A11' || (archetype === 'A1' && draw.chance(0.1)),
      tei: archetype === 'A11' && draw.chance(0.6),
    },
  };
}

function pickTopics(draw: Stream): WorkCore['topics'] {
  const primary = draw.below(TOPICS.length);
  const topics = [{ topic: primary, score: 0.9 + Math.round(draw.next() * 99) / 1_000 }];
  for (let more = draw.below(3); more > 0; more -= 1) {
    const topic = (primary + 1 + draw.below(TOPICS.length - 1)) % TOPICS.length;
    if (!topics.some((known) => known.topic === topic))
      topics.push({ topic, score: 0.3 + Math.round(draw.next() * 500) / 1_000 });
  }
  return topics;
}

function titleOf(draw: Stream, topic: number): string {
  const subject = draw.pick(TOPICS[topic]?.subjects ?? ['systems']);
  return `${draw.pick(METHODS)} of ${draw.pick(QUALIFIERS)} ${subject} ${draw.pick(SETTINGS)}: case ${draw.below(9_000) + 1_000}`;
}

function typeOf(archetype: Archetype, draw: Stream): WorkType {
  if (archetype === 'A4' || archetype === 'A10' || archetype === 'A9-osf') return 'preprint';
  if (archetype === 'A13') return draw.pick(['article', 'article', 'dataset', 'book-chapter']);
  return draw.pick(['article', 'article', 'article', 'review', 'book-chapter']);
}

function pickAuthors(parameters: WorldParameters, draw: Stream): number[] {
  const pool = Math.max(60, parameters.works * 2);
  const count = draw.chance(0.01) ? 300 : 1 + draw.below(8);
  const first = draw.below(pool);
  return Array.from({ length: count }, (_, at) => (at === 0 ? first : (first + at * (1 + draw.below(17))) % pool));
}

/** Preferential attachment without history: the cube of a uniform draw favours early, highly cited works. */
function references(
  parameters: WorldParameters,
  index: number,
): Pick<WorkCore, 'references' | 'danglingReferences' | 'related'> {
  const draw = stream(parameters.seed, 'references', index);
  const wanted = 8 + draw.below(29);
  const cited = new Set<number>();
  let dangling = 0;
  for (let at = 0; at < wanted; at += 1) {
    const chosen = Math.floor(index * draw.next() ** 3);
    if (draw.chance(0.03)) dangling += 1;
    else if (index > 0) cited.add(chosen);
  }
  return {
    references: [...cited],
    danglingReferences: Array.from({ length: dangling }, (_, at) => 6_900_000_000 + index * 10 + at),
    related: index < 5 ? [] : Array.from({ length: 3 }, () => draw.below(index)),
  };
}

interface Naming {
  readonly parameters: WorldParameters;
  readonly index: number;
  readonly archetype: Archetype;
  readonly venue: string;
  readonly year: number;
  readonly date: string;
}

function identify(
  naming: Naming,
): Pick<WorkCore, 'doi' | 'doiAsShown' | 'agency' | 'arxivId' | 'arxivVersions' | 'pmcid' | 'pmid'> {
  const { parameters, index, archetype, venue, year, date } = naming;
  const draw = stream(parameters.seed, 'identifiers', index);
  const number = numberOf(index);
  const arxiv = archetype === 'A4' ? arxivId(index, draw) : null;
  const hasDoi = !WITHOUT_DOI_ALLOWED.has(archetype) || !draw.chance(0.12);
  const nasty = WITH_NASTY_DOI_ALLOWED.has(archetype) && draw.chance(0.04) ? draw.below(7) : null;
  const [doi, agency] = ((): readonly [string, 'crossref' | 'datacite'] => {
    if (arxiv !== null) return [`10.48550/arxiv.${arxiv}`, 'datacite'];
    if (archetype === 'A9-zenodo') return [`10.5281/zenodo.1${number}`, 'datacite'];
    if (archetype === 'A9-figshare') return [`10.6084/m9.figshare.2${number}`, 'datacite'];
    if (archetype === 'A9-osf') return [`10.31219/osf.io/${osfGuid(index)}`, 'crossref'];
    if (archetype === 'A10') return [`10.1101/${date.replaceAll('-', '.')}.${number}`, 'crossref'];
    if (archetype === 'B-datacite') return [`10.5072/repo.${number}`, 'datacite'];
    if (archetype === 'B-springer_nature') return [`10.1186/s${number}`, 'crossref'];
    if (archetype === 'B-wiley_tdm') return [`10.1002/sim.${number}`, 'crossref'];
    if (archetype === 'B-elsevier_tdm') return [`10.1016/j.sim.${year}.${number}`, 'crossref'];
    return [crossrefDoi(index, venue, year, nasty), 'crossref'];
  })();
  const isBiomedical = archetype === 'A5';
  return {
    doi: hasDoi ? doi.toLowerCase() : null,
    doiAsShown: hasDoi ? shownDoi(doi, nasty) : null,
    agency: hasDoi ? agency : null,
    arxivId: arxiv,
    arxivVersions: arxiv === null ? 0 : 1 + draw.below(3),
    pmcid: isBiomedical ? `PMC${number}` : null,
    pmid: isBiomedical ? `3${number}` : null,
  };
}
