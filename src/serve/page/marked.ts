import { analyse } from '../../parse/terms/index.ts';
import type { View } from './scene.ts';
import { html } from './scene.ts';
import { isAmong, PIECE } from './excerpt.ts';

export function marked(text: string, query: string): View {
  const terms = new Set(analyse(query));
  if (terms.size === 0) return text;
  return text.split(PIECE).map((piece) => (isAmong(piece, terms) ? html`<mark>${piece}</mark>` : piece));
}
