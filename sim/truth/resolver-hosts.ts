import { SUFFIX } from '../world/identifiers.ts';
import type { Resolver } from './policy.ts';

/** The API host each resolver needs; without it there are no plans. */
const ASKED: Readonly<Partial<Record<Resolver, string>>> = {
  europe_pmc: 'www.ebi.ac.uk',
  pmc: 'pmc-oa-opendata.s3.amazonaws.com',
  biorxiv: 'api.biorxiv.org',
  unpaywall: 'api.unpaywall.org',
  crossref: 'api.crossref.org',
  doaj: 'doaj.org',
  hal: 'api.archives-ouvertes.fr',
  zenodo: 'zenodo.org',
  figshare: 'api.figshare.com',
  osf: 'api.osf.io',
  semantic_scholar: 'api.semanticscholar.org',
  core: 'api.core.ac.uk',
  openaire: 'api.openaire.eu',
  datacite: 'api.datacite.org',
  springer_nature: 'api.springernature.com',
  wayback: 'web.archive.org',
};

/** Whether a resolver has no plans without a response from that host. */
export function needsHost(resolver: Resolver, host: string): boolean {
  return `${ASKED[resolver] ?? ''}${SUFFIX}` === host;
}
