import type { Headers } from '../http/index.ts';
import type { PageFace } from '../resolve/index.ts';
import { readFace } from '../resolve/index.ts';
import type { Reason } from './reasons.ts';
import { WALL_SIGNS } from './wall-signs.ts';

/** A page received instead of a document. */
export interface PageFacts {
  readonly status: number;
  readonly url: URL;
  readonly headers: Headers;
  readonly text: string;
}

const BAN = /^\s*error code: 10\d\d\b/i;
const CAPTCHA =
  /g-recaptcha|h-captcha|hcaptcha\.com|recaptcha\/api|cf-turnstile|solve the captcha|are you a (?:robot|human)/i;
const LOGIN_URL =
  /\/(?:login|signin|sign-in|ssocore|idp|sso|shibboleth|wayf|saml)(?:[/?.]|$)|SAMLRequest=|password-login|openathens|action=showLogin/i;
const LOGIN_TITLE = /\b(?:log ?in|sign ?in|institutional access)\b/i;
const COOKIE_URL = /cookieAbsent|cookies_not_supported|cookieSet=|error=cookies/i;
const COOKIE_PAGE =
  /cookies (?:are|must be) (?:disabled|enabled|required)|please enable cookies|browser (?:does not|must) accept cookies/i;
const FOR_SALE =
  /purchase (?:pdf|article|access)|buy (?:this )?article|get access|rent this article|subscribe to (?:read|journal)|add to cart|pay per view/i;
const MISSING_TITLE = /^(?:error\s*)?404\b|page not found|\b404 (?:error|not found)|no longer available|^not found$/i;
const MISSING =
  /the page you (?:requested|are looking for)[^.<]{0,60}(?:not|cannot|could not)|<h1[^>]{0,100}>\s*(?:404|page not found|not found)\s*</i;

/** Walls are short: a page with more text is something else. */
const MOST_WORDS_OF_A_WALL = 400;
/** A page that only runs a script has at most a sentence of text. */
const MOST_WORDS_OF_A_SCRIPT = 30;
/** Only this much of a page is inspected. */
const MOST_CHARACTERS = 2_000_000;

/** Whether a URL tests for cookies. */
export function isCookieWall(url: string): boolean {
  return COOKIE_URL.test(url);
}

/** Whether a page offers a text for sale, as closed articles do, and the headers of many open ones. */
export function isForSale(text: string): boolean {
  return FOR_SALE.test(text.slice(0, MOST_CHARACTERS));
}

/**
 * The kind of wall a page is; undefined for an ordinary page. A wall has no article metadata and hardly any text.
 * Signs alone prove nothing, since guard scripts, login forms and shopping carts are on the pages of open articles
 * too. Walls are detected to report them correctly, never to circumvent them.
 */
export function wallOf({ status, url, headers, text }: PageFacts): Reason | undefined {
  if (WALL_SIGNS.some(({ headers: signs }) => signs?.some(([name, value]) => matches(headers[name], value))))
    return 'bot-wall';
  const seen = text.slice(0, MOST_CHARACTERS);
  if (BAN.test(seen.slice(0, 200))) return 'bot-wall';
  const face = readFace(seen);
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
  return WALL_SIGNS.some(({ titles, marks, guards }) => {
    if (titles?.some((each) => name.startsWith(each)) || marks?.some((each) => lower.includes(each))) return true;
    const isBare = prose.words <= MOST_WORDS_OF_A_SCRIPT && files === 0;
    return isBare && (guards?.some((each) => lower.includes(each)) ?? false);
  });
}
