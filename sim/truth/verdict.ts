import { robotsOf, SERVICE_ROBOTS } from '../hosts/robots.ts';
import type { Behaviour, RedirectTrap, Wall } from '../behaviours/behaviour.ts';
import type { FileSpec, Host, Location, Payload } from '../world/types.ts';
import type { World } from '../world/world.ts';
import type { Plan } from './plans.ts';
import type { Policy } from './policy.ts';
import type { Reason } from './reasons.ts';
import type { RobotsRules } from './robots-rules.ts';
import { isAllowed, parseRobots } from './robots-rules.ts';

export type Verdict =
  | { readonly reason: 'success'; readonly file: FileSpec }
  | { readonly reason: Exclude<Reason, 'success'>; readonly file: null };

const lost = (reason: Exclude<Reason, 'success'>): Verdict => ({ reason, file: null });

/**
 * The result of trying a plan. `tried` holds earlier URLs of this work: a file that two pages link to is fetched once,
 * and the second page gets the same result.
 */
export function judge(world: World, plan: Plan, policy: Policy, tried: Map<string, Reason>): Verdict {
  const { location } = plan;
  // A host that asked for a longer wait than the policy allows is skipped for the rest of the work.
  const { hostname } = new URL(location.url);
  for (const [url, reason] of tried)
    if ((reason === 'rate-limited' || reason === 'host-given-up') && new URL(url).hostname === hostname)
      return lost(reason);
  const atDoor = door(world, location.url, location.behaviour, policy);
  // If no file was promised, a page is parsed like any other.
  if (atDoor === 'html-as-pdf' && plan.expect === 'any') return lost('no-pdf-link');
  if (atDoor !== null) return lost(atDoor);
  if (location.kind !== 'landing') return location.file ? judgeFile(location.file, policy) : lost('not-found');
  return behindPage(world, location, policy, tried);
}

function behindPage(world: World, location: Location, policy: Policy, tried: Map<string, Reason>): Verdict {
  const { file, template } = location;
  if (template === 'js-only' || template === 'dspace7' || file === null) return lost('no-pdf-link');
  // The page itself is the text.
  if (template === 'full-text') return judgeFile(file, policy);
  if (template === 'doi-mismatch' && policy.identityCheck) return lost('identity-mismatch');
  const before = tried.get(file.url);
  if (before !== undefined && before !== 'success') return lost(before);
  const atDoor = door(world, file.url, file.behaviour, policy);
  const verdict = atDoor === null ? judgeFile(file, policy) : lost(atDoor);
  tried.set(file.url, verdict.reason);
  return verdict;
}

/** The reason why a URL fails, or null if a complete body arrives. */
function door(world: World, url: string, behaviour: Behaviour, policy: Policy): Exclude<Reason, 'success'> | null {
  const { hostname, pathname, search } = new URL(url);
  // An unreachable robots.txt disallows like a server error, but the reason is that the host is unreachable.
  if (policy.robots && isSilent(world, hostname)) return 'timeout';
  if (policy.robots && !mayFetch(world, hostname, pathname + search, policy)) return 'robots-disallowed';
  if (policy.deadHosts.includes(hostname)) return 'connection-failed';
  return lossOf(behaviour, policy);
}

/** RFC 9309: 4xx and too many redirects allow, 5xx and no response disallow. */
export function mayFetch(world: World, hostname: string, path: string, policy: Pick<Policy, 'agent'>): boolean {
  const host = world.host(hostname);
  if (!host) {
    const text = SERVICE_ROBOTS[hostname];
    return text === undefined || isAllowed(parseRobots(text, policy.agent).rules, path);
  }
  const answer = robotsOf(host);
  if (answer.hangs || answer.status >= 500) return false;
  if (answer.status >= 400 || answer.redirects > 5) return true;
  return isAllowed(rulesOf(host, policy.agent).rules, path);
}

function isSilent(world: World, hostname: string): boolean {
  const host = world.host(hostname);
  return host !== undefined && robotsOf(host).hangs;
}

const parsed = new Map<string, RobotsRules>();

/** The rules of a host for a client, parsed once. */
export function rulesOf(host: Pick<Host, 'robots'>, agent: string): RobotsRules {
  const key = `${host.robots} ${agent}`;
  let rules = parsed.get(key);
  if (!rules) {
    rules = parseRobots(robotsOf(host).text, agent);
    parsed.set(key, rules);
  }
  return rules;
}

const WALLS: Readonly<Record<Wall, Exclude<Reason, 'success'> | null>> = {
  'challenge-403': 'bot-wall',
  'challenge-503': 'bot-wall',
  'challenge-anubis': 'bot-wall',
  'challenge-proof-of-work': 'bot-wall',
  'challenge-radware': 'bot-wall',
  'ban-1015': 'bot-wall',
  login: 'blocked-login',
  'cookie-opens': null,
  'cookie-stays': 'blocked-cookie',
  captcha: 'blocked-captcha',
  'soft-404': 'soft-404',
  paywall: 'paywalled',
};

const TRAPS: Readonly<Record<RedirectTrap, Exclude<Reason, 'success'>>> = {
  loop: 'redirect-loop',
  'twelve-hops': 'too-many-redirects',
  'canary-4': 'private-address',
  'canary-6': 'private-address',
  metadata: 'private-address',
  'decimal-host': 'private-address',
  rebinding: 'private-address',
  'file-scheme': 'bad-redirect',
  'no-location': 'bad-redirect',
};

const YEAR = 31_536_000;

const STATUSES = {
  403: 'forbidden',
  404: 'not-found',
  410: 'not-found',
  418: 'bad-status',
  500: 'server-error',
} as const;
const FLAKES = {
  '503': 'server-error',
  '502': 'server-error',
  reset: 'connection-failed',
  timeout: 'timeout',
} as const;

/** The reason a behaviour leads to, or null. */
export function lossOf(behaviour: Behaviour, policy: Policy): Exclude<Reason, 'success'> | null {
  switch (behaviour.kind) {
    case 'plain':
    case 'typed':
    case 'caching':
    case 'range':
    case 'filename':
    case 'head':
      return null;
    case 'flaky':
      return behaviour.times > policy.maxRetries ? FLAKES[behaviour.how] : null;
    case 'throttled':
      if (behaviour.retryAfter === 'year') return policy.giveUpAfterSeconds < YEAR ? 'host-given-up' : 'rate-limited';
      if (behaviour.retryAfter === 'absurd') return policy.parkAfterSeconds < 86_400 ? 'rate-limited' : null;
      return behaviour.times > policy.maxRetries ? 'rate-limited' : null;
    case 'status':
      return STATUSES[behaviour.status];
    case 'dead':
      return 'connection-failed';
    // RFC 1035: a name error is final.
    case 'nameless':
      return 'not-found';
    case 'redirect':
      return behaviour.hops > policy.maxRedirects ? 'too-many-redirects' : null;
    case 'redirect-trap':
      return TRAPS[behaviour.to];
    case 'html-as-pdf':
      // PMC's page before a download requires proof of work.
      return behaviour.page === 'interstitial' ? 'bot-wall' : 'html-as-pdf';
    case 'truncated':
      return behaviour.times > policy.maxRetries ? 'truncated' : null;
    case 'cut':
      return 'truncated';
    case 'slow':
      return 'timeout';
    case 'oversized':
      return 'too-large';
    case 'empty':
      return 'empty-body';
    case 'gzip':
      return behaviour.how === 'bomb' ? 'too-large' : behaviour.how === 'corrupt' ? 'bad-gzip' : null;
    case 'wall':
      return WALLS[behaviour.how];
  }
}

function judgeFile(file: FileSpec, policy: Policy): Verdict {
  const reason = contentLoss(file.payload, policy);
  return reason === null ? { reason: 'success', file } : lost(reason);
}

/** The reason the content leads to: type, identity, readability. `expectedOutcome` checks the size. */
function contentLoss(payload: Payload, policy: Policy): Exclude<Reason, 'success'> | null {
  if (payload.form === 'jats' && !payload.body) return 'wrong-kind';
  if (!policy.accept.includes(kindOf(payload))) return 'kind-not-accepted';
  if (payload.form !== 'odd-pdf') return null;
  switch (payload.how) {
    case 'unrelated':
      return policy.identityCheck ? 'identity-mismatch' : null;
    case 'preview':
      return policy.acceptPreviews ? null : 'preview-only';
    case 'encrypted':
      return policy.acceptEncrypted ? null : 'encrypted';
    case 'zero-pages':
      return 'unreadable';
    case 'long':
      return null;
  }
}

export function kindOf({ form }: Payload): 'pdf' | 'xml' | 'html' {
  return form === 'jats' || form === 'tei' ? 'xml' : form === 'html' ? 'html' : 'pdf';
}
