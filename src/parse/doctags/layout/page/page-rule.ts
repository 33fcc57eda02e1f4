import { segmentLabel } from '../role/caption.ts';
import type { PageContent, Rule } from './page-content.ts';
import type { Segment } from './segment.ts';

/** How far a rule that repeats may move from page to page, in points. */
const SAME_PLACE = 2.5;
/** The share of the text's width and height from which a rule can frame a page. */
const WIDE = 0.6;
/** The share of pages on which a rule of the page is: left and right pages may differ, and the first. */
const REPEATS = 0.35;
/** More long rules than the furniture of a page has. */
const MANY = 200;

export interface RuledPage {
  readonly content: PageContent;
  readonly text: readonly Segment[];
  readonly furniture: ReadonlyMap<Segment, unknown>;
}

/** Rules that belong to the page and not to what is printed on it: under running heads, above feet, round the page. */
export function findPageRules(pages: readonly RuledPage[]): Set<Rule> {
  const found = new Set<Rule>();
  const long = pages.map((page) => longRules(page));
  const places = new Map<string, number>();
  for (const rules of long)
    for (const place of new Set(rules.map((rule) => placeOf(rule)))) places.set(place, (places.get(place) ?? 0) + 1);
  long.forEach((rules, index) => {
    const page = pages[index];
    if (!page) return;
    for (const rule of rules) {
      // Tables at the head of their pages have rules there too, but not on so many pages.
      const alike = placesNear(rule).reduce((sum, place) => sum + (places.get(place) ?? 0), 0);
      const repeats = alike >= 2 && alike >= REPEATS * pages.length;
      if (repeats && isOutside(rule, page)) found.add(rule);
    }
  });
  return found;
}

/** Where a rule begins and ends, in steps of how far it may move. */
function placeOf({ direction, box }: Rule, dx = 0, dy = 0): string {
  const step = (value: number): number => Math.round(value / SAME_PLACE);
  const [from, to] = direction === 'horizontal' ? [box.left, box.right] : [box.top, box.bottom];
  const at = direction === 'horizontal' ? box.top : box.left;
  return `${direction} ${step(at) + dy} ${step(from) + dx} ${Math.round((to - from) / (2 * SAME_PLACE))}`;
}

function placesNear(rule: Rule): string[] {
  const places: string[] = [];
  for (let dx = -1; dx <= 1; dx += 1) for (let dy = -1; dy <= 1; dy += 1) places.push(placeOf(rule, dx, dy));
  return places;
}

function longRules({ content, text }: RuledPage): Rule[] {
  const left = Math.min(content.width, ...text.map((segment) => segment.left));
  const right = Math.max(0, ...text.map((segment) => segment.right));
  const all = content.rules.filter(({ direction, box }) =>
    direction === 'horizontal'
      ? box.right - box.left > WIDE * (right - left)
      : box.bottom - box.top > 0.25 * content.height,
  );
  // A page with more of them is a form or one large table.
  return all.length > MANY ? [] : all;
}

/** No text but a page's furniture is on one side of it, or the text keeps away from it as from an edge. */
function isOutside({ direction, box }: Rule, { text, furniture }: RuledPage): boolean {
  const body = text.filter((segment) => !furniture.has(segment));
  if (direction === 'horizontal') {
    const heading = body.filter((segment) => segment.baseline < box.top + 1);
    // Below the caption of a table is the first of its rules.
    if (heading.some((segment) => segmentLabel(segment) === 'table')) return false;
    const above = heading.length;
    return Math.min(above, body.length - above) <= 0.03 * body.length + 1;
  }
  const before = body.filter((segment) => segment.right < box.left + 2).length;
  const after = body.filter((segment) => segment.left > box.right - 2).length;
  return Math.min(before, after) === 0;
}
