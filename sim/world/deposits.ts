import type { Behaviour } from '../behaviours/behaviour.ts';
import { PLAIN } from '../behaviours/behaviour.ts';
import { at, numberOf, osfGuid, pad } from './identifiers.ts';
import type { LocationBuilder } from './locations.ts';
import type { Location, Lister, Payload } from './types.ts';

type Deposit = Pick<Location, 'host' | 'hostType' | 'url' | 'visibleIn' | 'version' | 'license'>;

/** A PDF at a repository, at `url` itself. */
function deposit(build: LocationBuilder, where: Deposit, behaviour: Behaviour = PLAIN): Location {
  return build.service({
    ...where,
    kind: 'pdf',
    isOa: true,
    behaviour,
    file: { url: where.url, behaviour, payload: build.pdf() },
    template: null,
  });
}

/** The DOI page of a deposit is filled by JavaScript, so only the API leads to the file. */
function shell(build: LocationBuilder, file: Location, url: string): Location {
  return build.service({ ...file, kind: 'landing', url, visibleIn: ['doi'], template: 'js-only' });
}

export function coreLocations(build: LocationBuilder): void {
  // CORE lists files that no longer exist.
  const behaviour: Behaviour = build.mishap(0.2) ? { kind: 'status', status: 404 } : PLAIN;
  const where: Deposit = {
    host: 'core.ac.uk.sim.test',
    hostType: 'aggregator',
    url: at('core.ac.uk', `/download/${numberOf(build.work.index)}.pdf`),
    visibleIn: ['core'],
    version: null,
    license: null,
  };
  deposit(build, where, behaviour);
}

export function halLocations(build: LocationBuilder): void {
  deposit(build, {
    host: 'hal.science.sim.test',
    hostType: 'repository',
    url: at('hal.science', `/hal-0${numberOf(build.work.index)}/document`),
    visibleIn: ['hal'],
    version: null,
    license: build.draw.pick(['cc-by', null]),
  });
}

export function zenodoLocations(build: LocationBuilder): Location {
  const id = `1${numberOf(build.work.index)}`;
  const isRestricted = build.mishap(0.1);
  const file = deposit(build, {
    host: 'zenodo.org.sim.test',
    hostType: 'repository',
    url: at('zenodo.org', `/api/records/${id}/files/paper.pdf/content`),
    visibleIn: isRestricted ? [] : ['zenodo'],
    version: null,
    license: build.draw.pick(['cc-by', 'cc-by-sa', 'cc0']),
  });
  return shell(build, file, at('zenodo.org', `/records/${id}`));
}

export function figshareLocations(build: LocationBuilder): Location {
  const id = `2${numberOf(build.work.index)}`;
  const file = deposit(build, {
    host: 'ndownloader.figshare.com.sim.test',
    hostType: 'repository',
    url: at('ndownloader.figshare.com', `/files/3${id}`),
    visibleIn: ['figshare'],
    version: null,
    license: build.draw.pick(['cc-by', 'cc0']),
  });
  return build.service({
    ...file,
    host: 'figshare.com.sim.test',
    kind: 'landing',
    url: at('figshare.com', `/articles/preprint/paper/${id}`),
    visibleIn: ['doi'],
    behaviour: { kind: 'wall', how: 'challenge-403' },
    template: 'js-only',
  });
}

export function osfLocations(build: LocationBuilder): Location {
  const guid = osfGuid(build.work.index);
  const isWithdrawn = build.mishap(0.08);
  const file = deposit(build, {
    host: 'osf.io.sim.test',
    hostType: 'preprint',
    url: at('osf.io', `/download/${guid}/`),
    visibleIn: isWithdrawn ? [] : ['osf'],
    version: 'submittedVersion',
    license: build.draw.pick(['cc-by', null]),
  });
  return shell(build, file, at('osf.io', `/${guid}/`));
}

/** The Wayback Machine's capture of a lost file. */
export function waybackLocation(build: LocationBuilder, gone: Location): void {
  const timestamp = `2023${pad(1 + build.draw.below(12))}${pad(1 + build.draw.below(28))}120000`;
  const url = at('web.archive.org', `/web/${timestamp}id_/${gone.url}`);
  build.service({
    host: 'web.archive.org.sim.test',
    hostType: 'archive',
    kind: 'pdf',
    url,
    version: gone.version,
    license: gone.license,
    isOa: true,
    visibleIn: ['wayback'],
    behaviour: PLAIN,
    file: gone.file && { url, behaviour: PLAIN, payload: gone.file.payload },
    template: null,
  });
}

/** A text behind a publisher API: open JATS with a free key, or text mining with a token. */
export function publisherLocation(build: LocationBuilder): void {
  const { work } = build;
  const doi = work.doi ?? '';
  const jats: Payload = { form: 'jats', work: work.index, body: true };
  const add = (lister: Lister, host: string, path: string, payload: Payload): void => {
    const url = at(host, path);
    build.service({
      host: `${host}.sim.test`,
      hostType: 'publisher',
      kind: payload.form === 'jats' ? 'jats' : 'pdf',
      url,
      version: 'publishedVersion',
      license: null,
      isOa: lister === 'springer_nature',
      visibleIn: [lister],
      behaviour: PLAIN,
      file: { url, behaviour: PLAIN, payload },
      template: null,
    });
  };
  const encoded = encodeURIComponent(doi);
  if (work.archetype === 'B-springer_nature')
    add('springer_nature', 'api.springernature.com', `/openaccess/jats?q=${encodeURIComponent(`doi:${doi}`)}`, jats);
  else if (work.archetype === 'B-wiley_tdm')
    add('wiley_tdm', 'api.wiley.com', `/onlinelibrary/tdm/v1/articles/${encoded}`, build.pdf());
  else add('elsevier_tdm', 'api.elsevier.com', `/content/article/doi/${doi}?httpAccept=application%2Fpdf`, build.pdf());
}
