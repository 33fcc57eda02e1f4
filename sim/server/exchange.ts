import type { World } from '../world/world.ts';
import type { Location, Payload } from '../world/types.ts';
import type { Reply } from './reply.ts';
import type { RunState } from './run-state.ts';

/** One request as handlers see it. */
export interface Exchange {
  readonly world: World;
  readonly run: RunState;
  readonly method: string;
  readonly url: URL;
  /** The path without escapes that would hide a DOI's slashes; never the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
  /** Which GET of this URL in this run it is, from 1. */
  readonly attempt: number;
  /** Simulated milliseconds since the epoch. */
  readonly now: number;
  /** The port numbers that only exist at run time. */
  readonly canaries: { readonly v4: number; readonly v6: number };
  bytes(payload: Payload): Promise<Uint8Array>;
  /** The answer of a location's file, with its behaviour. */
  file(location: Location): Promise<Reply>;
}

/** A limit on requests over a set of hosts, kept in simulated time. */
export interface Pool {
  readonly name: string;
  readonly perSecond: number;
  readonly burst: number;
  readonly concurrency?: number;
}

/** A simulated service: the hosts it answers for, its limits and its answers. */
export interface Service {
  readonly name: string;
  readonly hosts: readonly string[];
  /** The pool a request counts against, if any. */
  pool?(exchange: Exchange): Pool | null;
  tooMany?(exchange: Exchange, waitSeconds: number): Reply;
  handle(exchange: Exchange): Reply | Promise<Reply>;
}

/** The bearer token or key header of a request, wherever clients put it. */
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

/** True when the client says who it is: an e-mail in the query or in its User-Agent. */
export function isIdentified(exchange: Exchange): boolean {
  return (
    /\S+@\S+/.test(exchange.query.get('mailto') ?? '') || /mailto:\S+@\S+/.test(exchange.headers['user-agent'] ?? '')
  );
}

/** The DOI in the rest of a path, with every escape undone. */
export function doiIn(rest: string): string {
  try {
    return decodeURIComponent(rest).replace(/^https?:\/\/(dx\.)?doi\.org\//i, '');
  } catch {
    return rest;
  }
}
