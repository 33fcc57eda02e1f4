import type { Behaviour } from '../behaviours/behaviour.ts';
import { PLAIN } from '../behaviours/behaviour.ts';
import { at, numberOf, osfGuid } from './identifiers.ts';
import type { LocationBuilder } from './locations.ts';
import type { Location } from './types.ts';

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
