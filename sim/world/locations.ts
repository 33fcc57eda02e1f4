import { PLAIN } from '../behaviours/behaviour.ts';
import type { Behaviour } from '../behaviours/behaviour.ts';
import { chooseBehaviour } from '../behaviours/choose.ts';
import type { Stream } from '../random/stream.ts';
import { stream, zipf } from '../random/stream.ts';
import type { Layout } from '../content/index.ts';
import { soloHost, soloHostNamed } from './hosts.ts';
import { numberOf, pad } from './identifiers.ts';
import type { FileSpec, Host, Lister, Location, Payload, Version, Work, WorldParameters } from './types.ts';
import type { WorkCore } from './work.ts';
import { slotOf } from './work.ts';

/** Hosts by class, each with its Zipf table. */
export interface HostChoice {
  readonly all: readonly Host[];
  readonly publishers: readonly Host[];
  readonly repositories: readonly Host[];
  readonly publisherTable: Float64Array;
  readonly repositoryTable: Float64Array;
}

const LICENSES = ['cc-by', 'cc-by', 'cc-by', 'cc-by-nc', 'cc-by-nc-nd', 'cc-by-sa', 'cc0', null] as const;
const LAYOUTS: readonly Layout[] = ['L1', 'L1', 'L2', 'L2', 'L3', 'L4', 'L5', 'L5', 'L6', 'L8', 'L7', 'L2'];

interface Copy {
  readonly class: 'publisher' | 'repository';
  readonly kind: 'pdf' | 'landing' | 'jats';
  readonly visibleIn: readonly Lister[];
  readonly version?: Version;
  readonly isOa?: boolean;
  readonly license?: string | null;
  readonly host?: Host;
  /** Overrides the random choice for the first URL. */
  readonly behaviour?: Behaviour;
  readonly template?: Location['template'];
  readonly fileless?: boolean;
  readonly isFullText?: boolean;
}

interface Deposit extends Pick<Location, 'hostType' | 'url' | 'visibleIn' | 'version' | 'license'> {
  readonly isOa?: boolean;
  readonly payload?: Payload;
  readonly behaviour?: Behaviour;
}

/** Collects the locations of one work; all draws use the work's own stream. */
export class LocationBuilder {
  readonly work: WorkCore;
  readonly draw: Stream;
  readonly parameters: WorldParameters;
  readonly #hosts: HostChoice;
  readonly #found: Location[] = [];

  constructor(parameters: WorldParameters, work: WorkCore, hosts: HostChoice) {
    this.parameters = parameters;
    this.work = work;
    this.#hosts = hosts;
    this.draw = stream(parameters.seed, 'locations', work.index);
  }

  get found(): readonly Location[] {
    return this.#found;
  }

  get hosts(): readonly Host[] {
    return this.#hosts.all;
  }

  /** True with that probability in worlds with faults; the draw is made in all worlds. */
  mishap(probability: number): boolean {
    const { profile } = this.parameters;
    return this.draw.chance(probability) && (profile === 'realistic' || profile === 'hostile');
  }

  license(): string | null {
    return this.draw.pick(LICENSES);
  }

  pdf(): Payload {
    return { form: 'pdf', work: this.work.index, layout: this.draw.pick(LAYOUTS) };
  }

  host(kind: 'publisher' | 'repository'): Host {
    const { publishers, repositories, publisherTable, repositoryTable } = this.#hosts;
    const host =
      kind === 'publisher'
        ? publishers[zipf(this.draw, publisherTable)]
        : repositories[zipf(this.draw, repositoryTable)];
    return host as Host;
  }

  /** A location at a service's own host, that of its URL. */
  service(location: Omit<Location, 'id' | 'work' | 'host'>): Location {
    const { hostname: host } = new URL(location.url);
    return this.#add({ ...location, host, id: this.#nextId(), work: this.work.index });
  }

  /** An open file at a service, at `url` itself and without faults unless `behaviour` says otherwise. */
  deposit({ payload = this.pdf(), behaviour = PLAIN, ...where }: Deposit): Location {
    const file = { url: where.url, behaviour, payload };
    const kind = payload.form === 'jats' || payload.form === 'tei' ? payload.form : 'pdf';
    return this.service({ isOa: true, ...where, kind, behaviour, file, template: null });
  }

  /** A copy at a generated host. */
  copy(copy: Copy): Location {
    const drawn = copy.host ?? this.host(copy.class);
    const number = this.#found.length;
    const usual = copy.class === 'publisher' ? 'publishedVersion' : 'acceptedVersion';
    const version = copy.version === undefined ? usual : copy.version;
    const payload: Payload = copy.kind === 'jats' ? { form: 'jats', work: this.work.index, body: true } : this.pdf();
    const chosen = chooseBehaviour({
      profile: this.parameters.profile,
      host: drawn,
      draw: this.draw,
      ordinal: number === 0 ? slotOf(this.parameters.seed, this.work.index) : this.work.index + number,
      shared: isShared(this.work),
      payload,
    });
    const acting = copy.behaviour ?? chosen.behaviour;
    const host = this.#solo(acting) ?? drawn;
    const addresses = addressesAt(host, this.work.index, number);
    const file: FileSpec = {
      url: copy.kind === 'jats' ? addresses.file.replace('.pdf', '.xml') : addresses.file,
      behaviour: copy.kind === 'landing' ? chosen.behaviour : acting,
      payload: chosen.payload,
    };
    const page: FileSpec = {
      url: addresses.landing,
      behaviour: PLAIN,
      payload: { form: 'html', work: this.work.index, style: 'ojs' },
    };
    const isLanding = copy.kind === 'landing';
    return this.#add({
      id: this.#nextId(),
      work: this.work.index,
      host: host.name,
      hostType: copy.class,
      kind: copy.kind,
      url: isLanding ? addresses.landing : file.url,
      version,
      license: copy.license === undefined ? this.license() : copy.license,
      isOa: copy.isOa ?? true,
      visibleIn: copy.visibleIn,
      behaviour: isLanding
        ? (copy.behaviour ?? (host.wall ? { kind: 'wall', how: host.wall } : PLAIN))
        : file.behaviour,
      file: copy.fileless ? null : copy.isFullText ? page : file,
      template: isLanding ? (copy.template ?? this.#template(host)) : null,
    });
  }

  /** A landing page that links to the file of another location. */
  pageFor(location: Location, visibleIn: readonly Lister[]): Location {
    const host = (this.#hosts.all.find(({ name }) => name === location.host) ?? soloHostNamed(location.host)) as Host;
    const copy = Number(location.id.split('-')[1]);
    return this.#add({
      ...location,
      id: this.#nextId(),
      kind: 'landing',
      url: addressesAt(host, this.work.index, copy).landing,
      visibleIn,
      behaviour: host.wall ? { kind: 'wall', how: host.wall } : PLAIN,
      template: this.#template(host),
    });
  }

  #template(host: Host): Location['template'] {
    if (this.parameters.profile !== 'hostile') return host.template;
    const odd = ['js-only', 'doi-mismatch', 'dspace7', 'meta-refresh', 'two-pdf-metas'] as const;
    return this.work.index % 3 === 0 ? (odd[this.work.index % odd.length] as Location['template']) : host.template;
  }

  /** The single-work host a behaviour needs, if any. */
  #solo(behaviour: Behaviour): Host | null {
    const number = numberOf(this.work.index);
    if (behaviour.kind === 'dead') return soloHost('gone', number);
    if (behaviour.kind === 'nameless') return soloHost('nowhere', number);
    const isBusy = behaviour.kind === 'throttled' && ['absurd', 'year'].includes(behaviour.retryAfter);
    if (isBusy) return soloHost('busy', number);
    const isChallenge = behaviour.kind === 'wall' && /^(challenge|ban)-/.test(behaviour.how);
    return isChallenge ? soloHost('fortress', number) : null;
  }

  #nextId(): string {
    return `L${this.work.index}-${this.#found.length}`;
  }

  #add(location: Location): Location {
    this.#found.push(location);
    return location;
  }
}

export function listedIn(work: Pick<Work, 'locations'> | undefined, lister: Lister): Location[] {
  return work?.locations.filter(({ visibleIn }) => visibleIn.includes(lister)) ?? [];
}

/** Whether two works may request the files of this one: it has a twin under the same DOI. */
function isShared(work: WorkCore): boolean {
  return work.index % 50 === 6 || work.duplicateOf !== null;
}

function addressesAt(host: Host, index: number, copy: number): { readonly landing: string; readonly file: string } {
  const number = numberOf(index);
  const root = `http://${host.name}`;
  const mark = copy === 0 ? '' : `-${copy}`;
  switch (host.platform) {
    case 'ojs':
      return {
        landing: `${root}/index.php/j${host.index}/article/view/${number}${mark}`,
        file: `${root}/index.php/j${host.index}/article/download/${number}${mark}/${pad(copy + 1, 3)}`,
      };
    case 'atypon':
      return {
        landing: `${root}/doi/abs/10.5555/j${number}${mark}`,
        file: `${root}/doi/pdf/10.5555/j${number}${mark}`,
      };
    case 'dspace6':
      return {
        landing: `${root}/handle/1234/${number}${mark}`,
        file: `${root}/bitstream/handle/1234/${number}${mark}/paper.pdf?sequence=1&isAllowed=y`,
      };
    case 'dspace7':
      return {
        landing: `${root}/items/3f0c0000-0000-4000-8${pad(copy, 3)}-00000${number}`,
        file: `${root}/server/api/core/bitstreams/3f0c0000-0000-4000-9${pad(copy, 3)}-00000${number}/content`,
      };
    case 'eprints':
      return { landing: `${root}/id/eprint/${number}${mark}`, file: `${root}/id/eprint/${number}${mark}/1/paper.pdf` };
    case 'custom':
      return { landing: `${root}/articles/${number}${mark}`, file: `${root}/articles/files/${number}${mark}.pdf` };
  }
}
