import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

import type { WholeDocument } from '../answers.ts';
import type { View } from '../scene.ts';
import { html } from '../scene.ts';
import type { Block } from './entries.ts';
import type { Noted } from './page-sheet.ts';
import { PageSheet } from './page-sheet.ts';

/** A place to scroll to: a page, and how far down it in points. */
export interface Target {
  readonly page: number;
  readonly top: number;
  /** A new object is a new request, even for the same place. */
}

/** Pages further away than this share of the visible height are empty. */
const NEAR = '120%';

/** All pages of a document under each other. Each has its size from the start; only those near the visible ones are drawn. */
export function PageStack(props: {
  readonly found: WholeDocument;
  readonly target: Target;
  readonly zoom: number;
  readonly isBoxed: boolean;
  readonly lit: ReadonlySet<number>;
  readonly quote: string;
  /** Words of notes, marked where they are printed. */
  readonly noted: readonly Noted[];
  readonly boxProps: (block: Block) => object;
  readonly turn: (page: number) => void;
  /** Called with the page in the middle when it changes by scrolling. */
  readonly at: (page: number) => void;
}): View {
  const { found, target, zoom, isBoxed, lit, quote, noted, boxProps, turn, at } = props;
  const desk = useRef<HTMLDivElement>(null);
  const [near, setNear] = useState<ReadonlySet<number>>(new Set([target.page]));
  const [pixels, setPixels] = useState(0);
  const current = useRef(target.page);
  const sheet = (page: number): HTMLElement | null | undefined =>
    desk.current?.querySelector<HTMLElement>(`[data-page="${page}"]`);
  const goTo = ({ page, top }: Target): void => {
    const [box, element] = [desk.current, sheet(page)];
    if (!box || !element) return;
    const height = found.pages.find(({ number }) => number === page)?.height ?? 792;
    const down = (top / height) * element.clientHeight;
    // A place is shown in the upper third, a page from its beginning.
    box.scrollTop = element.offsetTop - 8 + (top > 0 ? Math.max(0, down - box.clientHeight / 3) : 0);
    current.current = page;
  };
  useLayoutEffect(() => goTo(target), [target, found.id]);
  const before = useRef(zoom);
  useLayoutEffect(() => {
    const box = desk.current;
    if (!box || before.current === zoom) return;
    box.scrollTop *= zoom / before.current;
    before.current = zoom;
  }, [zoom]);
  useEffect(() => {
    const box = desk.current;
    if (!box) return undefined;
    const seen = new Set<number>();
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { target: element, isIntersecting } of entries)
          seen[isIntersecting ? 'add' : 'delete'](Number((element as HTMLElement).dataset['page']));
        setNear(new Set(seen));
      },
      { root: box, rootMargin: `${NEAR} 0px` },
    );
    for (const element of box.querySelectorAll('[data-page]')) observer.observe(element);
    const sized = new ResizeObserver(() => setPixels(Math.round(box.clientWidth * devicePixelRatio)));
    sized.observe(box);
    return () => {
      observer.disconnect();
      sized.disconnect();
    };
  }, [found.id]);
  const scrolled = (): void => {
    const box = desk.current;
    if (!box) return;
    const middle = box.scrollTop + box.clientHeight / 3;
    const pages = [...box.querySelectorAll<HTMLElement>('[data-page]')];
    const here = pages.findLast(({ offsetTop }) => offsetTop <= middle) ?? pages[0];
    const page = Number(here?.dataset['page'] ?? current.current);
    if (page === current.current) return;
    current.current = page;
    at(page);
  };
  return html`<div
    class=${`desk pages ${isBoxed ? 'boxed' : ''}`}
    ref=${desk}
    tabindex="0"
    role="region"
    aria-label="Pages"
    onScroll=${scrolled}
  >
    ${found.pages.map(
      ({ number, width, height }) =>
        html`<div
          key=${number}
          class="sheet"
          data-page=${number}
          style=${{ aspectRatio: `${width} / ${height}`, width: `${zoom * 100}%` }}
        >
          ${near.has(number) && pixels > 0 && html`<${PageSheet} found=${found} page=${number} pixels=${pixels * zoom} lit=${lit} quote=${quote} noted=${noted} boxProps=${boxProps} turn=${turn} />`}
        </div>`,
    )}
  </div>`;
}
