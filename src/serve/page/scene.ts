import { html } from 'htm/preact';
import type { ComponentChildren } from 'preact';
import { createContext } from 'preact';
import { useContext, useEffect, useRef, useState } from 'preact/hooks';

import type { About, List, Run } from './answers.ts';
import { number } from './format.ts';
import type { EventKind, Query, Source } from './source.ts';
import { address, Refusal } from './source.ts';

export { html };
export type View = ComponentChildren;

export interface Scene {
  readonly source: Source;
  readonly about: About;
  readonly run: Run | undefined;
  readonly query: URLSearchParams;
  /** URL of a view of this run. */
  readonly place: (path: string, query?: Query) => string;
  /** Changes the query parameters without a new history entry. */
  readonly set: (query: Query) => void;
  readonly notify: (text: string) => void;
}

export const SceneContext = createContext<Scene | undefined>(undefined);

export function useScene(): Scene {
  const scene = useContext(SceneContext);
  if (!scene) throw new Error('outside the page');
  return scene;
}

export function runPath(run: Run, ...parts: readonly string[]): string {
  return `/${['runs', run.id, ...parts].map(encodeURIComponent).join('/')}`;
}

export type Fetched<T> =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'answered'; readonly value: T };

/** Fetches a response; the previous one stays until the next arrives. */
export function useAnswer<T>(path: string, query: Query = {}): Fetched<T> {
  const { source } = useScene();
  const [fetched, setFetched] = useState<Fetched<T>>({ kind: 'waiting' });
  useEffect(() => {
    const leave = new AbortController();
    source.get<T>(path, query, leave.signal).then(
      (value) => leave.signal.aborted || setFetched({ kind: 'answered', value }),
      (error: unknown) => leave.signal.aborted || setFetched({ kind: 'failed', error }),
    );
    return () => leave.abort();
  }, [address(path, query)]);
  return fetched;
}

/** Renders a response, a loading message or the error. */
export function shown<T>(fetched: Fetched<T>, view: (value: T) => View): View {
  if (fetched.kind === 'answered') return view(fetched.value);
  return fetched.kind === 'failed' ? fault(fetched.error) : html`<p class="hint" role="status">Loading …</p>`;
}

export function fault(error: unknown): View {
  const message = error instanceof Error ? error.message : String(error);
  const hint = error instanceof Refusal && error.hint !== '' ? `. ${error.hint}` : '';
  return html`<p class="note" role="alert">${message}${hint}</p>`;
}

/** A response that is updated by server events. */
export function useLive<T>(path: string, kind: EventKind, isOurs: (data: T) => boolean = () => true): Fetched<T> {
  const { source } = useScene();
  const first = useAnswer<T>(path);
  const [update, setUpdate] = useState<T | undefined>(undefined);
  useEffect(() => {
    setUpdate(undefined);
    return source.on(kind, (data) => isOurs(data as T) && setUpdate(data as T));
  }, [path]);
  return first.kind === 'answered' && update !== undefined
    ? { kind: 'answered', value: { ...first.value, ...update } }
    : first;
}

const CHART_MS = 5_000;

/**
 * Figures over time; `figures` are added whenever `update` is a new object. The result changes at most every five
 * seconds: faster charts are hard to read.
 */
export function useHistory<T extends { readonly at: string }>(
  before: readonly T[],
  figures: Omit<T, 'at'>,
  update: object,
): readonly T[] {
  const all = useRef([...before]);
  const [drawn, setDrawn] = useState(before);
  useEffect(() => {
    all.current.push({ at: new Date().toISOString(), ...figures } as T);
    if (Date.now() - Date.parse(drawn.at(-1)?.at ?? '') > CHART_MS || drawn.length < 2) setDrawn([...all.current]);
  }, [update]);
  return drawn;
}

interface Paged<T> {
  readonly rows: readonly T[];
  readonly status: View;
  readonly more: View;
}

export function usePaged<T>(path: string, query: Query, [one, many]: readonly [one: string, many: string]): Paged<T> {
  const { source } = useScene();
  const [list, setList] = useState<List<T> & { readonly key: string }>();
  const [error, setError] = useState<unknown>();
  const grown = useRef<number | undefined>(undefined);
  const key = address(path, query);
  const load = async (before: readonly T[], cursor: string | null, signal?: AbortSignal): Promise<void> => {
    try {
      const page = await source.get<List<T>>(path, { ...query, cursor }, signal);
      if (signal?.aborted) return;
      setError(undefined);
      setList({ ...page, items: [...before, ...page.items], key });
    } catch (fault) {
      if (!signal?.aborted) setError(fault);
    }
  };
  useEffect(() => {
    const leave = new AbortController();
    void load([], null, leave.signal);
    return () => leave.abort();
  }, [key]);
  const body = useRef<HTMLElement>(null);
  useEffect(() => {
    // Move the focus to the first new row.
    const table = body.current?.previousElementSibling;
    if (grown.current !== undefined)
      table?.querySelectorAll<HTMLElement>('tbody tr')[grown.current]?.querySelector<HTMLElement>('a, button')?.focus();
    grown.current = undefined;
  }, [list]);
  const rows = list?.items ?? [];
  const of = list?.total === undefined ? (list?.next ? ' or more' : '') : ` of ${number(list.total)}`;
  const further = (): void => {
    grown.current = rows.length;
    if (list) void load(rows, list.next);
  };
  return {
    rows,
    status: error
      ? fault(error)
      : html`<p class="hint" role="status">
          ${!list ? 'Loading …' : rows.length === 0 ? `No ${many}.` : `${number(rows.length)}${of} ${rows.length === 1 ? one : many}`}
        </p>`,
    more: html`<div ref=${body}>
      ${list?.next && html`<button type="button" class="quiet" onClick=${further}>Show more</button>`}
    </div>`,
  };
}
