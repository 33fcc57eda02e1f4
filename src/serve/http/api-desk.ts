import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';

import { openApi } from '../openapi.ts';
import type { World } from '../watch/world.ts';
import { AnswerCache } from './answer-cache.ts';
import { API_HEADERS } from './headers.ts';
import { Problem } from './problem.ts';
import { readBody } from './read-body.ts';
import type { Asked, Route } from './route.ts';
import { route } from './route.ts';
import { Router } from './router.ts';
import { etagOf, keptJson, sendBody, sendJson, sendPieces } from './send.ts';

const BODY_BYTES = 65_536;
const MOST_DOWNLOADS = 4;
/** Questions whose parameters were checked before need not be checked again. */
const MOST_UNDERSTOOD = 2_000;

interface Understood {
  readonly route: Route;
  readonly path: unknown;
  readonly query: unknown;
}

/** Answers the questions of the interface: understands them, checks them, and keeps answers that are still true. */
export class ApiDesk {
  readonly #router: Router;
  readonly #world: World;
  readonly #cache = new AnswerCache();
  readonly #understood = new Map<string, Understood>();
  #downloads = 0;

  constructor(routes: readonly Route[], world: World, version: string) {
    this.#world = world;
    const document: Route = route({
      path: '/openapi.json',
      summary: 'This document.',
      pathSchema: z.strictObject({}),
      querySchema: z.strictObject({}),
      gives: { kind: 'json', schema: z.looseObject({ openapi: z.string() }) },
      version: () => version,
      handle: () => ({ kind: 'json', value: openApi(all, version) }),
    });
    const all: readonly Route[] = [...routes, document];
    this.#router = new Router(all);
  }

  async answer(request: IncomingMessage, response: ServerResponse, url: string): Promise<void> {
    const { route: found, path, query } = this.#understand(request.method ?? '', url);
    const body = found.bodySchema ? await bodyOf(request, found.bodySchema) : undefined;
    if (!this.#world.isFresh()) await this.#world.look();
    let gone: AbortController | undefined;
    const asked = {
      path,
      query,
      body,
      request,
      get signal(): AbortSignal {
        if (!gone) {
          gone = new AbortController();
          response.once('close', () => gone?.abort());
        }
        return gone.signal;
      },
    } as Asked<never, never, never>;
    const version = found.version(asked);
    const kept = version === null ? undefined : this.#cache.get(url, version);
    if (kept) {
      sendJson(request, response, kept);
      return;
    }
    const answer = await found.handle(asked);
    switch (answer.kind) {
      case 'json': {
        const made = keptJson(version ?? '', answer.value);
        if (version !== null) this.#cache.set(url, made);
        sendJson(request, response, made);
        break;
      }
      case 'bytes':
        sendBody(request, response, {
          type: answer.type,
          body: answer.bytes,
          etag: etagOf(answer.bytes),
          headers: API_HEADERS,
        });
        break;
      case 'pieces':
      case 'file':
        if (this.#downloads >= MOST_DOWNLOADS)
          throw new Problem(503, 'TOO_BUSY', 'too many files are being read', { headers: { 'retry-after': '5' } });
        this.#downloads += 1;
        try {
          await sendPieces(response, answer, asked.signal);
        } finally {
          this.#downloads -= 1;
        }
        break;
      case 'watch':
        this.#watch(response, answer.run, answer.lastId);
    }
  }

  #watch(response: ServerResponse, run: string | null, lastId: string | null): void {
    const { watchers } = this.#world;
    if (watchers.isFull)
      throw new Problem(429, 'TOO_MANY_WATCHERS', 'too many watch already', { headers: { 'retry-after': '30' } });
    response.writeHead(200, { ...API_HEADERS, 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    watchers.add(response, run, lastId);
  }

  /** The route and its checked parameters. */
  #understand(method: string, url: string): Understood {
    const asked = method === 'HEAD' ? 'GET' : method;
    const key = `${asked} ${url}`;
    const known = this.#understood.get(key);
    if (known) return known;
    const mark = url.indexOf('?');
    const segments = decoded(mark === -1 ? url : url.slice(0, mark));
    const found = this.#router.find(asked, segments);
    if (!found)
      throw new Problem(404, 'NO_ROUTE', 'there is nothing here', { hint: '/api/v1/openapi.json says what there is' });
    if ('allowed' in found)
      throw new Problem(405, 'METHOD', `only ${found.allowed.join(', ')} is answered here`, {
        headers: { allow: found.allowed.join(', ') },
      });
    const understood = {
      route: found.route,
      path: checked(found.route.pathSchema, found.values, 'path'),
      query: checked(found.route.querySchema, queryOf(mark === -1 ? '' : url.slice(mark + 1)), 'query'),
    };
    if (this.#understood.size >= MOST_UNDERSTOOD) {
      const [oldest] = this.#understood.keys();
      if (oldest !== undefined) this.#understood.delete(oldest);
    }
    this.#understood.set(key, understood);
    return understood;
  }
}

/** A path's segments, each decoded by itself: a slash inside one is part of a name. */
function decoded(path: string): string[] {
  try {
    return path
      .split('/')
      .slice(1)
      .map((segment) => decodeURIComponent(segment));
  } catch {
    throw new Problem(400, 'USAGE_URL', 'the path is not written as paths are');
  }
}

function queryOf(text: string): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(text)) {
    if (Object.hasOwn(values, name)) throw new Problem(400, 'USAGE_PARAMETER', `${name.slice(0, 50)} is given twice`);
    Object.defineProperty(values, name, { value, enumerable: true });
  }
  return values;
}

async function bodyOf(request: IncomingMessage, schema: z.ZodType): Promise<unknown> {
  if (!/^application\/json(?:;|$)/i.test(request.headers['content-type'] ?? ''))
    throw new Problem(415, 'USAGE_BODY', 'a body of the type application/json is wanted');
  const text = (await readBody(request, BODY_BYTES)).toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Problem(400, 'USAGE_BODY', 'the body is not JSON');
  }
  return checked(schema, value, 'body');
}

function checked(schema: z.ZodType, value: unknown, where: 'path' | 'query' | 'body'): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const place = issue?.path.join('.') ?? '';
  throw new Problem(
    where === 'path' ? 404 : 400,
    'USAGE_PARAMETER',
    `${place === '' ? where : place}: ${issue?.message ?? 'not understood'}`.slice(0, 500),
  );
}
