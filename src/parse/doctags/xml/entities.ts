import { parseFragment } from 'parse5';

const NAME = /^[A-Za-z][A-Za-z0-9]{0,31}$/;
const XML = new Map(Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }));

/**
 * The character a named entity stands for. Only the table that HTML fixes is asked (it holds the ISO sets that JATS
 * files use); what a file's own DTD defines is never looked at, so nothing can be expanded or fetched through it.
 */
function entityText(name: string): string | undefined {
  const known = cache.get(name);
  if (known !== undefined) return known;
  const text = XML.get(name) ?? lookUp(name);
  // Names come from a closed list, so the memory is bounded.
  if (text !== undefined) cache.set(name, text);
  return text;
}

const cache = new Map<string, string>();

function lookUp(name: string): string | undefined {
  if (!NAME.test(name)) return undefined;
  const [node] = parseFragment(`&${name};`).childNodes;
  const text = node && 'value' in node ? node.value : undefined;
  return text === undefined || text.startsWith('&') ? undefined : text;
}

/** The table in the form the parser asks: a property per name. */
export const ENTITIES: Record<string, string> = new Proxy(Object.create(null) as Record<string, string>, {
  get: (_target, name) => (typeof name === 'string' ? entityText(name) : undefined),
  has: () => true,
});
