import { createHash } from 'node:crypto';

import { zipfTable } from '../random/stream.ts';
import { locate } from './archetypes.ts';
import { generateHosts, soloHostNamed } from './hosts.ts';
import { arxivIndex, indexesIn, osfIndex } from './identifiers.ts';
import type { MonthEvent } from './month.ts';
import { aboutOf, eventOf, workAt } from './month.ts';
import type { HostChoice } from './locations.ts';
import { listedIn } from './locations.ts';
import { TOPICS } from './topics.ts';
import type { Host, Location, Work, WorldParameters } from './types.ts';
import type { WorkCore } from './work.ts';
import { generateCore } from './work.ts';

export const WORLD_DATE = Date.UTC(2026, 0, 15);

const POPULARITY_EXPONENT = 1.07;
const KEPT_WORKS = 20_000;

/** Columns for lists and filters, so that 100,000 works can be searched without generating them. */
export interface Columns {
  readonly title: string[];
  readonly year: Uint16Array;
  readonly topics: Uint32Array;
  readonly citedBy: Uint32Array;
  readonly flags: Uint16Array;
}

export const FLAG = {
  open: 1,
  doi: 2,
  retracted: 4,
  pmcid: 8,
  content: 16,
  abstract: 32,
  xpac: 64,
  pdf: 128,
  /** Not there yet: appears during the month. */
  unborn: 256,
} as const;

/**
 * The simulated scholarly record. Works are generated from their numbers on request and cached, so the size of a world
 * costs nothing until it is used.
 */
export class World {
  readonly parameters: WorldParameters;
  readonly hosts: readonly Host[];
  readonly columns: Columns;
  /** The sha256 of the whole world: equal identities mean equal worlds. */
  readonly identity: string;
  readonly #choice: HostChoice;
  readonly #venues: readonly string[];
  readonly #kept = new Map<number, Work>();
  readonly #hostByName: ReadonlyMap<string, Host>;

  constructor(parameters: WorldParameters) {
    this.parameters = parameters;
    this.hosts = generateHosts(parameters);
    this.#hostByName = new Map(this.hosts.map((host) => [host.name, host]));
    const drawn = this.hosts.slice(0, -1);
    const publishers = drawn.filter((host) => host.class === 'publisher');
    const repositories = drawn.filter((host) => host.class === 'repository');
    // A hostile world distributes its faults evenly: each must occur at several hosts.
    const exponent = parameters.profile === 'hostile' ? 0 : POPULARITY_EXPONENT;
    this.#choice = {
      all: this.hosts,
      publishers,
      repositories,
      publisherTable: zipfTable(publishers.length, exponent),
      repositoryTable: zipfTable(repositories.length, exponent),
    };
    this.#venues = publishers.map((host) => `j${host.index}`);
    const { columns, identity } = this.#survey();
    this.columns = columns;
    this.identity = identity;
  }

  get size(): number {
    return this.parameters.works;
  }

  get publishers(): readonly Host[] {
    return this.#choice.publishers;
  }

  host(name: string): Host | undefined {
    return this.#hostByName.get(name) ?? soloHostNamed(name);
  }

  work(index: number): Work {
    const known = this.#kept.get(index);
    if (known) return known;
    const work = this.#generate(index);
    if (this.#kept.size >= KEPT_WORKS) this.#kept.delete(this.#kept.keys().next().value ?? 0);
    this.#kept.set(index, work);
    return work;
  }

  *works(): Generator<Work> {
    for (let index = 0; index < this.size; index += 1) if (this.isThere(index)) yield this.work(index);
  }

  isThere(index: number): boolean {
    return ((this.columns.flags[index] ?? 0) & FLAG.unborn) === 0;
  }

  /** Changes of a work during the month; none in a world without one. */
  event(index: number): MonthEvent {
    if (this.parameters.moment === undefined) return 'nothing';
    return eventOf(this.#core(index), this.parameters, (other) => this.#core(other));
  }

  /** The work registered under a DOI; of twins, the published one. */
  byDoi(doi: string): Work | undefined {
    const wanted = doi.toLowerCase().replace(/\.$/, '');
    const guid = /^10\.31219\/osf\.io\/([a-z0-9]{5})$/.exec(wanted)?.[1];
    const arxiv = /^10\.48550\/arxiv\.(.+)$/.exec(wanted)?.[1];
    const indexes = guid ? [osfIndex(guid)] : arxiv ? [arxivIndex(arxiv) ?? -1] : indexesIn(wanted, this.size);
    return this.#first(indexes, (work) => work.doi === wanted && work.duplicateOf === null);
  }

  byId(id: string): Work | undefined {
    const index = Number(/^W(\d+)$/i.exec(id)?.[1] ?? Number.NaN) - 7_000_000_001;
    return this.#first([index], () => true);
  }

  byArxiv(id: string): Work | undefined {
    return this.#first([arxivIndex(id) ?? -1], (work) => work.arxivId === id);
  }

  byPmcid(pmcid: string): Work | undefined {
    return this.#first(indexesIn(pmcid, this.size), (work) => work.pmcid === pmcid.toUpperCase());
  }

  byPmid(pmid: string): Work | undefined {
    return this.#first(indexesIn(pmid, this.size), (work) => work.pmid === pmid);
  }

  /** Candidate works for a URL path, by the numbers in it. */
  namedIn(text: string): Work[] {
    return indexesIn(text, this.size)
      .filter((index) => this.isThere(index))
      .map((index) => this.work(index));
  }

  locationAt(url: string): Location | undefined {
    return this.namedIn(url)
      .flatMap(({ locations }) => locations)
      .find((location) => location.url === url);
  }

  #first(indexes: readonly number[], fits: (work: Work) => boolean): Work | undefined {
    for (const index of indexes) {
      if (!Number.isInteger(index) || index < 0 || index >= this.size || !this.isThere(index)) continue;
      const work = this.work(index);
      if (fits(work)) return work;
    }
    return undefined;
  }

  #core(index: number): WorkCore {
    return generateCore(this.parameters, index, this.#venues);
  }

  /** The work at the world's time; works that have not appeared have a flag. */
  #generate(index: number): Work & { readonly isUnborn?: true } {
    const work = locate(this.parameters, this.#core(index), this.#choice);
    const { moment } = this.parameters;
    if (moment === undefined) return work;
    const about = aboutOf(index, this.parameters, (other) => this.#core(other));
    return workAt(work, moment, { event: this.event(index), about }) ?? { ...work, isUnborn: true };
  }

  /** One pass over all works: columns, citation counts and identity. */
  #survey(): { readonly columns: Columns; readonly identity: string } {
    const { works: count } = this.parameters;
    const columns: Columns = {
      title: Array.from({ length: count }, () => ''),
      year: new Uint16Array(count),
      topics: new Uint32Array(count),
      citedBy: new Uint32Array(count),
      flags: new Uint16Array(count),
    };
    const digest = createHash('sha256').update(JSON.stringify({ parameters: this.parameters, hosts: this.hosts }));
    for (let index = 0; index < count; index += 1) {
      const work = this.#generate(index);
      // Fields are always written in the same order, so plain JSON is canonical.
      digest.update(JSON.stringify(work));
      columns.title[index] = work.title;
      columns.year[index] = work.year;
      columns.topics[index] = packTopics(work);
      columns.flags[index] = flagsOf(work) | (work.isUnborn ? FLAG.unborn : 0);
      for (const cited of work.references) columns.citedBy[cited] = (columns.citedBy[cited] ?? 0) + 1;
    }
    return { columns, identity: digest.digest('hex') };
  }
}

/** Up to three topics packed into one number, eight bits each; 255 means none. */
function packTopics(work: Work): number {
  const [first, second, third] = work.topics.map(({ topic }) => topic);
  return (((third ?? 255) << 16) | ((second ?? 255) << 8) | (first ?? 255)) >>> 0;
}

export function holdsTopic(packed: number, topic: number): boolean {
  return (packed & 255) === topic || ((packed >> 8) & 255) === topic || ((packed >> 16) & 255) === topic;
}

export function topicIndex(id: string): number {
  const short = id.replace(/^https:\/\/openalex\.org\//i, '').toUpperCase();
  return TOPICS.findIndex((topic) => topic.id.endsWith(`/${short}`));
}

function flagsOf(work: Work): number {
  const shown = listedIn(work, 'openalex');
  let flags = 0;
  if (shown.some(({ isOa }) => isOa)) flags |= FLAG.open;
  if (work.doi !== null) flags |= FLAG.doi;
  if (work.isRetracted) flags |= FLAG.retracted;
  if (work.pmcid !== null) flags |= FLAG.pmcid;
  if (work.hasContent.pdf) flags |= FLAG.content;
  if (work.hasAbstract) flags |= FLAG.abstract;
  if (work.isXpac) flags |= FLAG.xpac;
  if (shown.some(({ isOa, kind }) => isOa && kind === 'pdf')) flags |= FLAG.pdf;
  return flags;
}
