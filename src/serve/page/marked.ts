import { analyse } from '../../parse/terms/index.ts';
import type { View } from './scene.ts';
import { html } from './scene.ts';

const WINDOW_CHARS = 320;
const PIECE = /([\p{L}\p{N}]+)/gu;

export function marked(text: string, query: string): View {
  const terms = new Set(analyse(query));
  if (terms.size === 0) return text;
  return text
    .split(PIECE)
    .map((piece) => (analyse(piece).some((term) => terms.has(term)) ? html`<mark>${piece}</mark>` : piece));
}

/** The part of a text with the most query words. */
export function excerpt(text: string, query: string): string {
  if (text.length <= WINDOW_CHARS) return text;
  const terms = new Set(analyse(query));
  const hits = [...text.matchAll(PIECE)].filter(([word]) => analyse(word).some((term) => terms.has(term)));
  let [best, from] = [0, 0];
  for (const first of hits) {
    const inside = hits.filter(({ index }) => index >= first.index && index < first.index + WINDOW_CHARS * 0.8);
    const distinct = new Set(inside.map(([word]) => word.toLowerCase())).size;
    if (distinct > best) [best, from] = [distinct, first.index];
  }
  const start = from < 60 ? 0 : text.lastIndexOf(' ', from - 40) + 1;
  const cut = text.slice(start, start + WINDOW_CHARS);
  const end = start + WINDOW_CHARS >= text.length ? cut : `${cut.slice(0, cut.lastIndexOf(' '))} …`;
  return `${start > 0 ? '… ' : ''}${end}`;
}
