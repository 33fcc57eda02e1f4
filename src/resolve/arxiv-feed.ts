import { SaxesParser } from 'saxes';

import type { ArxivId } from '../works/index.ts';
import { normalizeDoi, parseArxivId } from '../works/index.ts';

/** An entry of arXiv's Atom feed. */
export interface ArxivEntry {
  readonly id: ArxivId;
  readonly title: string;
  /** The journal article's DOI, if the authors gave it. */
  readonly doi: string | null;
}

const MAX_DEPTH = 64;

/** Parses a feed. An unknown id gives an empty feed; an entry called "Error" is ignored. Undefined if it is not a feed. */
export function readArxivFeed(xml: string): ArxivEntry[] | undefined {
  const entries: ArxivEntry[] = [];
  const path: string[] = [];
  let fields = new Map<string, string>();
  const parser = new SaxesParser({ xmlns: false });
  const state = { broken: false, isFeed: false };
  parser.on('error', () => (state.broken = true));
  parser.on('opentag', ({ name }) => {
    path.push(name);
    if (path.length === 1) state.isFeed = /^(?:\w+:)?feed$/.test(name);
    if (path.length > MAX_DEPTH) state.broken = true;
    if (path.length === 2 && name === 'entry') fields = new Map();
  });
  parser.on('text', (text) => {
    const name = path.at(-1) ?? '';
    if (path.length === 3 && path[1] === 'entry') fields.set(name, (fields.get(name) ?? '') + text);
  });
  parser.on('closetag', () => {
    path.pop();
    if (path.length !== 1 || fields.size === 0) return;
    const id = parseArxivId(fields.get('id') ?? '');
    const title = (fields.get('title') ?? '').replace(/\s+/g, ' ').trim();
    if (id) entries.push({ id, title, doi: normalizeDoi(fields.get('arxiv:doi') ?? '') ?? null });
    fields = new Map();
  });
  for (let at = 0; at < xml.length && !state.broken; at += 65_536) parser.write(xml.slice(at, at + 65_536));
  return state.broken || !state.isFeed ? undefined : entries;
}
