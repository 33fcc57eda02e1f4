export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;
export type EventKind = 'now' | 'queue' | 'hosts' | 'event';
/** What people change of a run. */
export type ChangeKind = 'decisions' | 'tables';

interface LinesRequest {
  readonly query?: Query;
  readonly body?: object;
}

/** Data source of the page: the server, or the data embedded in a report. */
export interface Source {
  /** Report data; undefined on a served page. */
  readonly report: { readonly written_at: string; readonly omitted: readonly string[] } | undefined;
  get<T>(path: string, query?: Query, signal?: AbortSignal): Promise<T>;
  /** URL of an image or download; undefined if not available. */
  file(path: string, query?: Query): string | undefined;
  post<T = { readonly changed: number }>(path: string, body: object): Promise<T>;
  /** Calls `receive` with each line of a streamed response; a body makes it a POST. */
  lines(path: string, request: LinesRequest, receive: (line: never) => void, signal: AbortSignal): Promise<void>;
  on(kind: EventKind, receive: (data: unknown) => void): () => void;
  /** Calls `receive` when something of a run was changed, here, in another window, or at another server. */
  onChange(run: string, kind: ChangeKind, receive: () => void): () => void;
  /** Works that match a filter, for export from a report. */
  readonly exportCsv?: (query: Query) => Promise<string>;
}

interface Changed extends Readonly<Record<ChangeKind, string>> {
  readonly run: string;
}

export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string;

  constructor(
    status: number,
    problem: { readonly detail?: string; readonly code?: string; readonly hint?: string | null },
  ) {
    super(problem.detail ?? `the server answered ${status}`);
    this.status = status;
    this.code = problem.code ?? '';
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

export function servedSource(connected: (is: boolean) => void): Source {
  const events = new EventSource('/api/v1/events');
  events.addEventListener('open', () => connected(true));
  // The browser reconnects by itself, and the server continues after the last event.
  events.addEventListener('error', () => connected(false));
  /** By run, how it was when the server last told. A stream that was broken, and begins again, tells it again. */
  const known = new Map<string, Changed>();
  const receivers = new Set<(run: string, kind: ChangeKind) => void>();
  events.addEventListener('changed', (event: MessageEvent<string>) => {
    const now = JSON.parse(event.data) as Changed;
    const before = known.get(now.run);
    known.set(now.run, now);
    for (const kind of ['decisions', 'tables'] as const)
      if (before && before[kind] !== now[kind]) for (const receive of receivers) receive(now.run, kind);
  });
  return {
    report: undefined,
    get: async (path, query, signal) => await answer(fetch(`/api/v1${address(path, query)}`, signal ? { signal } : {})),
    file: (path, query) => `/api/v1${address(path, query)}`,
    post: async (path, body) => await answer(fetch(`/api/v1${path}`, posted(body))),
    lines: async (path, { query, body }, receive, signal) => {
      const response = await fetch(`/api/v1${address(path, query)}`, { ...(body && posted(body)), signal });
      if (!response.ok || !response.body) throw await refusal(response);
      let rest = '';
      for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
        const lines = (rest + text).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines.filter((each) => each !== '')) {
          const value = JSON.parse(line) as {
            readonly kind?: string;
            readonly problem?: { readonly status: number; readonly detail: string };
          };
          if (value.kind === 'error') throw new Refusal(value.problem?.status ?? 500, value.problem ?? {});
          receive(value as never);
        }
      }
    },
    on: (kind, receive) => {
      const listener = (event: Event): void => receive(JSON.parse((event as MessageEvent<string>).data));
      events.addEventListener(kind, listener);
      return () => events.removeEventListener(kind, listener);
    },
    onChange: (run, kind, receive) => {
      const listener = (ofRun: string, changed: ChangeKind): void => {
        if (ofRun === run && changed === kind) receive();
      };
      receivers.add(listener);
      return () => receivers.delete(listener);
    },
  };
}

function posted(body: object): RequestInit {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

async function answer<T>(fetching: Promise<Response>): Promise<T> {
  const response = await fetching;
  if (response.ok) return (await response.json()) as T;
  throw await refusal(response);
}

async function refusal(response: Response): Promise<Refusal> {
  return new Refusal(response.status, (await response.json().catch(() => ({}))) as object);
}
