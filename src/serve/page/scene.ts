import { html } from 'htm/preact';
import type { ComponentChildren } from 'preact';
import { createContext } from 'preact';
import { useContext, useEffect, useRef, useState } from 'preact/hooks';

import { plural } from '../../base/text/index.ts';
import type { About, List, Run } from './answers.ts';
import { number } from './format.ts';
import type { ChangeKind, EventKind, Query, Source } from './source.ts';
import { address, Refusal } from './source.ts';

export { html };
export type View = ComponentChildren;

export interface Scene {
  readonly source: Source;
  readonly about: About;
  readonly run: Run | undefined;
  readonly runPath: (...parts: readonly string[]) => string;
  readonly query: URLSearchParams;
  /** URL of a view of this run. */
  readonly place: (path: string, query?: Query) => string;
  /** URL of a document or a work opened beside this view, or in the library. */
  readonly reading: (query: Query) => string;
  /** Changes the query parameters without a new history entry. */
  readonly set: (query: Query) => void;
  /** Opens an address of the page; Back returns. */
  readonly go: (address: string) => void;
  readonly notify: (text: string) => void;
  /** Asks again what the runs have, after something was made. */
  readonly reload: () => Promise<void>;
}

export const SceneContext = createContext<Scene | undefined>(undefined);

export function useScene(): Scene {
  const scene = useContext(SceneContext);
  if (!scene) throw new Error('outside the page');
  return scene;
}

export type Fetched<T> =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'answered'; readonly value: T };

/** Loads a value, and another one when the key changes; the previous one stays until the next arrives. */
export function useLoaded<T>(key: string, load: (signal: AbortSignal) => Promise<T>) {
  const [fetched, setFetched] = useState<Fetched<T>>({ kind: 'waiting' });
  const [again, setAgain] = useState(0);
  const isLoading = useRef(false);
  useEffect(() => {
    const leave = new AbortController();
    const loaded = (result: Fetched<T>): void => {
      if (leave.signal.aborted) return;
      isLoading.current = false;
      setFetched(result);
    };
    isLoading.current = true;
    load(leave.signal).then(
      (value) => loaded({ kind: 'answered', value }),
      (error: unknown) => loaded({ kind: 'failed', error }),
    );
    return () => leave.abort();
  }, [key, again]);
  /** Changes a loaded value; does nothing before there is one. What is on its way was read before the change: it is asked again. */
  const change = (changed: (value: T) => T): void => {
    setFetched((now) => (now.kind === 'answered' ? { kind: 'answered', value: changed(now.value) } : now));
    if (isLoading.current) setAgain((now) => now + 1);
  };
  return [fetched, change] as const;
}

function useResponse<T>(path: string, query: Query = {}) {
  const { source } = useScene();
  return useLoaded(address(path, query), (signal) => source.get<T>(path, query, signal));
}

export function useAnswer<T>(path: string, query?: Query): Fetched<T> {
  return useResponse<T>(path, query)[0];
}

export function shown<T>(fetched: Fetched<T>, view: (value: T) => View): View {
  if (fetched.kind === 'answered') return view(fetched.value);
  return fetched.kind === 'failed' ? fault(fetched.error) : html`<p class="hint" role="status">Loading …</p>`;
}

export function button(name: View, act: () => void, more: object = {}): View {
  return html`<button type="button" class="quiet" onClick=${act} ...${more}>${name}</button>`;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function fault(error: unknown): View {
  const hint = error instanceof Refusal && error.hint !== '' ? `. ${error.hint}` : '';
  return html`<p class="note" role="alert">${messageOf(error)}${hint}</p>`;
}

/** A response that is updated by server events. */
export function useLive<T>(path: string, kind: EventKind, isOurs: (data: T) => boolean = () => true): Fetched<T> {
  const { source } = useScene();
  const [fetched, change] = useResponse<T>(path);
  useEffect(
    () => source.on(kind, (data) => isOurs(data as T) && change((value) => ({ ...value, ...(data as T) }))),
    [path],
  );
  return fetched;
}

const CHART_MS = 5_000;

/**
 * A number that grows when something of this run was changed, here or elsewhere. At most every five seconds: a table that
 * is being filled changes with each row.
 */
export function useChanges(kind: ChangeKind): number {
  const { source, run } = useScene();
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isDue = false;
    const next = (): void => {
      isDue = false;
      setTurn((now) => now + 1);
      timer = setTimeout(() => {
        timer = undefined;
        if (isDue) next();
      }, CHART_MS);
    };
    const leave = source.onChange(run?.id ?? '', kind, () => {
      if (timer === undefined) next();
      else isDue = true;
    });
    return () => {
      clearTimeout(timer);
      leave();
    };
  }, [run?.id, kind]);
  return turn;
}

/** A response that is requested again every five seconds: faster charts are hard to read. */
export function useCharted<T>(path: string): Fetched<T> {
  const { source } = useScene();
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTurn((now) => now + 1), CHART_MS);
    return () => clearInterval(timer);
  }, []);
  return useLoaded(`${path} ${turn}`, (signal) => source.get<T>(path, {}, signal))[0];
}

/** A list that grows by pages: its rows, how many there are, and a button for more. */
type Paged<T> = { readonly rows: readonly T[]; readonly status: View; readonly more: View };

export function usePaged<T>(path: string, query: Query, one: string): Paged<T> {
  const { source, notify } = useScene();
  const [fetched, change] = useResponse<List<T>>(path, query);
  const list = fetched.kind === 'answered' ? fetched.value : undefined;
  const { items: rows = [], next = null, total } = list ?? {};
  const below = useRef<HTMLElement>(null);
  const grown = useRef<number | undefined>(undefined);
  useEffect(() => {
    // Move the focus to the first new row.
    const table = below.current?.previousElementSibling;
    if (grown.current !== undefined)
      table?.querySelectorAll<HTMLElement>('tbody tr')[grown.current]?.querySelector<HTMLElement>('a, button')?.focus();
    grown.current = undefined;
  }, [list]);
  const showMore = (): void => {
    grown.current = rows.length;
    source.get<List<T>>(path, { ...query, cursor: next }).then(
      (page) => change((now) => (now === list ? { ...page, items: [...rows, ...page.items] } : now)),
      (error: unknown) => notify(messageOf(error)),
    );
  };
  const first = total === undefined && next !== null ? 'The first ' : '';
  const of = total === undefined ? '' : ` of ${number(total)}`;
  const count = `${rows.length === 0 ? 'No' : `${first}${number(rows.length)}${of}`} ${plural(rows.length, one)}`;
  return {
    rows,
    status: shown(fetched, () => html`<p class="hint" role="status">${count}</p>`),
    more: html`<div ref=${below}>${next !== null && button('Show more', showMore)}</div>`,
  };
}
