import { AppError } from '../base/index.ts';
import type { Config } from '../config/index.ts';
import type { Asking, Runtime } from '../harvest/index.ts';
import { hostRates, namedWorks, openAsking, wantedListings } from '../harvest/index.ts';
import type { OpenAlexEnd, OpenAlexQuery, OpenAlexSample, Work } from '../works/index.ts';
import { sampleOpenAlex } from '../works/index.ts';
import type { WantedDocuments } from './gather-request.ts';
import { checkDocuments } from './gather-request.ts';
import { findOwnPapers } from './own-papers.ts';

/** What a request would download and cost. */
export interface Estimate {
  /** Works named or listed; those that are both count twice. */
  readonly works: number;
  /** Citations are followed for more than one step, so the number of works is a minimum. */
  readonly at_least: boolean;
  /** The user's own papers, which are not downloaded. */
  readonly papers: number;
  /** Works that were looked at. */
  readonly sampled: number;
  /** Works with an open copy known to OpenAlex, extrapolated from the sample. */
  readonly likely_open: number;
  readonly credits: {
    /** Cost of listing all works. */
    readonly listing: number;
    readonly usd: number;
    /** Cost of this estimate. */
    readonly spent: number;
    /** Today's remaining budget, as OpenAlex reports it; null if unknown. */
    readonly left_usd: number | null;
  };
  /** Minimum duration: that of the slowest host, or of the listing. */
  readonly hours: number;
  /** Hosts with the most works, slowest first. */
  readonly hosts: readonly HostShare[];
  readonly gigabytes: number;
  /** The assumptions behind the figures. */
  readonly assumed: typeof ASSUMED;
}

interface HostShare {
  readonly host: string;
  readonly works: number;
  readonly per_second: number;
  readonly hours: number;
}

/** Works of one kind, and a sample of them. */
interface Part {
  readonly works: number;
  readonly sample: readonly Work[];
  /** How many works the sample represents, including unknown works that are not in it. */
  readonly asked: number;
  readonly pages: number;
  readonly isSearch: boolean;
  readonly spentPages: number;
  readonly leftUsd: number | null;
}

/** Assumptions: no service documents these, and they vary between fields. */
const ASSUMED = {
  /** Works sampled to see how many are open, and at which hosts. */
  sample: 100,
  usd_per_credit: 0.0001,
  credits_per_page: 1,
  credits_per_search_page: 10,
  megabytes_per_work: 2,
  /** The file and, in some cases, its landing page. */
  requests_per_work: 1.5,
} as const;

const PER_PAGE = 100;
const IDS_TOGETHER = 50;
const HOSTS_TOLD = 5;

/** Asks OpenAlex how many works there are and samples some; downloads and writes nothing. */
export async function estimateWorks(
  documents: WantedDocuments,
  runtime: Runtime,
  signal: AbortSignal,
): Promise<Estimate> {
  checkDocuments(documents);
  const { config, ids, wanted } = documents;
  await using asking = openAsking(config, runtime);
  const named = await namedPart(documents, asking, runtime, signal);
  const parts: Part[] = named.works > 0 ? [named] : [];
  for (const query of await wantedListings(ids, wanted, { ...asking, signal }))
    parts.push(await listedPart(query, wanted.max, { asking, config, signal }));
  const left = Math.max(0, (wanted.max ?? Infinity) - named.works);
  const listed = parts.slice(named.works > 0 ? 1 : 0).reduce((sum, { works }) => sum + works, 0);
  const works = Math.min(named.works, wanted.max ?? Infinity) + Math.min(left, listed);
  const hosts = hostsOf(parts, asking, config);
  const open = parts.reduce((sum, part) => sum + part.works * shareOf(part, ({ isOpen }) => isOpen === true), 0);
  const credits = sumOf(parts, (part) => part.pages * creditsOf(part));
  const listingHours =
    sumOf(parts, ({ pages }) => pages) / hostRates(config, asking.services)(openAlexHost(asking)) / 3600;
  const own = await findOwnPapers(documents.papers, config.download.out);
  return {
    works,
    at_least: (wanted.depth ?? 1) > 1,
    papers: own.papers.length,
    sampled: sumOf(parts, ({ sample }) => sample.length),
    likely_open: Math.round(open),
    credits: {
      listing: credits,
      usd: rounded(credits * ASSUMED.usd_per_credit),
      spent: sumOf(parts, (part) => part.spentPages * creditsOf(part)),
      left_usd: parts.findLast(({ leftUsd }) => leftUsd !== null)?.leftUsd ?? null,
    },
    hours: rounded(Math.max(listingHours, hosts[0]?.hours ?? 0)),
    hosts: hosts.slice(0, HOSTS_TOLD),
    gigabytes: rounded((open * ASSUMED.megabytes_per_work) / 1000),
    assumed: ASSUMED,
  };
}

function creditsOf({ isSearch }: Part): number {
  return isSearch ? ASSUMED.credits_per_search_page : ASSUMED.credits_per_page;
}

/** Works named individually: OpenAlex is queried for a sample of them. */
async function namedPart(
  { ids, wanted }: WantedDocuments,
  asking: Asking,
  runtime: Runtime,
  signal: AbortSignal,
): Promise<Part> {
  const tell = (message: string): void => runtime.log('info', message);
  const parts = { ...asking, records: undefined, clock: runtime.clock };
  const works = await Array.fromAsync(namedWorks(ids, wanted, { ...parts, signal, tell, statePath: undefined }));
  const known = works.flatMap((work) => conditionOf(work) ?? []);
  const step = Math.max(1, known.length / ASSUMED.sample);
  const chosen = Array.from(
    { length: Math.min(known.length, ASSUMED.sample) },
    (_, at) => known[Math.floor(at * step)],
  );
  const groups = [
    ...Map.groupBy(
      chosen.filter((each) => each !== undefined),
      ({ field }) => field,
    ),
  ].flatMap(([field, values]) =>
    Array.from({ length: Math.ceil(values.length / IDS_TOGETHER) }, (_, at) => ({
      filter: `${field}:${values
        .slice(at * IDS_TOGETHER, (at + 1) * IDS_TOGETHER)
        .map(({ value }) => value)
        .join('|')}`,
    })),
  );
  const samples = [];
  for (const query of groups) samples.push(await sampled(query, PER_PAGE, { asking, signal }));
  return {
    works: works.length,
    sample: samples.flatMap((sample) => sample.works),
    asked: chosen.length,
    pages: 0,
    isSearch: false,
    spentPages: sumOf(samples, ({ pages }) => pages),
    leftUsd: samples.at(-1)?.budget?.remainingUsd ?? null,
  };
}

/** The OpenAlex filter for a work by one of its ids; omits a DOI that would break the filter. */
function conditionOf({ ids }: Work): { readonly field: string; readonly value: string } | undefined {
  if (ids.openalex !== null) return { field: 'openalex', value: ids.openalex };
  if (ids.doi !== null && !/[|,"!]/.test(ids.doi)) return { field: 'doi', value: ids.doi };
  return ids.pmid === null ? undefined : { field: 'pmid', value: ids.pmid };
}

async function listedPart(
  query: OpenAlexQuery,
  max: number | undefined,
  parts: { readonly asking: Asking; readonly config: Config; readonly signal: AbortSignal },
): Promise<Part> {
  const { total, subject, works, pages, budget } = await sampled(query, ASSUMED.sample, parts);
  const wanted = Math.min(total, max ?? Infinity);
  return {
    works: wanted,
    sample: works,
    asked: works.length,
    pages: Math.max(1, Math.ceil(wanted / PER_PAGE)),
    isSearch: subject.kind === 'search',
    spentPages: pages,
    leftUsd: budget?.remainingUsd ?? null,
  };
}

async function sampled(
  query: OpenAlexQuery,
  size: number,
  { asking, signal }: { readonly asking: Asking; readonly signal: AbortSignal },
): Promise<OpenAlexSample> {
  const { send, services, contact } = asking;
  const found = await sampleOpenAlex(query, size, {
    send,
    baseUrl: services.base('openalex'),
    credentials: services.credentials('openalex'),
    mailto: contact,
    signal,
  });
  if (found.kind === 'sample') return found;
  throw new AppError('ESTIMATE_FAILED', `OpenAlex cannot be reached: ${inWords(found)}`, {
    hint: found.kind === 'failed' ? (found.hint ?? 'try again later') : 'try again then, or set an OpenAlex key',
  });
}

function inWords(end: OpenAlexEnd): string {
  if (end.kind === 'failed') return end.message;
  if (end.kind === 'budget-spent' || end.kind === 'held')
    return `it answers again at ${new Date(end.resumesAt).toISOString()}`;
  return end.kind;
}

/** Hosts of the sampled open works, with extrapolated numbers of works. */
function hostsOf(parts: readonly Part[], asking: Asking, config: Config): HostShare[] {
  const works = new Map<string, number>();
  for (const part of parts) {
    for (const work of part.sample) {
      const host = hostOf(work, asking);
      if (host !== undefined) works.set(host, (works.get(host) ?? 0) + part.works / Math.max(1, part.asked));
    }
  }
  const rateOf = hostRates(config, asking.services);
  return Array.from(works, ([host, count]) => {
    const rate = rateOf(host);
    const hours = (count * ASSUMED.requests_per_work) / rate / 3600;
    return { host, works: Math.round(count), per_second: rounded(rate), hours: rounded(hours) };
  }).toSorted((a, b) => b.hours - a.hours || b.works - a.works || a.host.localeCompare(b.host));
}

/** The host requested first for a work, in the order of the resolvers; undefined for a closed work. */
function hostOf({ ids, isOpen, locations }: Work, { services }: Asking): string | undefined {
  if (isOpen !== true) return undefined;
  if (ids.arxiv !== null) return services.base('arxiv').host;
  if (ids.pmcid !== null) return services.base('pmc').host;
  const place = locations.find((location) => location.isOpen);
  return URL.parse(place?.pdfUrl ?? place?.landingUrl ?? '')?.host;
}

function shareOf({ sample, asked }: Part, fits: (work: Work) => boolean): number {
  return asked === 0 ? 0 : sample.filter(fits).length / asked;
}

function openAlexHost({ services }: Asking): string {
  return services.base('openalex').host;
}

function sumOf<T>(items: readonly T[], read: (item: T) => number): number {
  return items.reduce((sum, item) => sum + read(item), 0);
}

/** Three digits are precise enough for an estimate. */
function rounded(value: number): number {
  return Number(value.toPrecision(3));
}
