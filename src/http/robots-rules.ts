interface Rule {
  readonly allow: boolean;
  readonly pattern: string;
}

interface Group {
  readonly agents: string[];
  readonly rules: Rule[];
  crawlDelayMs: number | undefined;
}

/** The rules of a robots.txt for one robot (RFC 9309). */
export class RobotsRules {
  readonly #rules: readonly Rule[];
  /** Minimum delay between two requests; not in the RFC, but respected. */
  readonly crawlDelayMs: number | undefined;

  private constructor(rules: readonly Rule[], crawlDelayMs: number | undefined) {
    this.#rules = rules;
    this.crawlDelayMs = crawlDelayMs;
  }

  /** Everything is allowed. */
  static readonly open = new RobotsRules([], undefined);

  /** Reads the groups for the product token, or those for `*` if there are none. */
  static parse(text: string, productToken: string): RobotsRules {
    const groups = parseGroups(text);
    const token = agentToken(productToken);
    const named = groups.filter(({ agents }) => agents.includes(token));
    const chosen = named.length > 0 ? named : groups.filter(({ agents }) => agents.includes('*'));
    const delays = chosen.map(({ crawlDelayMs }) => crawlDelayMs).filter((delay) => delay !== undefined);
    return new RobotsRules(
      chosen.flatMap(({ rules }) => rules),
      delays.length > 0 ? Math.max(...delays) : undefined,
    );
  }

  /** The longest matching pattern wins; on a tie, allow. */
  allows(url: URL): boolean {
    const path = normalise(url.pathname + url.search);
    if (path === '/robots.txt') return true;
    let best: Rule | undefined;
    for (const rule of this.#rules) {
      if (
        best &&
        (rule.pattern.length < best.pattern.length || (rule.pattern.length === best.pattern.length && !rule.allow))
      )
        continue;
      if (matches(rule.pattern, path)) best = rule;
    }
    return best?.allow ?? true;
  }
}

function parseGroups(text: string): Group[] {
  const groups: Group[] = [];
  let group: Group | undefined;
  let namingAgents = false;
  for (const line of text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)) {
    const [content = ''] = line.split('#', 1);
    const colon = content.indexOf(':');
    if (colon === -1) continue;
    const key = content.slice(0, colon).trim().toLowerCase();
    const value = content.slice(colon + 1).trim();
    if (key === 'user-agent') {
      if (!group || !namingAgents) {
        group = { agents: [], rules: [], crawlDelayMs: undefined };
        groups.push(group);
      }
      namingAgents = true;
      group.agents.push(agentToken(value));
    } else if (key === 'allow' || key === 'disallow') {
      namingAgents = false;
      if (value !== '') group?.rules.push({ allow: key === 'allow', pattern: normalise(value) });
    } else if (key === 'crawl-delay') {
      namingAgents = false;
      if (group && /^\d{1,6}(\.\d{1,6})?$/.test(value)) group.crawlDelayMs = Number(value) * 1000;
    }
  }
  return groups;
}

/** `DocsToKG-TS/1.0` and `docstokg-ts` are the same robot: the token ends at the first other character. */
function agentToken(value: string): string {
  return value.startsWith('*') ? '*' : (/^[a-zA-Z_-]*/.exec(value)?.[0] ?? '').toLowerCase();
}

/** Normalises percent-encoding: unreserved characters plain, everything else in upper-case hex. */
function normalise(path: string): string {
  return path
    .replace(/[^\x21-\x7e]/gu, (character) => encodeURIComponent(isLoneSurrogate(character) ? '\uFFFD' : character))
    .replace(/%([0-9a-fA-F]{2})/g, (_all, hex: string) => {
      const character = String.fromCharCode(Number.parseInt(hex, 16));
      return /[A-Za-z0-9._~-]/.test(character) ? character : `%${hex.toUpperCase()}`;
    });
}

function isLoneSurrogate(character: string): boolean {
  return /^[\uD800-\uDFFF]$/.test(character);
}

/** `*` matches anything, a trailing `$` the end. Linear: each piece is searched once, left to right. */
function matches(pattern: string, path: string): boolean {
  const anchored = pattern.endsWith('$');
  const [head = '', ...pieces] = (anchored ? pattern.slice(0, -1) : pattern).split('*');
  if (!path.startsWith(head)) return false;
  let at = head.length;
  const last = pieces.pop();
  for (const piece of pieces) {
    const found = path.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  if (last === undefined) return !anchored || at === path.length;
  if (anchored) return path.length - last.length >= at && path.endsWith(last);
  return path.indexOf(last, at) !== -1;
}
