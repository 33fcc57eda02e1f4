import { html } from '../../report/page/index.ts';
import type { About, Run } from './answers.ts';
import { Refusal } from './ask.ts';
import type { Live } from './live.ts';

/** What a page of the app has to work with. */
export interface Scene {
  readonly about: About;
  readonly run: Run | undefined;
  /** What stands behind the question mark of the address. */
  readonly query: URLSearchParams;
  readonly live: Live;
  /** Goes to another place; `replace` leaves the one before out of the history. */
  readonly go: (path: string, query: Readonly<Record<string, string | undefined>>, replace?: boolean) => void;
  /** Tells in words what has been done. */
  readonly tell: (text: string) => void;
}

/** A page that is looked at: it fills an element, and is told when it is left. */
export type View = (into: HTMLElement, scene: Scene, signal: AbortSignal) => Promise<void> | void;

/** An address inside the page. */
export function place(path: string, query: Readonly<Record<string, string | number | null | undefined>> = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null && value !== '') search.set(name, String(value));
  const text = search.toString();
  return text === '' ? path : `${path}?${text}`;
}

/** What is said where an answer cannot be had. */
export function fault(error: unknown): HTMLElement {
  const hint = error instanceof Refusal && error.hint !== null ? error.hint : '';
  const said = error instanceof Error ? error.message : String(error);
  return html('p', { class: 'note', role: 'alert' }, hint === '' ? said : `${said}. ${hint}`);
}

/** "3 min ago", "in 20 s". */
export function since(at: string | null, now = Date.now()): string {
  if (at === null) return '–';
  const seconds = Math.round((now - Date.parse(at)) / 1_000);
  const size = Math.abs(seconds);
  const text =
    size < 60
      ? `${size} s`
      : size < 3_600
        ? `${Math.round(size / 60)} min`
        : size < 172_800
          ? `${Math.round(size / 3_600)} h`
          : `${Math.round(size / 86_400)} days`;
  return seconds >= 0 ? `${text} ago` : `in ${text}`;
}

/** A button that does something that takes a while, and says so. */
export function button(name: string, act: () => Promise<void>, label?: string): HTMLButtonElement {
  const element = html(
    'button',
    {
      type: 'button',
      class: 'quiet',
      'aria-label': label,
      click: () => {
        element.disabled = true;
        void act().finally(() => (element.disabled = false));
      },
    },
    name,
  );
  return element;
}

/** The head of a table. */
export function heads(...names: readonly string[]): HTMLElement {
  return html('thead', {}, html('tr', {}, ...names.map((name) => html('th', { scope: 'col' }, name))));
}
