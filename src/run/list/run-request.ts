import { existsSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { extname, resolve, sep } from 'node:path';

import { AppError, filesBelow, sha256File } from '../../base/index.ts';
import type { Config } from '../../config/index.ts';
import { wallOf } from '../../download/index.ts';
import type { Asking } from '../download/open-download.ts';
import type { Runtime } from '../queue/open-queue.ts';
import type { WantedWorks } from './provider.ts';
import { asksOpenAlex, checkWanted, openAlexAccess, namedWorks, wantedListings, wantedWorks } from './provider.ts';
import { checkDownload, checkFolder, openAsking } from '../download/open-download.ts';
import { hostRates } from '../download/open-admission.ts';
import { SIMULATED_CONTACT } from './simulated-web.ts';
import { sniff } from '../../parse/index.ts';
import type { OpenAlexEnd, OpenAlexQuery, OpenAlexSample, Work } from '../../works/index.ts';
import { parseZotero, sampleOpenAlex } from '../../works/index.ts';
import { asksAboutPapers } from '../papers/document-filing.ts';
import type { RunAsked, SkippedFile } from '../run-file.ts';
import { readRunFile } from '../run-file.ts';

/** Without topic, ids or input, the folder's last request is repeated. */
export interface RunRequest extends RunAsked {
  /** Where to stop: after downloading the files, or after indexing, the default. */
  readonly until?: 'files' | 'index' | undefined;
}

export interface WantedDocuments {
  readonly ids: readonly string[];
  /** Entries of lists without an id: they are searched for by title. */
  readonly unidentified: readonly string[];
  /** The only works that are downloaded, and those found for entries among them; undefined for all. */
  readonly only: Set<string> | undefined;
  /** Its `input` has only lists of works. */
  readonly wanted: WantedWorks;
  /** Files and folders of papers of the user. */
  readonly papers: readonly string[];
  readonly config: Config;
}

/** The given request, or the folder's last one, with the contact address that is set now, if one is. */
export async function askedFor(folder: string, given: RunAsked, contact: string): Promise<RunAsked> {
  const { ids = [], input, mailto = ['', SIMULATED_CONTACT].includes(contact) ? undefined : contact, works } = given;
  if (asksOpenAlex(given) || input !== undefined || ids.length > 0)
    return Object.fromEntries(Object.entries({ ...given, ids, mailto }).filter(([, value]) => value !== undefined));
  const before = await readRunFile(folder);
  const changed = { ...(mailto !== undefined && { mailto }), ...(works !== undefined && { works }) };
  if (before) return { ...before.asked, ...changed };
  if (works !== undefined) return changed;
  throw new AppError('USAGE_NOTHING_TO_RUN', 'no works or papers given', {
    hint: 'give a topic, ids, input files, or the folder of an earlier run; docstokg run --help shows examples',
  });
}

/** Separates papers from lists of works, and applies the given contact address. */
export function wantedDocuments(
  asked: RunAsked,
  config: Config,
  choose?: (which: string) => ReadonlySet<string>,
): WantedDocuments {
  const { ids = [], input = [], mailto, works, ...wanted } = asked;
  const only = works === undefined || !choose ? undefined : new Set(choose(works));
  if (only?.size === 0)
    throw new AppError('USAGE_WORKS', `no works are "${works ?? ''}" here`, {
      hint: 'docstokg screen decides which are included',
    });
  // Without another request, the selected works are the request.
  const isAll = ids.length === 0 && input.length === 0 && !asksOpenAlex(asked);
  const chosen = only && isAll ? [...only] : undefined;
  return {
    ids: chosen?.filter((id) => !id.startsWith('entry:')) ?? ids,
    unidentified: chosen?.filter((id) => id.startsWith('entry:')) ?? [],
    only,
    wanted: { ...wanted, input: input.filter((path) => !isPapers(path)) } satisfies WantedWorks,
    papers: input.filter(isPapers),
    config: {
      ...config,
      http: {
        ...config.http,
        contact: mailto ?? config.http.contact,
        // Naming the local Zotero allows requests to it.
        allow: [...config.http.allow, ...(input.some((path) => parseZotero(path)?.isLocal) ? ['127.0.0.1:23119'] : [])],
      },
    },
  };
}

/** Rejects an invalid request before anything is created. */
export function checkDocuments(documents: WantedDocuments): void {
  checkWanted(documents.ids, documents.wanted);
  for (const path of documents.papers) {
    if (!existsSync(path))
      throw new AppError('USAGE_INPUT', `--input ${path}: no such file or folder`, { hint: 'check the path' });
  }
  if (wantsWorks(documents) || asksAboutPapers(documents.config)) checkDownload(documents.config);
  else checkFolder(documents.config.download.out);
}

/** False if there are only papers of the user. */
export function wantsWorks({ ids, unidentified, wanted }: WantedDocuments): boolean {
  return ids.length > 0 || unidentified.length > 0 || asksOpenAlex(wanted) || (wanted.input?.length ?? 0) > 0;
}

/** A folder, or a file that is a paper and not a list of works. */
function isPapers(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isDirectory() === true || /\.(pdf|x?html?|n?xml)(\.gz)?$/i.test(path);
}

/** A file's type is at its beginning; a wall is a small page. */
const LOOK_BYTES = 256 * 1024;
const NO_PAGE = new URL('file:///');

/** Finds papers by content, each once; login and error pages are none. Ignores hidden files and `except`. */
export async function findOwnPapers(inputs: readonly string[], except: string) {
  const own = resolve(except) + sep;
  const files = [...new Set(inputs.flatMap(filesBelow).map((path) => resolve(path)))].filter(
    (path) => !path.startsWith(own),
  );
  const papers: string[] = [];
  const skipped: SkippedFile[] = [];
  const bySize = new Map<number, string[]>();
  for (const file of files) {
    const { size } = statSync(file);
    const fault = await faultOf(file, size);
    if (fault) {
      skipped.push({ file, ...fault });
      continue;
    }
    const same = await copyOf(file, bySize.get(size) ?? []);
    if (same !== undefined) {
      skipped.push({ file, reason: 'copy', detail: `the same bytes as ${same}` });
      continue;
    }
    bySize.set(size, [...(bySize.get(size) ?? []), file]);
    papers.push(file);
  }
  return { papers, skipped };
}

/** Why a file is not a paper; undefined if it may be one. */
async function faultOf(file: string, size: number): Promise<Pick<SkippedFile, 'reason' | 'detail'> | undefined> {
  if (size === 0) return { reason: 'empty-body', detail: 'an empty file' };
  const start = await firstBytes(file);
  // The reader of compressed files unpacks and checks them.
  if (start[0] === 0x1f && start[1] === 0x8b && /\.(?:n?xml|x?html?|pdf)\.gz$/i.test(file)) return undefined;
  const kind = sniff(start);
  if (kind === 'unknown' || kind === 'xml')
    return {
      reason: 'wrong-kind',
      detail: kind === 'xml' ? 'XML, but neither JATS nor TEI' : `no PDF, HTML, JATS or TEI${ending(file)}`,
    };
  if (kind !== 'html') return undefined;
  const wall = wallOf({ status: 200, url: NO_PAGE, headers: {}, text: Buffer.from(start).toString('utf8') });
  return wall === undefined ? undefined : { reason: wall, detail: 'a web page in place of the paper' };
}

function ending(file: string): string {
  const name = extname(file).toLowerCase();
  return name === '' || name === '.pdf' ? '' : `, but ${name}`;
}

async function firstBytes(file: string): Promise<Uint8Array> {
  await using handle = await open(file, 'r');
  const buffer = Buffer.alloc(LOOK_BYTES);
  const { bytesRead } = await handle.read(buffer, 0, LOOK_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}

/** A file with the same bytes, among others of the same size. */
async function copyOf(file: string, others: readonly string[]): Promise<string | undefined> {
  if (others.length === 0) return undefined;
  const hash = await sha256File(file);
  for (const other of others) if ((await sha256File(other)) === hash) return other;
  return undefined;
}

export async function* findWorks(
  documents: WantedDocuments,
  runtime: Runtime,
  signal: AbortSignal,
): AsyncGenerator<Work, void> {
  checkDocuments(documents);
  await using asking = openAsking(documents.config, runtime);
  yield* wantedWorks(documents.ids, documents.wanted, unrecorded(asking, runtime, signal));
}

function unrecorded(asking: Asking, { clock, log }: Runtime, signal: AbortSignal) {
  const tell = (message: string): void => log('info', message);
  return { ...asking, records: undefined, statePath: undefined, clock, signal, tell };
}

/** How many works a request would list, and what of them is open. */
export interface Estimate {
  /** Works that are both named and listed count twice. */
  readonly works: number;
  /** Citations are followed for more than one step, so the number of works is a minimum. */
  readonly at_least: boolean;
  /** The user's own papers, which are not downloaded. */
  readonly papers: number;
  /** Works that were looked at, to see how many are open and at which hosts. */
  readonly sampled: number;
  /** Works with an open copy known to OpenAlex, extrapolated from the sample. */
  readonly likely_open: number;
  /** What OpenAlex charges, in its credits and in dollars. */
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
  /** The hosts that take longest, with the rate at which they may be asked. */
  readonly hosts: readonly {
    readonly host: string;
    readonly works: number;
    readonly per_second: number;
    readonly hours: number;
  }[];
  /** Of the open copies. */
  readonly gigabytes: number;
  /** What the estimate assumes. */
  readonly assumed: typeof ASSUMED;
}

type Part = Awaited<ReturnType<typeof namedPart>>;

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
const HOSTS_SHOWN = 5;

export async function estimateWorks(
  documents: WantedDocuments,
  runtime: Runtime,
  signal: AbortSignal,
): Promise<Estimate> {
  checkDocuments(documents);
  const { config, ids, wanted } = documents;
  await using asking = openAsking(config, runtime);
  const parts = [await namedPart(documents, asking, runtime, signal)];
  for (const query of await wantedListings(ids, wanted, { ...asking, signal }))
    parts.push(await listedPart(query, wanted.max ?? Infinity, asking, signal));
  const works = Math.min(
    wanted.max ?? Infinity,
    sumOf(parts, (part) => part.works),
  );
  const hosts = hostsOf(parts, asking, config);
  const open = sumOf(parts, ({ sample, weight }) => sample.filter(({ isOpen }) => isOpen === true).length * weight);
  const credits = sumOf(parts, (part) => part.pages * part.creditsPerPage);
  const listingHours =
    sumOf(parts, ({ pages }) => pages) /
    hostRates(config, asking.services)(asking.services.base('openalex').host) /
    3600;
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
      spent: sumOf(parts, (part) => part.spentPages * part.creditsPerPage),
      left_usd: parts.findLast(({ leftUsd }) => leftUsd !== null)?.leftUsd ?? null,
    },
    hours: rounded(Math.max(listingHours, hosts[0]?.hours ?? 0)),
    hosts: hosts.slice(0, HOSTS_SHOWN),
    gigabytes: rounded((open * ASSUMED.megabytes_per_work) / 1000),
    assumed: ASSUMED,
  };
}

/** Works named individually: OpenAlex is queried for a sample of them. */
async function namedPart({ ids, wanted }: WantedDocuments, asking: Asking, runtime: Runtime, signal: AbortSignal) {
  const works = await Array.fromAsync(namedWorks(ids, wanted, unrecorded(asking, runtime, signal)));
  const known = works.flatMap((work) => conditionOf(work) ?? []);
  const step = Math.max(1, known.length / ASSUMED.sample);
  const chosen = Array.from(
    { length: Math.min(known.length, ASSUMED.sample) },
    (_, at) => known[Math.floor(at * step)] ?? [],
  ).flat();
  const samples: OpenAlexSample[] = [];
  for (const [field, conditions] of Map.groupBy(chosen, (condition) => condition.field))
    for (let at = 0; at < conditions.length; at += IDS_TOGETHER) {
      const values = conditions.slice(at, at + IDS_TOGETHER).map(({ value }) => value);
      samples.push(await sampled({ filter: `${field}:${values.join('|')}` }, PER_PAGE, asking, signal));
    }
  return {
    works: works.length,
    sample: samples.flatMap((sample) => sample.works) as readonly Work[],
    /** How many works one of the sample represents, including unknown works that are not in it. */
    weight: works.length / Math.max(1, chosen.length),
    pages: 0,
    creditsPerPage: ASSUMED.credits_per_page as number,
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

async function listedPart(query: OpenAlexQuery, max: number, asking: Asking, signal: AbortSignal): Promise<Part> {
  const { total, subject, works, pages, budget } = await sampled(query, ASSUMED.sample, asking, signal);
  const wanted = Math.min(total, max);
  return {
    works: wanted,
    sample: works,
    weight: wanted / Math.max(1, works.length),
    pages: Math.max(1, Math.ceil(wanted / PER_PAGE)),
    creditsPerPage: subject.kind === 'search' ? ASSUMED.credits_per_search_page : ASSUMED.credits_per_page,
    spentPages: pages,
    leftUsd: budget?.remainingUsd ?? null,
  };
}

async function sampled(
  query: OpenAlexQuery,
  size: number,
  asking: Asking,
  signal: AbortSignal,
): Promise<OpenAlexSample> {
  const found = await sampleOpenAlex(query, size, { ...openAlexAccess(asking), signal });
  if (found.kind === 'sample') return found;
  throw new AppError('ESTIMATE_FAILED', `OpenAlex cannot be reached: ${inWords(found)}`, {
    hint: found.kind === 'failed' ? (found.hint ?? 'try again later') : 'try again then, or set an OpenAlex key',
  });
}

function inWords(end: OpenAlexEnd): string {
  if (end.kind === 'failed') return end.message;
  return end.kind === 'later' ? `it accepts requests again at ${new Date(end.resumesAt).toISOString()}` : end.kind;
}

function hostsOf(parts: readonly Part[], asking: Asking, config: Config) {
  const works = new Map<string, number>();
  for (const { sample, weight } of parts)
    for (const work of sample) {
      const host = hostOf(work, asking);
      if (host !== undefined) works.set(host, (works.get(host) ?? 0) + weight);
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

function sumOf<T>(items: readonly T[], read: (item: T) => number): number {
  return items.reduce((sum, item) => sum + read(item), 0);
}

/** Three digits are precise enough for an estimate. */
function rounded(value: number): number {
  return Number(value.toPrecision(3));
}
