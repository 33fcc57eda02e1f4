/** One link of a `Link` header (RFC 8288). */
export interface WebLink {
  readonly target: string;
  readonly rel: readonly string[];
  readonly type: string | null;
}

const MAX_LINKS = 200;

/** A hand-written parser: a comma may be inside a target or a quoted value. */
export function parseLinkHeader(header: string | undefined): WebLink[] {
  const links: WebLink[] = [];
  const text = header ?? '';
  let at = 0;
  while (links.length < MAX_LINKS) {
    const open = text.indexOf('<', at);
    const close = open === -1 ? -1 : text.indexOf('>', open);
    if (close === -1) break;
    const target = text.slice(open + 1, close).trim();
    const parameters = new Map<string, string>();
    at = close + 1;
    for (;;) {
      const parameter = /\s*;\s*([a-zA-Z*_-]{1,40})\s*(?:=\s*(?:"([^"]*)"|([^\s;,"]*)))?/y;
      parameter.lastIndex = at;
      const match = parameter.exec(text);
      if (!match) break;
      const name = (match[1] ?? '').toLowerCase();
      if (!parameters.has(name)) parameters.set(name, match[2] ?? match[3] ?? '');
      at = parameter.lastIndex;
    }
    links.push({
      target,
      rel: (parameters.get('rel') ?? '').toLowerCase().split(/\s+/).filter(Boolean),
      type: parameters.get('type')?.toLowerCase() ?? null,
    });
  }
  return links;
}
