import { stream } from '../random/stream.ts';
import { SUFFIX } from './identifiers.ts';
import type { LandingTemplate } from '../hosts/landing.ts';
import type { RobotsVariant } from '../hosts/robots.ts';
import { ROBOTS_VARIANTS } from '../hosts/robots.ts';
import type { Host, Platform, WorldParameters } from './types.ts';
import { PLACES } from './words.ts';

const PUBLISHER_PLATFORMS: readonly Platform[] = ['ojs', 'atypon', 'custom'];
const REPOSITORY_PLATFORMS: readonly Platform[] = ['dspace6', 'eprints', 'custom'];

const TEMPLATES: Readonly<Record<Platform, readonly LandingTemplate[]>> = {
  ojs: ['ojs-galley', 'highwire'],
  atypon: ['highwire-unquoted', 'property', 'json-ld'],
  custom: ['link-alternate', 'link-header', 'highwire-base', 'meta-refresh', 'two-pdf-metas', 'json-ld'],
  dspace6: ['highwire', 'highwire-base'],
  dspace7: ['dspace7'],
  eprints: ['highwire', 'link-alternate'],
};

const HARMLESS_ROBOTS: readonly RobotsVariant[] = [
  'allow',
  'missing',
  'allow',
  'wildcard',
  'longest-match',
  'bom-crlf',
];
const RESTRICTING_ROBOTS: readonly RobotsVariant[] = ['disallow-files', 'disallow-all', 'server-error', 'own-group'];
const EVERY_ROBOTS = ROBOTS_VARIANTS.filter((variant) => !/^crawl-delay-\d/.test(variant));

/** The host whose robots.txt disallows everything in every profile; archetype A14 needs it. */
export const NO_ROBOTS_HOST = `www.norobots-press${SUFFIX}`;

/** Generated hosts, most popular first; the last one is `NO_ROBOTS_HOST`. */
export function generateHosts(parameters: WorldParameters): Host[] {
  const hosts = Array.from({ length: Math.max(4, parameters.hosts) }, (_, index) => generateHost(parameters, index));
  hosts.push(plainHost(hosts.length, NO_ROBOTS_HOST, 'disallow-all'));
  return hosts;
}

function generateHost(parameters: WorldParameters, index: number): Host {
  const draw = stream(parameters.seed, 'host', index);
  const { profile } = parameters;
  const isPublisher = index % 5 < 3;
  const place = (PLACES[index % PLACES.length] as string).toLowerCase();
  const round = index < PLACES.length ? '' : String(Math.floor(index / PLACES.length) + 1);
  const platform = draw.pick(isPublisher ? PUBLISHER_PLATFORMS : REPOSITORY_PLATFORMS);
  const name = isPublisher
    ? `${draw.pick(['www', 'journals', 'online'])}.${place}${round}-press${SUFFIX}`
    : `${draw.pick(['repository', 'eprints', 'dspace'])}.${place}${round}-univ${SUFFIX}`;
  // The two most popular hosts of each class have no faults in the realistic world: one bad draw would dominate it.
  const exposed = profile === 'realistic' && index >= 5;
  const walled = exposed && draw.chance(0.03);
  const robots = ((): RobotsVariant => {
    if (profile === 'hostile') return EVERY_ROBOTS[index % EVERY_ROBOTS.length] as RobotsVariant;
    if (exposed && draw.chance(0.05)) return draw.pick(RESTRICTING_ROBOTS);
    if (profile === 'politeness' && index % 4 === 1) return 'crawl-delay';
    if (profile === 'reality' && index % 10 === 7) return 'crawl-delay-60';
    if (profile === 'reality' && index % 10 === 9) return 'crawl-delay-120';
    return draw.pick(HARMLESS_ROBOTS);
  })();
  const limited = profile === 'politeness' ? index % 2 === 0 : profile === 'realistic' && draw.chance(0.08);
  return {
    index,
    name,
    class: isPublisher ? 'publisher' : 'repository',
    platform,
    robots,
    rate: limited
      ? {
          perSecond: profile === 'politeness' ? draw.pick([0.5, 1, 2]) : draw.pick([2, 5]),
          burst: draw.pick([1, 2, 5]),
          retryAfter: draw.pick(['seconds', 'date', 'none'] as const),
        }
      : null,
    flaky: exposed && draw.chance(0.12),
    wall: walled ? draw.pick(['challenge-403', 'login', 'captcha'] as const) : null,
    medianLatencyMs: Math.round(40 + draw.next() * 80),
    template: draw.pick(TEMPLATES[platform]),
  };
}

const SOLO = /^(busy|gone|fortress|nowhere)(\d{7})(?:\.nowhere)?\.sim\.test$/;
type Solo = 'busy' | 'gone' | 'fortress' | 'nowhere';

/** Names under this one do not resolve. */
export const NOWHERE = `.nowhere${SUFFIX}`;

/**
 * A host used by one work only. Faults that affect a whole host (a Retry-After of a day, no response, a challenge) must
 * not affect other works, or the expected results would depend on request order.
 */
export function soloHost(kind: Solo, number: number): Host {
  return plainHost(900, `${kind}${number}${kind === 'nowhere' ? NOWHERE : SUFFIX}`, 'missing');
}

function plainHost(index: number, name: string, robots: RobotsVariant): Host {
  return {
    index,
    name,
    class: 'publisher',
    platform: 'custom',
    robots,
    rate: null,
    flaky: false,
    wall: null,
    medianLatencyMs: 40,
    template: 'highwire',
  };
}

/** The single-work host of that name, if any. */
export function soloHostNamed(name: string): Host | undefined {
  const match = SOLO.exec(name);
  return match ? soloHost(match[1] as Solo, Number(match[2])) : undefined;
}
