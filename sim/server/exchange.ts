import type { World } from '../world/world.ts';
import type { FileSpec, Location } from '../world/types.ts';
import type { Reply } from './reply.ts';
import type { RunState } from './run-state.ts';

/** A request as handlers see it. */
export interface Exchange {
  readonly world: World;
  readonly run: RunState;
  readonly method: string;
  readonly url: URL;
  /** The decoded path, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
  /** The number of this GET of the URL in this run, from 1. */
  readonly attempt: number;
  /** Simulated epoch milliseconds. */
  readonly now: number;
  /** Ports known only at run time. */
  readonly canaries: { readonly v4: number; readonly v6: number };
  /** The content of a file without its behaviour; nothing if there is none. */
  bytes(file: FileSpec | null | undefined): Promise<Uint8Array>;
  /** The response for the file of a location, with its behaviour. */
  file(location: Location): Promise<Reply>;
}

/** A rate limit over a set of hosts, in simulated time. */
export interface Pool {
  readonly name: string;
  readonly perSecond: number;
  readonly burst: number;
  readonly concurrency?: number;
}

/** A simulated service: its hosts, limits and responses. */
export interface Service {
  readonly name: string;
  readonly hosts: readonly string[];
  pool?(exchange: Exchange): Pool | null;
  tooMany?(exchange: Exchange, waitSeconds: number): Reply;
  handle(exchange: Exchange): Reply | Promise<Reply>;
}

/** The bearer token or key header of a request. */
export function keyOf(exchange: Exchange): string | null {
  const bearer = /^(?:Bearer|token)\s+(.+)$/i.exec(exchange.headers['authorization'] ?? '')?.[1];
  return (
    exchange.query.get('api_key') ??
    exchange.query.get('api-key') ??
    exchange.headers['x-api-key'] ??
    exchange.headers['api_key'] ??
    bearer ??
    null
  );
}

/** Whether the client identifies itself: an e-mail address in the query or User-Agent. */
export function isIdentified(exchange: Exchange): boolean {
  return (
    /\S+@\S+/.test(exchange.query.get('mailto') ?? '') || /mailto:\S+@\S+/.test(exchange.headers['user-agent'] ?? '')
  );
}

/** The DOI in the rest of a path, fully decoded. */
export function doiIn(rest: string): string {
  try {
    return decodeURIComponent(rest).replace(/^https?:\/\/(dx\.)?doi\.org\//i, '');
  } catch {
    return rest;
  }
}
