import type { Host } from '../world/types.ts';

export interface RobotsAnswer {
  readonly status: number;
  readonly text: string;
  /** Redirects before the response; more than five count as unavailable (RFC 9309, 2.3.1.2). */
  readonly redirects: number;
  readonly hangs: boolean;
}

const FILES = [
  '/index.php/*/article/download/',
  '/doi/pdf/',
  '/bitstream/',
  '/server/',
  '/id/eprint/*/1/',
  '/articles/files/',
];
const EVERYTHING = ['/articles', '/index.php', '/doi', '/handle', '/bitstream', '/id', '/items', '/server', '/login'];

const TEXTS = {
  allow: 'User-agent: *\nDisallow:\n',
  missing: 'not here',
  forbidden: 'forbidden',
  'disallow-files': `User-agent: *\n${FILES.map((path) => `Disallow: ${path}\n`).join('')}`,
  'disallow-all': 'User-agent: *\nDisallow: /\n',
  'server-error': 'internal error',
  timeout: '',
  'redirect-5': 'User-agent: *\nDisallow: /admin/\n',
  'redirect-6': 'User-agent: *\nDisallow: /\n',
  huge: `User-agent: *\nDisallow: /admin/\n${'# padding that no rule hides in\n'.repeat(19_500)}`,
  'bom-crlf': '\uFEFFUser-agent: *\r\nDisallow: /admin/\r\n\r\nSitemap: /sitemap.xml\r\n',
  wildcard: 'User-agent: *\nDisallow: /*.zip$\nDisallow: /*session=\nAllow: /\n',
  'longest-match': `User-agent: *\nDisallow: /\n${EVERYTHING.map((path) => `Allow: ${path}\n`).join('')}Disallow: /articles\n`,
  'own-group': 'User-agent: *\nDisallow:\n\nUser-agent: docstokg-ts\nUser-agent: OtherBot\nDisallow: /\n',
  'crawl-delay': 'User-agent: *\nCrawl-delay: 2\nDisallow: /admin/\n',
  'crawl-delay-60': 'User-agent: *\nCrawl-delay: 60\nDisallow: /admin/\n',
  'crawl-delay-120': 'User-agent: *\nCrawl-delay: 120\nDisallow: /admin/\n',
};

export type RobotsVariant = keyof typeof TEXTS;
export const ROBOTS_VARIANTS = Object.keys(TEXTS) as readonly RobotsVariant[];

export function robotsOf(host: Pick<Host, 'robots'>): RobotsAnswer {
  const { robots } = host;
  return {
    status: robots === 'missing' ? 404 : robots === 'forbidden' ? 403 : robots === 'server-error' ? 500 : 200,
    text: TEXTS[robots],
    redirects: robots === 'redirect-5' ? 5 : robots === 'redirect-6' ? 6 : 0,
    hangs: robots === 'timeout',
  };
}

/** Robots files of services whose pages are not for programs; other services allow everything. */
export const SERVICE_ROBOTS: Readonly<Record<string, string>> = {
  'pmc.ncbi.nlm.nih.gov.sim.test': 'User-agent: *\nDisallow: /articles/\n',
  'zenodo.org.sim.test': 'User-agent: *\nCrawl-delay: 10\nDisallow: /api\nAllow: /api/records/*/files\n',
};
