import type { Wall } from '../behaviours/behaviour.ts';
import type { Exchange } from '../server/exchange.ts';
import { html, page, redirect, text } from '../server/reply.ts';
import type { Reply } from '../server/reply.ts';
import { withFace } from './landing.ts';

const CHALLENGE =
  '<!DOCTYPE html><html lang="en-US"><head><title>Just a moment...</title><meta name="robots" content="noindex,nofollow"><meta http-equiv="refresh" content="35"></head><body class="no-js"><noscript><span id="challenge-error-text">Enable JavaScript and cookies to continue</span></noscript><script>window._cf_chl_opt={cType:"non-interactive"};</script><script src="/cdn-cgi/challenge-platform/h/g/orchestrate/jsch/v1"></script></body></html>';

/** Challenge pages that return 200: Anubis, PMC's proof of work, Radware's captcha. */
const ANUBIS =
  '<!doctype html><html lang="en"><head><title>Making sure you&#39;re not a bot!</title><script id="anubis_challenge" type="application/json">{"rules":{"difficulty":4}}</script></head><body><main><h1 id="title">Making sure you&#39;re not a bot!</h1><details><p>You are seeing this because the administrator of this website has set up Anubis to protect the server.</p></details><script type="module" src="/.within.website/x/cmd/anubis/static/js/main.mjs"></script></main></body></html>';
const PROOF_OF_WORK =
  '<!doctype html><html><head><title>Preparing to download ...</title></head><body><p>Preparing to download ...</p><script>const POW_CHALLENGE="sim";const POW_COOKIE_NAME="cloudpmc-viewer-pow";</script></body></html>';
const RADWARE =
  '<!doctype html><html><head><title>Radware Bot Manager Captcha</title></head><body><h2>We apologize for the inconvenience...</h2><p>To ensure we keep this website safe, please can you confirm you are a human by ticking the box below.</p><div class="h-captcha"></div></body></html>';

/** The page a wall shows; null for the wall that opens once its cookie is sent back. */
export function walledPage(how: 'cookie-opens', exchange: Exchange): Reply | null;
export function walledPage(how: Exclude<Wall, 'cookie-opens'>, exchange: Exchange): Reply;
export function walledPage(how: Wall, exchange: Exchange): Reply | null;
export function walledPage(how: Wall, exchange: Exchange): Reply | null {
  const { url, query, headers } = exchange;
  const clean = cleanUrl(url);
  switch (how) {
    case 'challenge-403':
    case 'challenge-503':
      return html(CHALLENGE, how === 'challenge-403' ? 403 : 503, {
        server: 'cloudflare',
        'cf-mitigated': 'challenge',
      });
    case 'challenge-anubis':
      return html(ANUBIS);
    case 'challenge-proof-of-work':
      return html(PROOF_OF_WORK);
    case 'challenge-radware':
      return html(RADWARE);
    case 'ban-1015':
      return text('error code: 1015', 429, { server: 'cloudflare' });
    case 'login':
      return redirect(`${url.origin}/login?SAMLRequest=sim&redirect=${encodeURIComponent(url.pathname)}`);
    case 'cookie-opens':
      if (/(^|;\s*)simwall=open\./.test(headers['cookie'] ?? '')) return null;
      return query.has('cookieSet')
        ? redirect(clean)
        : redirect(withFace(clean, 'cookieSet', '1'), 302, { 'set-cookie': `simwall=open.${url.hostname}; Path=/` });
    case 'cookie-stays':
      return query.get('error') === 'cookies_not_supported'
        ? page('Cookies are required', 'Please enable cookies to continue.')
        : redirect(withFace(clean, 'error', 'cookies_not_supported'), 302, {
            'set-cookie': `simwall=shut.${url.hostname}; Path=/`,
          });
    case 'captcha':
      return html(
        '<!doctype html><html><head><title>Are you a robot?</title><script src="/recaptcha/api.js"></script></head><body><form><div class="g-recaptcha" data-sitekey="sim"></div></form></body></html>',
      );
    case 'soft-404':
      return page('Page not found', '<h1>Page not found</h1><p>The page you are looking for does not exist.</p>');
    case 'paywall':
      return page(
        'Abstract',
        '<h1>Abstract</h1><p>Get access to the full text of this article.</p><button>Purchase PDF</button><a href="/login">Institutional login</a>',
      );
  }
}

/** The page behind a redirect to /login. */
export function loginPage(): Reply {
  return page('Sign in', '<form action="/login" method="post"><input type="password" name="password"></form>');
}

/** Removes the query parameters that walls and pages add. */
export function cleanUrl(url: URL): string {
  return url.href.replace(/([?&])(?:hop|view|supplement|cookieSet|error)=[^&]*/g, '').replace(/^([^?]*)&/, '$1?');
}
