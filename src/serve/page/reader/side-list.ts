import { useEffect, useRef, useState } from 'preact/hooks';

import type { View } from '../scene.ts';
import { html } from '../scene.ts';
import type { Entry } from './entries.ts';

/** The side list: one tab stop, arrow keys move, and the focused entry is highlighted on the page. */
export function SideList(props: {
  readonly label: string;
  readonly entries: readonly Entry[];
  readonly look: (blocks: readonly number[]) => void;
  readonly choose: (entry: Entry) => void;
  readonly pointed: number | undefined;
}): View {
  const { label, entries, look, choose, pointed } = props;
  const list = useRef<HTMLOListElement>(null);
  const [at, setAt] = useState(-1);
  const item = (index: number): HTMLElement | undefined =>
    list.current?.querySelectorAll<HTMLElement>('[role=option]')[index];
  const holds = ({ blocks }: Entry): boolean => pointed !== undefined && blocks.includes(pointed);
  useEffect(() => {
    // Scroll only the list, not the page.
    const [box, target] = [list.current, item(entries.findIndex(holds))];
    if (!box || !target) return;
    const [from, to] = [target.offsetTop, target.offsetTop + target.offsetHeight];
    if (from < box.scrollTop || to > box.scrollTop + box.clientHeight) box.scrollTop = from - 8;
  }, [pointed]);
  const keys = (event: KeyboardEvent): void => {
    const last = entries.length - 1;
    const to = { ArrowDown: Math.min(last, at + 1), ArrowUp: Math.max(0, at - 1), Home: 0, End: last }[event.key];
    const entry = entries[at];
    if ((event.key === 'Enter' || event.key === ' ') && entry) choose(entry);
    else if (to === undefined) return;
    else item(to)?.focus();
    event.preventDefault();
  };
  return html`<ol role="listbox" aria-label=${label} class="side" ref=${list} onKeyDown=${keys}>
    ${entries.map(
      (entry, index) =>
        html`<li
          key=${entry.id}
          role="option"
          tabindex=${index === Math.max(0, at) ? 0 : -1}
          class=${`${entry.tone} ${holds(entry) ? 'pointed' : ''}`}
          aria-selected=${String(index === at)}
          onMouseEnter=${() => look(entry.blocks)}
          onMouseLeave=${() => look([])}
          onFocus=${() => {
            setAt(index);
            look(entry.blocks);
          }}
          onClick=${() => choose(entry)}
        >
          <small>${entry.head}</small><span>${entry.text}</span>
        </li>`,
    )}
  </ol>`;
}
