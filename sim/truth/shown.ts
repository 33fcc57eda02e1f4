import { listedIn } from '../world/locations.ts';
import type { Location, Work } from '../world/types.ts';
import type { World } from '../world/world.ts';

/** Semantic Scholar knows most papers; in the `reality` world a third are missing. */
export function isInSemanticScholar(world: World, work: Work): boolean {
  return (
    listedIn(work, 'semantic_scholar').length > 0 || world.parameters.profile !== 'reality' || work.index % 3 !== 0
  );
}

/** Encodes a DOI as a path; slashes are kept. */
export function encodeDoi(doi: string): string {
  return doi.split('/').map(encodeURIComponent).join('/');
}

/** The licence as OpenAlex shows it; arXiv's own licence is not in its vocabulary. */
export function shownLicense(location: Location): string | null {
  return location.license === 'arxiv-nonexclusive' ? null : location.license;
}
