import type { Headers } from '../http/index.ts';
import type { LandingPage, Plan, SameAs } from '../resolve/index.ts';
import { compareWork } from '../resolve/index.ts';
import type { Work } from '../works/index.ts';
import type { Attempt } from './outcome.ts';

/** What a landing page says besides the file's URL. */
export interface PageStatement {
  readonly license: LandingPage['license'];
  readonly sameAs: SameAs | null;
  readonly tdmReserved: boolean;
  /** The page has the work's DOI, or its title and authors. */
  readonly isProven: boolean;
}

/** What a page states if it is the work's; else why it is another's. A DOI named in the plan needs no other proof. */
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

/** Licence, terms and version of a file: from the source, else from its page. */
export function rightsOf(
  plan: Plan,
  page: PageStatement | null,
  headers: Headers | undefined,
): Pick<Attempt, 'license' | 'version' | 'sameAs' | 'evidence' | 'terms'> {
  const license = plan.license ?? page?.license ?? null;
  const sameAs = page?.sameAs ?? plan.sameAs;
  // TDM Reservation Protocol (W3C community group, 2024): a header or a meta element.
  const isReserved = page?.tdmReserved === true || headers?.['tdm-reservation']?.trim() === '1';
  return {
    license: license?.slug ?? license?.raw ?? null,
    version: plan.version ?? (sameAs !== null && isPreprint(sameAs.doi) ? 'submittedVersion' : null),
    sameAs: sameAs?.doi ?? null,
    evidence: sameAs?.evidence ?? null,
    terms: plan.terms ?? (isReserved ? 'text-mining' : null),
  };
}

/** Whether a preprint server registered the DOI. */
function isPreprint(doi: string): boolean {
  return /^10\.(?:48550|1101|64898|31219|3123\d|35542|31222|21203|20944|26434|2139|36227|22541)\//.test(doi);
}
