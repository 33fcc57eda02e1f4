import { stream } from '../random/stream.ts';
import { orcid, pad } from './identifiers.ts';
import type { Host, Work } from './types.ts';
import type { World } from './world.ts';
import { COUNTRIES, FAMILY, GIVEN, PLACES } from './words.ts';

export interface Author {
  readonly index: number;
  readonly id: string;
  readonly given: string;
  readonly family: string;
  readonly name: string;
  readonly orcid: string | null;
  readonly institution: Institution;
}

interface Institution {
  readonly id: string;
  readonly name: string;
  readonly ror: string;
  readonly country: string;
}

function institution(index: number): Institution {
  const place = PLACES[index % PLACES.length] as string;
  return {
    id: `https://openalex.org/I${70_000_000 + index}`,
    name: `University of ${place}`,
    ror: `https://ror.org/0${pad(index, 4)}sim${pad(index % 97)}`.slice(0, 27),
    country: COUNTRIES[index % COUNTRIES.length] as string,
  };
}

export function author(seed: number, index: number): Author {
  const draw = stream(seed, 'author', index);
  const given = draw.pick(GIVEN);
  const family = draw.pick(FAMILY);
  return {
    index,
    id: `https://openalex.org/A${5_000_000_000 + index}`,
    given,
    family,
    name: `${given} ${family}`,
    orcid: draw.chance(0.7) ? orcid(index) : null,
    institution: institution(draw.below(PLACES.length)),
  };
}

export function authorsOf({ parameters }: Pick<World, 'parameters'>, work: Work, most: number): Author[] {
  return work.authors.slice(0, most).map((index) => author(parameters.seed, index));
}

/** The journal of a publisher's host. */
export function journalOf(host: Host | undefined): string {
  const place = /\.([a-z]+)\d*-(?:press|univ)/.exec(host?.name ?? '')?.[1] ?? 'loopback';
  return `${place[0]?.toUpperCase() ?? ''}${place.slice(1)} Journal of Simulated Research`;
}

/** A made-up but valid ISSN. */
export function issnOf(host: Host | undefined): string {
  const digits = pad(9_000_000 + (host?.index ?? 0) * 37, 7);
  let sum = 0;
  for (let at = 0; at < 7; at += 1) sum += Number(digits[at]) * (8 - at);
  const check = (11 - (sum % 11)) % 11;
  return `${digits.slice(0, 4)}-${digits.slice(4)}${check === 10 ? 'X' : check}`;
}

const SENTENCES = [
  'We study {title} in a simulated setting.',
  'The data come from a generated record and are not real.',
  'Measurements were repeated under controlled conditions and compared with a baseline.',
  'Results differ from earlier reports by a margin that the method explains.',
  'We release all material so that the analysis can be repeated.',
  'Limits of the approach and directions for later work are discussed.',
] as const;

export function abstractOf({ parameters }: Pick<World, 'parameters'>, work: Work): string | null {
  if (!work.hasAbstract) return null;
  const draw = stream(parameters.seed, 'abstract', work.index);
  const wanted = 3 + draw.below(4);
  return SENTENCES.slice(0, wanted)
    .map((sentence) => sentence.replace('{title}', work.title.toLowerCase()))
    .join(' ');
}
