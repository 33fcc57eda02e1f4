import type { Behaviour } from '../behaviours/behaviour.ts';
import { PLAIN } from '../behaviours/behaviour.ts';
import { at, numberOf, osfGuid, pad } from './identifiers.ts';
import type { LocationBuilder } from './locations.ts';
import type { Location, Payload } from './types.ts';

/** The DOI page of a deposit is filled by JavaScript, so only the API leads to the file. */
function shell(build: LocationBuilder, file: Location, url: string): Location {
  return build.service({ ...file, kind: 'landing', url, visibleIn: ['doi'], template: 'js-only' });
}

export function coreLocations(build: LocationBuilder): void {
  // CORE lists files that no longer exist.
  const behaviour: Behaviour = build.mishap(0.2) ? { kind: 'status', status: 404 } : PLAIN;
  build.deposit({
    hostType: 'aggregator',
    url: at('core.ac.uk', `/download/${numberOf(build.work.index)}.pdf`),
    visibleIn: ['core'],
    version: null,
    license: null,
    behaviour,
  });
}

export function halLocations(build: LocationBuilder): void {
  build.deposit({
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
  const file = build.deposit({
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
  const file = build.deposit({
    hostType: 'repository',
    url: at('ndownloader.figshare.com', `/files/3${id}`),
    visibleIn: ['figshare'],
    version: null,
    license: build.draw.pick(['cc-by', 'cc0']),
  });
  const behaviour = { kind: 'wall', how: 'challenge-403' } as const;
  return shell(build, { ...file, behaviour }, at('figshare.com', `/articles/preprint/paper/${id}`));
}

export function osfLocations(build: LocationBuilder): Location {
  const guid = osfGuid(build.work.index);
  const isWithdrawn = build.mishap(0.08);
  const file = build.deposit({
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
  const { version, license, file } = gone;
  if (file)
    build.deposit({ hostType: 'archive', url, version, license, visibleIn: ['wayback'], payload: file.payload });
}

/** A text behind a publisher API: open JATS with a free key, or text mining with a token. */
export function publisherLocation(build: LocationBuilder): void {
  const { index, archetype, doi } = build.work;
  const asked = doi ?? '';
  const encoded = encodeURIComponent(asked);
  const jats: Payload = { form: 'jats', work: index, body: true };
  const text = { hostType: 'publisher', version: 'publishedVersion', license: null } as const;
  if (archetype === 'B-springer_nature') {
    const url = at('api.springernature.com', `/openaccess/jats?q=${encodeURIComponent(`doi:${asked}`)}`);
    build.deposit({ ...text, url, visibleIn: ['springer_nature'], payload: jats });
  } else if (archetype === 'B-wiley_tdm') {
    const url = at('api.wiley.com', `/onlinelibrary/tdm/v1/articles/${encoded}`);
    build.deposit({ ...text, url, visibleIn: ['wiley_tdm'], isOa: false });
  } else {
    const url = at('api.elsevier.com', `/content/article/doi/${asked}?httpAccept=application%2Fpdf`);
    build.deposit({ ...text, url, visibleIn: ['elsevier_tdm'], isOa: false });
  }
}
