interface Rule {
  readonly allow: boolean;
  readonly pattern: string;
}

/** The robots.txt rules for one product token (RFC 9309). */
export interface RobotsRules {
  readonly rules: readonly Rule[];
  readonly crawlDelaySeconds: number | null;
}

const PARSED_BYTES = 500 * 1024;

/** Parses the groups for the token, or those for `*` if there are none; equal groups are merged. */
export function parseRobots(text: string, token: string): RobotsRules {
  const groups = new Map<string, { readonly rules: Rule[]; crawlDelaySeconds: number | null }>();
  let agents: string[] = [];
  let inRules = false;
  for (const raw of text
    .slice(0, PARSED_BYTES)
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\n|\r/)) {
    const line = raw.replace(/#.*$/, '').trim();
    const colon = line.indexOf(':');
    if (colon === -1) continue;
    const field = line.slice(0, colon).trim().toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (field === 'user-agent') {
      if (inRules) agents = [];
      inRules = false;
      const agent = (/^[a-zA-Z_-]+|^\*/.exec(value)?.[0] ?? '').toLowerCase();
      agents.push(agent);
      if (!groups.has(agent)) groups.set(agent, { rules: [], crawlDelaySeconds: null });
      continue;
    }
    const isRule = field === 'allow' || field === 'disallow';
    if (!isRule && field !== 'crawl-delay') continue;
    inRules = true;
    for (const group of agents.map((agent) => groups.get(agent)))
      if (group && !isRule) group.crawlDelaySeconds = Number(value);
      else if (value !== '') group?.rules.push({ allow: field === 'allow', pattern: value });
  }
  return groups.get(token.toLowerCase()) ?? groups.get('*') ?? { rules: [], crawlDelaySeconds: null };
}

/** The longest match wins; on equal length, allow. */
export function isAllowed(rules: readonly Rule[], path: string): boolean {
  if (path === '/robots.txt') return true;
  let longest = -1;
  let allowed = true;
  for (const { allow, pattern } of rules) {
    if (!matches(pattern, path)) continue;
    if (pattern.length > longest || (pattern.length === longest && allow)) {
      longest = pattern.length;
      allowed = allow;
    }
  }
  return allowed;
}

function matches(pattern: string, path: string): boolean {
  const anchored = pattern.endsWith('$');
  const parts = (anchored ? pattern.slice(0, -1) : pattern).split('*');
  let from = 0;
  for (const [at, part] of parts.entries()) {
    if (at === 0) {
      if (!path.startsWith(part)) return false;
      from = part.length;
      continue;
    }
    const isLast = at === parts.length - 1;
    if (isLast && anchored) return path.length - part.length >= from && path.endsWith(part);
    const found = path.indexOf(part, from);
    if (found === -1) return false;
    from = found + part.length;
  }
  return !anchored || from === path.length;
}
