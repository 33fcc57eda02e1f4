import type { Behaviour, Wall } from '../behaviours/behaviour.ts';
import { PLAIN } from '../behaviours/behaviour.ts';
import { NO_ROBOTS_HOST, soloHost } from './hosts.ts';
import { numberOf } from './identifiers.ts';
import type { HostChoice } from './locations.ts';
import { LocationBuilder } from './locations.ts';
import { arxivLocations, biomedicalLocations, biorxivLocations, contentLocations } from './deposits-preprint.ts';
import {
  coreLocations,
  figshareLocations,
  halLocations,
  osfLocations,
  publisherLocation,
  waybackLocation,
  zenodoLocations,
} from './deposits.ts';
import type { Host, Location, Work, WorldParameters } from './types.ts';
import type { WorkCore } from './work.ts';
import { isPlanted } from './work.ts';

/** A closed page at the publisher, the DOI target of works that are open elsewhere or nowhere. */
function closedPage(build: LocationBuilder, how: Wall = 'paywall', visible = true): Location {
  return build.copy({
    class: 'publisher',
    kind: 'landing',
    visibleIn: visible ? ['openalex', 'doi'] : ['doi'],
    isOa: false,
    license: null,
    behaviour: { kind: 'wall', how },
    template: 'js-only',
    fileless: true,
  });
}

/** Creates the locations of a work and its DOI target. */
export function locate(parameters: WorldParameters, core: WorkCore, hosts: HostChoice): Work {
  const build = new LocationBuilder(parameters, core, hosts);
  const target = place(build);
  return {
    ...core,
    locations: build.found,
    doiTarget: core.doi === null ? null : target,
    doiHops: build.draw.chance(0.7) ? 1 : 2 + build.draw.below(4),
  };
}

function place(build: LocationBuilder): Location {
  const { work, draw } = build;
  switch (work.archetype) {
    case 'A1': {
      const file = build.copy({ class: 'publisher', kind: 'pdf', visibleIn: ['openalex', 'unpaywall'] });
      const isTwice = draw.chance(0.25);
      // A hostile world needs many files, so that each behaviour occurs at several hosts.
      const more = build.parameters.profile === 'hostile' ? 3 : isTwice ? 1 : 0;
      for (let copy = 0; copy < more; copy += 1)
        build.copy({
          class: 'repository',
          kind: 'pdf',
          visibleIn: ['openalex', 'unpaywall'],
          version: 'acceptedVersion',
        });
      if (work.hasContent.pdf) contentLocations(build);
      return build.pageFor(file, ['doi']);
    }
    case 'A2':
      return build.copy({
        class: 'publisher',
        kind: 'landing',
        visibleIn: draw.chance(0.2) ? ['openalex', 'unpaywall', 'doi'] : ['openalex', 'doi'],
      });
    case 'A3': {
      build.copy({
        class: 'repository',
        kind: 'pdf',
        visibleIn:
          draw.chance(0.5) || isPlanted(build.parameters, work.index) ? ['openalex'] : ['openalex', 'unpaywall'],
      });
      return closedPage(build);
    }
    case 'A4':
      return arxivLocations(build);
    case 'A5':
      biomedicalLocations(build);
      return closedPage(build);
    case 'A6':
      build.copy({ class: 'repository', kind: draw.chance(0.8) ? 'pdf' : 'landing', visibleIn: ['unpaywall'] });
      return closedPage(build);
    case 'A7':
      build.copy({
        class: 'publisher',
        kind: draw.chance(0.8) ? 'pdf' : 'jats',
        visibleIn: ['crossref'],
        license: draw.pick(['cc-by', 'cc-by-nc', 'cc-by-nc-nd', 'cc0']),
      });
      return closedPage(build);
    case 'A8-semantic_scholar':
      build.copy({
        class: 'repository',
        kind: draw.chance(0.5) ? 'pdf' : 'landing',
        visibleIn: ['semantic_scholar'],
        version: null,
      });
      return closedPage(build);
    case 'A8-core':
      coreLocations(build);
      return closedPage(build);
    case 'A8-doaj':
      build.copy({
        class: 'publisher',
        kind: draw.chance(0.4) ? 'pdf' : 'landing',
        visibleIn: ['doaj'],
        license: null,
      });
      return closedPage(build);
    case 'A8-hal':
      halLocations(build);
      return closedPage(build);
    case 'A8-openaire':
      build.copy({
        class: 'repository',
        kind: build.parameters.profile === 'reality' && work.index % 2 === 0 ? 'pdf' : 'landing',
        visibleIn: ['openaire'],
        version: null,
      });
      return closedPage(build);
    case 'A9-zenodo':
      return zenodoLocations(build);
    case 'A9-figshare':
      return figshareLocations(build);
    case 'A9-osf':
      return osfLocations(build);
    case 'A10':
      return biorxivLocations(build);
    case 'A11':
      contentLocations(build);
      return closedPage(build);
    case 'A12':
      return archived(build);
    case 'A13':
      return closedPage(build, draw.pick(['paywall', 'paywall', 'login', 'captcha', 'cookie-stays'] as const));
    case 'A14':
      return blocked(build);
    case 'B-version':
      build.copy({
        class: 'repository',
        kind: 'landing',
        visibleIn: ['openalex'],
        version: 'submittedVersion',
        template: 'own-doi',
      });
      return closedPage(build);
    case 'B-doi':
      return build.copy({ class: 'publisher', kind: 'landing', visibleIn: ['doi'] });
    case 'B-datacite':
      build.copy({ class: 'repository', kind: 'pdf', visibleIn: ['datacite'], version: null });
      return build.copy({
        class: 'repository',
        kind: 'landing',
        visibleIn: ['doi'],
        template: 'js-only',
        fileless: true,
      });
    case 'B-springer_nature':
    case 'B-wiley_tdm':
    case 'B-elsevier_tdm':
      publisherLocation(build);
      return closedPage(build);
    case 'B-promised':
      build.copy({ class: 'publisher', kind: 'landing', visibleIn: ['doaj'], license: null });
      return closedPage(build);
    case 'B-fulltext':
      return build.copy({
        class: 'publisher',
        kind: 'landing',
        visibleIn: ['openalex', 'doi'],
        template: 'full-text',
        isFullText: true,
        behaviour: PLAIN,
      });
  }
}

/** A dead host whose file is in the archive. */
function archived(build: LocationBuilder): Location {
  const { draw } = build;
  const behaviour: Behaviour = draw.pick([
    { kind: 'status', status: 404 },
    { kind: 'status', status: 410 },
    { kind: 'dead' },
  ] as const);
  const dead = build.copy({
    class: draw.pick(['publisher', 'repository'] as const),
    kind: 'pdf',
    visibleIn: ['openalex', 'unpaywall'],
    host: soloHost('gone', numberOf(build.work.index)),
    behaviour,
  });
  waybackLocation(build, dead);
  return closedPage(build, 'soft-404', false);
}

const CHALLENGES = ['challenge-403', 'challenge-503', 'ban-1015'] as const;
const TODAY = ['challenge-403', 'challenge-anubis', 'challenge-proof-of-work', 'challenge-radware'] as const;

/** Open according to the record, but not reachable for a polite client. */
function blocked(build: LocationBuilder): Location {
  const drawn = build.draw.below(3);
  // The `reality` world also has hosts with a Retry-After of a year and unresolvable names.
  const how = build.parameters.profile === 'reality' ? build.work.index % 5 : drawn;
  const norobots = build.hosts.find(({ name }) => name === NO_ROBOTS_HOST) as Host;
  if (how === 0) build.copy({ class: 'publisher', kind: 'pdf', visibleIn: ['openalex', 'unpaywall'], host: norobots });
  else if (how === 3 || how === 4) {
    const behaviour: Behaviour =
      how === 3 ? { kind: 'throttled', times: 99, retryAfter: 'year' } : { kind: 'nameless' };
    build.copy({ class: 'publisher', kind: 'pdf', visibleIn: ['openalex', 'unpaywall'], behaviour });
  } else {
    const behaviour: Behaviour =
      how === 1
        ? { kind: 'wall', how: build.draw.pick(build.parameters.profile === 'reality' ? TODAY : CHALLENGES) }
        : { kind: 'redirect-trap', to: build.draw.pick(['canary-4', 'metadata', 'canary-6'] as const) };
    build.copy({ class: 'publisher', kind: 'pdf', visibleIn: ['openalex', 'unpaywall'], behaviour });
  }
  return closedPage(build, 'challenge-403', false);
}
