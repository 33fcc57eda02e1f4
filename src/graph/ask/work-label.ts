import type { GraphNode } from './types.ts';

/** Author, year and title, as researchers name a work; what of it is known. */
export function workLabel({ label, year, data }: Pick<GraphNode, 'label' | 'year' | 'data'>): string {
  const authors = Array.isArray(data['authors'])
    ? data['authors'].filter((name): name is string => typeof name === 'string' && name !== '')
    : [];
  const who = authors.length === 0 ? '' : `${familyName(authors[0] ?? '')}${authors.length > 1 ? ' et al.' : ''}`;
  const named = [who, year === null ? '' : String(year)].filter((part) => part !== '').join(' ');
  return named === '' ? label : `${named} · ${label}`;
}

/** The family name of `Silva A`, `Silva, Ana` and `Ana Silva`. */
function familyName(name: string): string {
  const [before, after] = name.split(',', 2);
  if (after !== undefined) return (before ?? '').trim();
  const words = name.trim().split(/\s+/);
  const initials = words.length > 1 && /^\p{Lu}{1,4}$/u.test(words.at(-1) ?? '');
  return initials ? words.slice(0, -1).join(' ') : (words.at(-1) ?? name);
}
