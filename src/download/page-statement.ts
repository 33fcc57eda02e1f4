import type { Headers } from '../http/index.ts';
import type { LandingPage, Plan, SameAs } from '../resolve/index.ts';
import { compareWork } from '../resolve/index.ts';
import type { Work } from '../works/index.ts';
import type { Attempt } from './outcome.ts';

/** What a landing page says about itself, beyond where the file is. */
export interface PageStatement {
  readonly license: LandingPage['license'];
  readonly sameAs: SameAs | null;
  readonly tdmReserved: boolean;
  /** The page states the DOI, or title and authors, of the work. */
  readonly isProven: boolean;
}

/** What a page states, for a page of the work; else why it is another's. A DOI that the plan named needs no other proof. */
export function statementOf(page: LandingPage, work: Work, plan: Plan): PageStatement | { readonly why: string } {
  const isNamed = plan.sameAs !== null && page.doi === plan.sameAs.doi;
  const sameness = compareWork(work, !page.isDoiStated || isNamed ? {} : page);
  if (sameness.kind === 'other') return { why: sameness.why };
  return {
    license: page.license,
    sameAs: sameness.kind === 'version' ? sameness.sameAs : null,
    tdmReserved: page.tdmReserved,
    isProven: isNamed || sameness.kind === 'same' || sameness.kind === 'version',
  };
}

/** What is known of the rights of a file and of the version it is: what the source said, else what its page did. */
export function rightsOf(
  plan: Plan,
  page: PageStatement | null,
  headers: Headers | undefined,
): Pick<Attempt, 'license' | 'version' | 'sameAs' | 'evidence' | 'terms'> {
  const license = plan.license ?? page?.license ?? null;
  const sameAs = page?.sameAs ?? plan.sameAs;
  // The TDM Reservation Protocol (W3C community group, 2024): a header, or a statement of the page.
  const isReserved = page?.tdmReserved === true || headers?.['tdm-reservation']?.trim() === '1';
  return {
    license: license?.slug ?? license?.raw ?? null,
    version: plan.version ?? (sameAs !== null && isPreprint(sameAs.doi) ? 'submittedVersion' : null),
    sameAs: sameAs?.doi ?? null,
    evidence: sameAs?.evidence ?? null,
    terms: plan.terms ?? (isReserved ? 'text-mining' : null),
  };
}

/** DOIs that preprint servers register for what is posted there. */
function isPreprint(doi: string): boolean {
  return /^10\.(?:48550|1101|64898|31219|3123\d|35542|31222|21203|20944|26434|2139|36227|22541)\//.test(doi);
}
