export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;
export type EventKind = 'now' | 'queue' | 'hosts' | 'event';

/** Where the page gets its answers: from the server it was loaded from, or from inside the report's own file. */
export interface Source {
  /** Undefined on a served page; on a report, what is told only there. */
  readonly report: { readonly written_at: string; readonly omitted: readonly string[] } | undefined;
  get<T>(path: string, query?: Query, signal?: AbortSignal): Promise<T>;
  /** The address of a file: a picture, a download. Undefined where it is not there. */
  file(path: string, query?: Query): string | undefined;
  post(path: string, body: Query): Promise<{ readonly changed: number }>;
  /** Calls back whenever something of a kind is told; returns how to stop that. */
  on(kind: EventKind, hear: (data: unknown) => void): () => void;
  /** The works that a filter lets through, for a page that no server exports. */
  readonly exportCsv?: (query: Query) => Promise<string>;
}

/** What the interface says when it cannot answer (RFC 9457). */
export class Refusal extends Error {
  readonly status: number;
  readonly hint: string;

  constructor(status: number, problem: { readonly detail?: string; readonly hint?: string | null }) {
    super(problem.detail ?? `the server answered ${status}`);
    this.status = status;
    this.hint = problem.hint ?? '';
  }
}

/** A path with its query; what is empty is left out. */
export function address(path: string, query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null && value !== '' && value !== false) search.set(name, String(value));
  return search.size === 0 ? path : `${path}?${search}`;
}

/** Answers over HTTP. One stream of events serves the whole page. */
export function servedSource(connected: (is: boolean) => void): Source {
  const events = new EventSource('/api/v1/events');
  events.addEventListener('open', () => connected(true));
  // The browser connects again by itself, and the server continues after the last event.
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
