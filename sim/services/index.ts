import type { Service } from '../server/exchange.ts';
import { SUFFIX } from '../world/identifiers.ts';
import { arxiv } from './arxiv.ts';
import { biorxiv } from './biorxiv.ts';
import { core } from './core.ts';
import { crossref } from './crossref.ts';
import { datacite } from './datacite.ts';
import { doaj } from './doaj.ts';
import { doi } from './doi.ts';
import { europePmc } from './europe-pmc.ts';
import { figshare } from './figshare.ts';
import { hal } from './hal.ts';
import { openaire } from './openaire.ts';
import { openalex } from './openalex.ts';
import { openalexContent } from './openalex.ts';
import { osf } from './osf.ts';
import { pmc } from './pmc.ts';
import { elsevierTdm, springerNature, wileyTdm } from './publishers.ts';
import { semanticScholar } from './semantic-scholar.ts';
import { unpaywall } from './unpaywall.ts';
import { wayback } from './wayback.ts';
import { zenodo } from './zenodo.ts';
import { zotero } from './zotero.ts';

export const SERVICES: readonly Service[] = [
  openalex,
  openalexContent,
  unpaywall,
  crossref,
  doi,
  datacite,
  arxiv,
  europePmc,
  pmc,
  semanticScholar,
  core,
  doaj,
  hal,
  zenodo,
  figshare,
  osf,
  openaire,
  biorxiv,
  springerNature,
  wileyTdm,
  elsevierTdm,
  wayback,
  zotero,
];

const BY_HOST: ReadonlyMap<string, Service> = new Map(
  SERVICES.flatMap((service) => service.hosts.map((host) => [`${host}${SUFFIX}`, service] as const)),
);

export function serviceAt(host: string): Service | undefined {
  return BY_HOST.get(host);
}
