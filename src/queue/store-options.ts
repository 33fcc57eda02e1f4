import type { Clock } from '../base/index.ts';

/** How a queue is opened; the defaults suit most. */
export interface StoreOptions {
  /** Which commits wait for the disk: those that accept jobs (the default), all of them, or none. */
  readonly durability?: 'enqueue' | 'all' | 'none';
  /** SQLite: write-ahead logging, which lets several processes read and write at once; on by default. */
  readonly walMode?: boolean;
  /** How long to wait for a database that another process has locked, or for the first connection; 10 s by default. */
  readonly timeoutMs?: number;
  /** PostgreSQL: the schema that holds the tables; `docstokg` by default. */
  readonly schema?: string;
  /**
   * PostgreSQL: connect through a pooler in transaction mode: no prepared statements, and polling instead of LISTEN.
   */
  readonly pooler?: boolean | undefined;
  /** PostgreSQL: maximum number of connections, 4 by default; one of them listens. */
  readonly maxConnections?: number | undefined;
  /** By default the clock of the system. */
  readonly clock?: Clock;
  /**
   * PostgreSQL: how long a server may be silent, 30 s by default. Then another connection is asked whether it is there: a
   * statement may take as long as it needs, a server that has frozen counts as away.
   */
  readonly silentMs?: number | undefined;
  /** PostgreSQL: how long a server that is away is waited for; ten minutes by default. */
  readonly outageMs?: number | undefined;
  /** PostgreSQL: after this a server that is away is waited for only seconds, instead of `outageMs`. */
  readonly stop?: AbortSignal | undefined;
  /** PostgreSQL: called when the server becomes unreachable, and when it is back. */
  readonly report?: (event: OutageEvent) => void;
}

export type OutageEvent =
  | { readonly kind: 'queue-unreachable'; readonly message: string }
  | { readonly kind: 'queue-reachable'; readonly outageMs: number };
