import { AppError } from '../base/index.ts';
import type { Resolver } from './resolver.ts';
import { core, doaj, openaire, semanticScholar, unpaywall } from './resolvers/catalogues.ts';
import { biorxiv, europePmc, pmc } from './resolvers/life-sciences.ts';
import { landingPage, openalex, openalexContent } from './resolvers/openalex.ts';
import { crossref, elsevierTdm, springerNature, wileyTdm } from './resolvers/publishers.ts';
import { datacite, figshare, hal, osf, zenodo } from './resolvers/repositories.ts';
import { wayback } from './resolvers/wayback.ts';
import { doiPath } from '../works/index.ts';
import { arxivFile, arxivIdAt, plan } from './plan.ts';

/** With OpenAlex's licence. */
const arxiv: Resolver = {
  name: 'arxiv',
  async *plans(work, { services }) {
    const { arxiv: id } = work.ids;
    if (id === null) return;
    const known = work.locations.find(({ landingUrl, pdfUrl }) =>
      [landingUrl, pdfUrl].some((url) => url !== null && arxivIdAt(services, url)?.id === id.id),
    );
    yield* arxivFile(services, 'arxiv', id, { license: known?.license ?? null });
  },
};

/** The page behind the DOI. Skips arXiv DOIs, whose file the arXiv resolver has given. */
const doi: Resolver = {
  name: 'doi',
  async *plans(work, { services }) {
    if (work.ids.doi === null || work.ids.doi.startsWith('10.48550/arxiv.')) return;
    yield* plan('doi', services.url('doi', doiPath(work.ids.doi)), { expect: 'landing', robots: 'terms' });
  },
};

/** In order of the load on others (docs/decisions/resolvers.md): last are paid services and archives. */
export const RESOLVERS: readonly Resolver[] = [
  arxiv,
  pmc,
  openalex,
  europePmc,
  springerNature,
  biorxiv,
  unpaywall,
  hal,
  zenodo,
  figshare,
  osf,
  doaj,
  crossref,
  landingPage,
  doi,
  datacite,
  semanticScholar,
  core,
  openaire,
  wileyTdm,
  elsevierTdm,
  openalexContent,
  wayback,
];

/** Used only if enabled by name: they need a subscription and have their own terms. */
const OPT_IN: ReadonlySet<string> = new Set(['wiley_tdm', 'elsevier_tdm']);

export type ResolverPreset = 'fast' | 'broad';

/** 'fast' uses only quick and likely resolvers, 'broad' all. */
export const PRESETS: Readonly<Record<ResolverPreset, readonly string[]>> = {
  fast: ['arxiv', 'pmc', 'openalex', 'europe_pmc', 'biorxiv', 'unpaywall', 'landing_page'],
  broad: RESOLVERS.map(({ name }) => name).filter((name) => !OPT_IN.has(name)),
};

/** Which resolvers are asked. */
export interface ResolverChoice {
  /** A named list; `broad` by default. */
  readonly preset?: ResolverPreset;
  /** These first; the others of the preset follow in order. */
  readonly order?: readonly string[];
  /** Added to the preset; by default none. */
  readonly enable?: readonly string[];
  /** Left out; by default none. */
  readonly disable?: readonly string[];
  /** Your own resolvers; one with a built-in's name replaces it. */
  readonly extra?: readonly Resolver[];
}

/** The resolvers of a choice, in the order they are asked. */
export function chooseResolvers(choice: ResolverChoice = {}): Resolver[] {
  const all = new Map<string, Resolver>(RESOLVERS.map((resolver) => [resolver.name, resolver]));
  for (const resolver of choice.extra ?? []) all.set(resolver.name, resolver);
  const named = [...(choice.order ?? []), ...(choice.enable ?? []), ...(choice.disable ?? [])];
  const unknown = named.find((name) => !all.has(name));
  if (unknown !== undefined) {
    throw new AppError('CONFIG_RESOLVER_UNKNOWN', `unknown resolver "${unknown.slice(0, 100)}"`, {
      hint: `known are ${[...all.keys()].join(', ')}`,
    });
  }
  const own = (choice.extra ?? []).map(({ name }) => name);
  const enabled = new Set([
    ...PRESETS[choice.preset ?? 'broad'],
    ...own,
    ...(choice.enable ?? []),
    ...(choice.order ?? []),
  ]);
  for (const name of choice.disable ?? []) enabled.delete(name);
  const names = [...new Set([...(choice.order ?? []), ...all.keys()])].filter((name) => enabled.has(name));
  return names.flatMap((name) => all.get(name) ?? []);
}
