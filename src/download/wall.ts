import type { Headers } from '../http/index.ts';
import type { PageFace, ReadPage } from '../resolve/index.ts';
import { faceOf, readPage } from '../resolve/index.ts';
import type { Reason } from './reasons.ts';

interface PageFacts {
  readonly status: number;
  readonly url: URL;
  readonly headers: Headers;
  readonly text: string;
  readonly read?: ReadPage;
}

const BAN = /^\s*error code: 10\d\d\b/i;
const CAPTCHA =
  /g-recaptcha|h-captcha|hcaptcha\.com|recaptcha\/api|cf-turnstile|solve the captcha|are you a (?:robot|human)/i;
const LOGIN_URL =
  /\/(?:login|signin|sign-in|ssocore|idp|sso|shibboleth|wayf|saml)(?:[/?.]|$)|SAMLRequest=|password-login|openathens|action=showLogin/i;
const LOGIN_TITLE =
  /\b(?:log ?in|sign ?in|institutional access|anmelden|anmeldung|s['’]identifier|se connecter|iniciar sesi[óo]n|inicio de sesi[óo]n|fazer login)\b|登录|登錄|登入|ログイン|로그인|авторизация/i;
const COOKIE_URL = /cookieAbsent|cookies_not_supported|cookieSet=|error=cookies/i;
const COOKIE_PAGE =
  /cookies (?:are|must be) (?:disabled|enabled|required)|please enable cookies|browser (?:does not|must) accept cookies/i;
const FOR_SALE =
  /purchase (?:pdf|article|access)|buy (?:this )?article|get access|rent this article|subscribe to (?:read|journal)|add to cart|pay per view/i;
const MISSING_TITLE =
  /^(?:error\s*)?404\b|page not found|\b404 (?:error|not found)|no longer available|^not found$|nicht gefunden|page introuvable|p[áa]gina n[ãa]o encontrada|p[áa]gina no encontrada|pagina non trovata|страница не найдена|页面不存在|頁面不存在|ページが見つかりません/i;
const MISSING =
  /the page you (?:requested|are looking for)[^.<]{0,60}(?:not|cannot|could not)|<h1[^>]{0,100}>\s*(?:404|page not found|not found)\s*</i;

/** Walls are short: a page with more text is something else. */
const MOST_WORDS_OF_A_WALL = 400;
/** A page that only runs a script has at most a sentence of text. */
const MOST_WORDS_OF_A_SCRIPT = 30;
const MOST_CHARACTERS = 2_000_000;

export function isCookieWall(url: string): boolean {
  return COOKIE_URL.test(url);
}

/** Whether a page offers a text for sale, as closed articles do, and headers of many open ones. */
export function isForSale(text: string): boolean {
  return FOR_SALE.test(text.slice(0, MOST_CHARACTERS));
}

/**
 * Undefined for an ordinary page. A wall has no article metadata and hardly any text; signs alone prove nothing, since
 * open articles have login forms too. Walls are detected to be reported, never to be circumvented.
 */
export function wallOf({ status, url, headers, text, read }: PageFacts): Reason | undefined {
  if (
    Object.values(WALL_SIGNS).some(({ headers: signs }) =>
      signs?.some(([name, value]) => matches(headers[name], value)),
    )
  )
    return 'bot-wall';
  const seen = text.slice(0, MOST_CHARACTERS);
  if (BAN.test(seen.slice(0, 200))) return 'bot-wall';
  const face = faceOf(read ?? readPage(seen));
  if (face.isArticle) return undefined;
  if (face.prose.words <= MOST_WORDS_OF_A_WALL && hasSign(face, seen.toLowerCase())) return 'bot-wall';
  if (status >= 400 && status !== 403 && status !== 401 && status !== 503) return undefined;
  if (LOGIN_URL.test(url.pathname + url.search)) return 'blocked-login';
  if (isCookieWall(url.href)) return 'blocked-cookie';
  const isMissing = status < 400 && (MISSING_TITLE.test(face.title) || MISSING.test(seen));
  if (face.prose.words > MOST_WORDS_OF_A_WALL) return isMissing && face.files === 0 ? 'soft-404' : undefined;
  if (COOKIE_PAGE.test(seen)) return 'blocked-cookie';
  if (CAPTCHA.test(seen)) return 'blocked-captcha';
  if (face.asksPassword || LOGIN_TITLE.test(face.title)) return 'blocked-login';
  return isMissing ? 'soft-404' : undefined;
}

function matches(value: string | undefined, wanted: string): boolean {
  return value !== undefined && (wanted === '' || value.toLowerCase().includes(wanted));
}

function hasSign({ title, prose, files }: PageFace, lower: string): boolean {
  const name = title.toLowerCase();
  return Object.values(WALL_SIGNS).some(({ titles, marks, guards }) => {
    if (titles?.some((each) => name.startsWith(each)) || marks?.some((each) => lower.includes(each))) return true;
    const isBare = prose.words <= MOST_WORDS_OF_A_SCRIPT && files === 0;
    return isBare && (guards?.some((each) => lower.includes(each)) ?? false);
  });
}

/**
 * In lower case. `headers` and `titles` occur only on walls, `marks` also elsewhere, so the page must have hardly any
 * text; `guards` are scripts on every page of a site and count only without words. wall.test.ts has an example of each.
 */
interface WallSign {
  /** Name and value of a response header; an empty value matches any. */
  readonly headers?: readonly (readonly [string, string])[];
  readonly titles?: readonly string[];
  readonly marks?: readonly string[];
  readonly guards?: readonly string[];
}

export const WALL_SIGNS: Readonly<Record<string, WallSign>> = {
  // developers.cloudflare.com/cloudflare-challenges/challenge-types/challenge-pages/detect-response, 1xxx errors
  Cloudflare: {
    headers: [['cf-mitigated', 'challenge']],
    titles: ['just a moment...', 'attention required! | cloudflare', 'please wait... | cloudflare'],
    marks: ['_cf_chl_opt', 'cf-browser-verification', 'cf-error-details', 'id="challenge-error-text"'],
    guards: ['/cdn-cgi/challenge-platform/'],
  },
  // docs.aws.amazon.com/waf/latest/developerguide/waf-captcha-and-challenge-actions.html
  'AWS WAF': {
    headers: [['x-amzn-waf-action', '']],
    titles: ['human verification'],
    marks: ['awswafintegration', 'awswafcaptcha'],
    guards: ['.awswaf.com/'],
  },
  // github.com/TecharoHQ/anubis: web/index.templ
  Anubis: {
    titles: ["making sure you're not a bot", 'making sure you’re not a bot', 'oh noes!'],
    marks: ['anubis_challenge', '.within.website/x/cmd/anubis'],
  },
  // pmc.ncbi.nlm.nih.gov answers to programs, 2025 and later: a proof of work in place of the file
  'PubMed Central': { titles: ['preparing to download'], marks: ['cloudpmc-viewer-pow'] },
  // pmc.ncbi.nlm.nih.gov answers to programs, 2025 and later
  'reCAPTCHA at NCBI': {
    titles: ['checking your browser - recaptcha', 'checking your browser'],
    marks: ['checking your browser before accessing'],
  },
  // Radware Bot Manager (ShieldSquare) pages at validate.perfdrive.com, as at iopscience.iop.org
  Radware: {
    titles: ['radware bot manager captcha', 'radware page', 'shieldsquare captcha', 'shieldsquare block'],
    marks: ['captcha.perfdrive.com', 'validate.perfdrive.com'],
    guards: ['perfdrive.com', 'shieldsquare'],
  },
  // docs.datadome.co: the page that carries `var dd=` and captcha-delivery.com
  DataDome: {
    marks: [
      'captcha-delivery.com/c.js',
      'captcha-delivery.com/i.js',
      'geo.captcha-delivery.com',
      'ct.captcha-delivery.com',
    ],
    guards: ['captcha-delivery.com', 'datadome'],
  },
  // techdocs.akamai.com: "Access Denied … Reference #"; the interstitial of Bot Manager
  Akamai: {
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
  // docs.humansecurity.com: block page with px-captcha, "Press & Hold"
  'HUMAN (PerimeterX)': {
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
  // docs.imperva.com: error pages "Request unsuccessful. Incapsula incident ID"
  'Imperva (Incapsula)': {
    titles: ['pardon our interruption'],
    marks: ['incapsula incident id', 'iframe id="main-iframe" src="/_incapsula_resource'],
    guards: ['_incapsula_resource'],
  },
  // my.f5.com: the blocking page of Advanced WAF
  F5: {
    titles: ['request rejected'],
    marks: ['the requested url was rejected. please consult with your administrator'],
    guards: ['/tspd/'],
  },
  // vercel.com/docs/vercel-firewall/firewall-concepts
  Vercel: { headers: [['x-vercel-mitigated', 'challenge']], titles: ['vercel security checkpoint'] },
  // kasada.io: the page that loads ips.js and waits for its answer
  Kasada: { marks: ['window.kpsdk', '/149e9513-01fa-4fb0-aad4-566afd725d1b/'] },
  // docs.fastly.com/en/guides/about-client-challenges; as at link.springer.com and pypi.org
  Fastly: { titles: ['client challenge'], marks: ['/_fs-ch-'] },
  // academic.oup.com and other journals on Silverchair: /crawlprevention/governor, "Validate User"
  Silverchair: { titles: ['validate user'], marks: ['/crawlprevention/governor'] },
  // docs.sucuri.net/website-firewall: the block page and the JavaScript check
  Sucuri: {
    titles: ['sucuri website firewall', 'you are being redirected...'],
    marks: ['sucuri_cloudproxy_js', 'cloudproxy@sucuri.net'],
  },
  // ddos-guard.net: the page that loads /.well-known/ddos-guard/
  'DDoS-Guard': { titles: ['ddos-guard'], marks: ['/.well-known/ddos-guard/'] },
  // siteground.com: the page that sends its reader to /.well-known/sgcaptcha/
  SiteGround: { titles: ['robot challenge screen'], marks: ['/.well-known/sgcaptcha/'] },
  // alibabacloud.com/help/en/waf: the script that sets acw_sc__v2
  'Alibaba Cloud': { marks: ['acw_sc__v2', 'acw_sc__v3'] },
  // git.gammaspectra.live/git/go-away: challenge templates
  'go-away': { marks: ['/.well-known/.git.gammaspectra.live/git/go-away/'] },
};
