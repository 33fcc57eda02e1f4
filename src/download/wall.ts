import type { Headers } from '../http/index.ts';
import type { Reason } from './reasons.ts';

/** What is known of a page that came in place of a document. */
export interface PageFacts {
  readonly status: number;
  readonly url: URL;
  readonly headers: Headers;
  /** The beginning of the page; a few thousand characters tell enough. */
  readonly text: string;
}

const CHALLENGE =
  /_cf_chl_opt|\/cdn-cgi\/challenge-platform\/|<title>\s*Just a moment\.\.\.|error code: 10(?:15|20)\b|_Incapsula_Resource|Request unsuccessful\. Incapsula|px-captcha|perimeterx|geo\.captcha-delivery\.com|datadome|perfdrive\.com|Reference #[\d.a-f]{6,}|checking your browser|enable javascript and cookies to continue/i;
const CAPTCHA =
  /g-recaptcha|h-captcha|hcaptcha\.com|recaptcha\/api|<[^>]{0,200}captcha[^>]{0,200}>|solve the captcha|are you a robot/i;
const LOGIN_URL =
  /\/(?:login|signin|sign-in|ssocore|idp|sso|shibboleth|wayf|saml)(?:[/?.]|$)|SAMLRequest=|password-login|openathens|action=showLogin/i;
const LOGIN_PAGE =
  /<input[^>]{0,200}type\s*=\s*["']?password|<title>[^<]{0,100}(?:log ?in|sign ?in|institutional access)/i;
const COOKIE_URL = /cookieAbsent|cookies_not_supported|cookieSet=|error=cookies/i;
const COOKIE_PAGE =
  /cookies (?:are|must be) (?:disabled|enabled|required)|please enable cookies|browser (?:does not|must) accept cookies/i;
const PAYWALL =
  /purchase (?:pdf|article|access)|buy (?:this )?article|get access|rent this article|subscribe to (?:read|journal)|add to cart|pay per view/i;
const MISSING =
  /<title>\s*(?:error\s*)?404\b|<title>[^<]{0,100}(?:page not found|\b404 (?:error|not found)|no longer available)|<title>\s*not found\s*<|the page you (?:requested|are looking for)[^.<]{0,60}(?:not|cannot|could not)|<h1[^>]{0,100}>\s*(?:404|page not found|not found)\s*</i;
/** An article page states itself as one; whatever else it says is about something else. */
const ARTICLE = /citation_(?:title|doi|pdf_url)/i;
const NAMES_FILE = /citation_pdf_url/i;

/** True for an address by which sites find out whether cookies are kept. */
export function isCookieWall(url: string): boolean {
  return COOKIE_URL.test(url);
}

/**
 * What kind of wall a page is, by signs the walls themselves carry; undefined for an ordinary page. They are
 * recognised so that the account is right, never to be got around.
 */
export function wallOf({ status, url, headers, text }: PageFacts): Reason | undefined {
  if (headers['cf-mitigated'] === 'challenge' || headers['x-amzn-waf-action'] !== undefined) return 'blocked-challenge';
  const seen = text.slice(0, 200_000);
  if (CHALLENGE.test(seen)) return 'blocked-challenge';
  if (status >= 400 && status !== 403 && status !== 401 && status !== 503) return undefined;
  if (isCookieWall(url.href) || COOKIE_PAGE.test(seen)) return 'blocked-cookie';
  if (CAPTCHA.test(seen)) return 'blocked-captcha';
  if (LOGIN_URL.test(url.pathname + url.search) || LOGIN_PAGE.test(seen)) return 'blocked-login';
  if (status >= 400) return undefined;
  if (MISSING.test(seen) && !ARTICLE.test(seen)) return 'soft-404';
  return PAYWALL.test(seen) && !NAMES_FILE.test(seen) ? 'paywalled' : undefined;
}
