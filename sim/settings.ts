import { SIM_KEYS } from './server/run-state.ts';
import type { Simulation } from './server/simulation.ts';
import { NOWHERE } from './world/hosts.ts';
import { at, SUFFIX } from './world/identifiers.ts';

/** Settings that point a client at the simulated web. */
export interface ClientSettings {
  /**
   * DNS mapping for names ending in `suffix`; `exceptions` resolve elsewhere, like an attacker's, or not at all
   * (`none`).
   */
  readonly dns: {
    readonly suffix: string;
    readonly address: string;
    readonly exceptions: Readonly<Record<string, string>>;
  };
  /** The only private addresses that the SSRF guard may allow. */
  readonly allowedAddresses: readonly string[];
  /** Base URL per service, without trailing slash. */
  readonly services: Readonly<Record<string, string>>;
  readonly keys: Readonly<Record<string, string>>;
  /** Real seconds per simulated second: use `scaledClock` for every wait, rate and timeout. */
  readonly timeScale: number;
  readonly scheme: 'http';
}

const SERVICE_BASES: Readonly<Record<string, string>> = {
  openalex: at('api.openalex.org', ''),
  openalex_content: at('content.openalex.org', ''),
  unpaywall: at('api.unpaywall.org', '/v2'),
  crossref: at('api.crossref.org', ''),
  doi: at('doi.org', ''),
  datacite: at('api.datacite.org', ''),
  arxiv_api: at('export.arxiv.org', '/api/query'),
  arxiv_oai: at('oaipmh.arxiv.org', '/oai'),
  arxiv_files: at('export.arxiv.org', ''),
  europe_pmc: at('www.ebi.ac.uk', '/europepmc/webservices/rest'),
  europe_pmc_files: at('europepmc.org', ''),
  pmc: at('pmc-oa-opendata.s3.amazonaws.com', ''),
  eutils: at('eutils.ncbi.nlm.nih.gov', '/entrez/eutils'),
  pmc_idconv: at('pmc.ncbi.nlm.nih.gov', '/tools/idconv/api/v1/articles'),
  semantic_scholar: at('api.semanticscholar.org', '/graph/v1'),
  core: at('api.core.ac.uk', '/v3'),
  doaj: at('doaj.org', '/api/v4'),
  hal: at('api.archives-ouvertes.fr', ''),
  zenodo: at('zenodo.org', '/api'),
  figshare: at('api.figshare.com', '/v2'),
  osf: at('api.osf.io', '/v2'),
  openaire: at('api.openaire.eu', '/graph/v3'),
  springer_nature: at('api.springernature.com', ''),
  biorxiv: at('api.biorxiv.org', ''),
  biorxiv_files: at('www.biorxiv.org', ''),
  medrxiv_files: at('www.medrxiv.org', ''),
  wayback_available: at('archive.org', '/wayback/available'),
  wayback: at('web.archive.org', ''),
  zotero: at('api.zotero.org', ''),
};

export function clientSettings(simulation: Simulation): ClientSettings {
  const address = `127.0.0.1:${simulation.port}`;
  return {
    dns: {
      suffix: SUFFIX,
      address,
      exceptions: { [`rebind${SUFFIX}`]: `127.0.0.1:${simulation.canaries.v4}`, [`*${NOWHERE}`]: 'none' },
    },
    allowedAddresses: [address],
    services: SERVICE_BASES,
    keys: SIM_KEYS,
    timeScale: simulation.timeScale,
    scheme: 'http',
  };
}
