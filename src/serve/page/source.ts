export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;
export type EventKind = 'now' | 'queue' | 'hosts' | 'event';

/** Data source of the page: the server, or the data embedded in a report. */
export interface Source {
  /** Report data; undefined on a served page. */
  readonly report: { readonly written_at: string; readonly omitted: readonly string[] } | undefined;
  get<T>(path: string, query?: Query, signal?: AbortSignal): Promise<T>;
  /** URL of an image or download; undefined if not available. */
  file(path: string, query?: Query): string | undefined;
  post<T = { readonly changed: number }>(path: string, body: Query): Promise<T>;
  /** Subscribes to server events of a kind; returns an unsubscribe function. */
  on(kind: EventKind, hear: (data: unknown) => void): () => void;
  /** Works that match a filter, for export from a report. */
  readonly exportCsv?: (query: Query) => Promise<string>;
}

/** An error response of the API (RFC 9457). */
export class Refusal extends Error {
  readonly status: number;
  readonly hint: string;

  constructor(status: number, problem: { readonly detail?: string; readonly hint?: string | null }) {
    super(problem.detail ?? `the server answered ${status}`);
    this.status = status;
    this.hint = problem.hint ?? '';
  }
}

/** Builds a path with query; omits empty values. */
export function address(path: string, query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null && value !== '' && value !== false) search.set(name, String(value));
  return search.size === 0 ? path : `${path}?${search}`;
}

/** Data source over HTTP. One event stream serves the whole page. */
export function servedSource(connected: (is: boolean) => void): Source {
  const events = new EventSource('/api/v1/events');
  events.addEventListener('open', () => connected(true));
  // The browser reconnects by itself, and the server continues after the last event.
  events.addEventListener('error', () => connected(false));
  return {
    report: undefined,
    get: async (path, query, signal) => await answer(fetch(`/api/v1${address(path, query)}`, signal ? { signal } : {})),
    file: (path, query) => `/api/v1${address(path, query)}`,
    post: async (path, body) =>
      await answer(
        fetch(`/api/v1${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
      ),
    on: (kind, hear) => {
      const listener = (event: Event): void => hear(JSON.parse((event as MessageEvent<string>).data));
      events.addEventListener(kind, listener);
      return () => events.removeEventListener(kind, listener);
    },
  };
}

async function answer<T>(fetching: Promise<Response>): Promise<T> {
  const response = await fetching;
  if (response.ok) return (await response.json()) as T;
  throw new Refusal(response.status, (await response.json().catch(() => ({}))) as object);
}
