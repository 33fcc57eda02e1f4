/**
 * Signs of pages that block programs; data, not code. `headers` and `titles` occur only on walls. `marks` are on the
 * wall's page and prove something only if the page has nothing else. `guards` are scripts that vendors add to every
 * page of a site: they prove something only on a page without words. All lower case. wall.test.ts has an example of
 * each; `source` says where it was found.
 */
export interface WallSign {
  readonly vendor: string;
  readonly source: string;
  /** Name and value of a response header; an empty value matches any. */
  readonly headers?: readonly (readonly [string, string])[];
  readonly titles?: readonly string[];
  readonly marks?: readonly string[];
  readonly guards?: readonly string[];
}

export const WALL_SIGNS: readonly WallSign[] = [
  {
    vendor: 'Cloudflare',
    source:
      'developers.cloudflare.com/cloudflare-challenges/challenge-types/challenge-pages/detect-response, 1xxx errors',
    headers: [['cf-mitigated', 'challenge']],
    titles: ['just a moment...', 'attention required! | cloudflare', 'please wait... | cloudflare'],
    marks: ['_cf_chl_opt', 'cf-browser-verification', 'cf-error-details', 'id="challenge-error-text"'],
    guards: ['/cdn-cgi/challenge-platform/'],
  },
  {
    vendor: 'AWS WAF',
    source: 'docs.aws.amazon.com/waf/latest/developerguide/waf-captcha-and-challenge-actions.html',
    headers: [['x-amzn-waf-action', '']],
    titles: ['human verification'],
    marks: ['awswafintegration', 'awswafcaptcha'],
    guards: ['.awswaf.com/'],
  },
  {
    vendor: 'Anubis',
    source: 'github.com/TecharoHQ/anubis: web/index.templ',
    titles: ["making sure you're not a bot", 'making sure you’re not a bot', 'oh noes!'],
    marks: ['anubis_challenge', '.within.website/x/cmd/anubis'],
  },
  {
    vendor: 'PubMed Central',
    source: 'pmc.ncbi.nlm.nih.gov answers to programs, 2025 and later: a proof of work in place of the file',
    titles: ['preparing to download'],
    marks: ['cloudpmc-viewer-pow'],
  },
  {
    vendor: 'reCAPTCHA at NCBI',
    source: 'pmc.ncbi.nlm.nih.gov answers to programs, 2025 and later',
    titles: ['checking your browser - recaptcha', 'checking your browser'],
    marks: ['checking your browser before accessing'],
  },
  {
    vendor: 'Radware',
    source: 'Radware Bot Manager (ShieldSquare) pages at validate.perfdrive.com, as at iopscience.iop.org',
    titles: ['radware bot manager captcha', 'radware page', 'shieldsquare captcha', 'shieldsquare block'],
    marks: ['captcha.perfdrive.com', 'validate.perfdrive.com'],
    guards: ['perfdrive.com', 'shieldsquare'],
  },
  {
    vendor: 'DataDome',
    source: 'docs.datadome.co: the page that carries `var dd=` and captcha-delivery.com',
    marks: [
      'captcha-delivery.com/c.js',
      'captcha-delivery.com/i.js',
      'geo.captcha-delivery.com',
      'ct.captcha-delivery.com',
    ],
    guards: ['captcha-delivery.com', 'datadome'],
  },
  {
    vendor: 'Akamai',
    source: 'techdocs.akamai.com: "Access Denied … Reference #"; the interstitial of Bot Manager',
    marks: [
      'errors.edgesuite.net/',
      'reference&#32;&#35;',
      'on this server.<p>\nreference #',
      'errors&#46;edgesuite&#46;net',
      'sec-if-cpt-container',
      'sec-bc-tile-container',
    ],
    guards: ['/akam/13/', 'bm-verify'],
  },
  {
    vendor: 'HUMAN (PerimeterX)',
    source: 'docs.humansecurity.com: block page with px-captcha, "Press & Hold"',
    titles: ['access to this page has been denied'],
    marks: [
      'px-captcha',
      'press &amp; hold to confirm',
      'press & hold to confirm',
      'captcha.px-cdn.net',
      'captcha.px-cloud.net',
    ],
    guards: ['perimeterx', 'px-cdn.net', 'px-cloud.net'],
  },
  {
    vendor: 'Imperva (Incapsula)',
    source: 'docs.imperva.com: error pages "Request unsuccessful. Incapsula incident ID"',
    titles: ['pardon our interruption'],
    marks: ['incapsula incident id', 'iframe id="main-iframe" src="/_incapsula_resource'],
    guards: ['_incapsula_resource'],
  },
  {
    vendor: 'F5',
    source: 'my.f5.com: the blocking page of Advanced WAF',
    titles: ['request rejected'],
    marks: ['the requested url was rejected. please consult with your administrator'],
    guards: ['/tspd/'],
  },
  {
    vendor: 'Vercel',
    source: 'vercel.com/docs/vercel-firewall/firewall-concepts',
    headers: [['x-vercel-mitigated', 'challenge']],
    titles: ['vercel security checkpoint'],
  },
  {
    vendor: 'Kasada',
    source: 'kasada.io: the page that loads ips.js and waits for its answer',
    marks: ['window.kpsdk', '/149e9513-01fa-4fb0-aad4-566afd725d1b/'],
  },
  {
    vendor: 'Fastly',
    source: 'docs.fastly.com/en/guides/about-client-challenges; as at link.springer.com and pypi.org',
    titles: ['client challenge'],
    marks: ['/_fs-ch-'],
  },
  {
    vendor: 'Silverchair',
    source: 'academic.oup.com and other journals on Silverchair: /crawlprevention/governor, "Validate User"',
    titles: ['validate user'],
    marks: ['/crawlprevention/governor'],
  },
  {
    vendor: 'Sucuri',
    source: 'docs.sucuri.net/website-firewall: the block page and the JavaScript check',
    titles: ['sucuri website firewall', 'you are being redirected...'],
    marks: ['sucuri_cloudproxy_js', 'cloudproxy@sucuri.net'],
  },
  {
    vendor: 'DDoS-Guard',
    source: 'ddos-guard.net: the page that loads /.well-known/ddos-guard/',
    titles: ['ddos-guard'],
    marks: ['/.well-known/ddos-guard/'],
  },
  {
    vendor: 'SiteGround',
    source: 'siteground.com: the page that sends its reader to /.well-known/sgcaptcha/',
    titles: ['robot challenge screen'],
    marks: ['/.well-known/sgcaptcha/'],
  },
  {
    vendor: 'Alibaba Cloud',
    source: 'alibabacloud.com/help/en/waf: the script that sets acw_sc__v2',
    marks: ['acw_sc__v2', 'acw_sc__v3'],
  },
  {
    vendor: 'go-away',
    source: 'git.gammaspectra.live/git/go-away: challenge templates',
    marks: ['/.well-known/.git.gammaspectra.live/git/go-away/'],
  },
];
