import type { IncomingMessage, ServerResponse } from 'node:http';
import type { z } from 'zod';

import type { World } from '../watch/world.ts';
import { Problem, readBody } from './problem.ts';
import type { Asked } from './route.ts';
import type { Router } from './router.ts';
import { checked } from './router.ts';
import { API_HEADERS, sendBody, sendJson, sendLines, sendPieces } from './send.ts';

const BODY_BYTES = 65_536;
const MOST_DOWNLOADS = 4;

/** Answers API requests over HTTP. */
export class ApiHandler {
  readonly #router: Router;
  readonly #world: World;
  #downloads = 0;

  constructor(router: Router, world: World) {
    this.#router = router;
    this.#world = world;
  }

  async answer(request: IncomingMessage, response: ServerResponse, url: string): Promise<void> {
    const { route: found, path, query } = this.#router.match(request.method ?? '', url);
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
    const answer = await found.handle(asked);
    switch (answer.kind) {
      case 'json':
        sendJson(request, response, answer.value);
        break;
      case 'bytes':
        sendBody(request, response, { type: answer.type, body: answer.bytes, headers: API_HEADERS });
        break;
      case 'pieces':
      case 'file':
        if (this.#downloads >= MOST_DOWNLOADS)
          throw new Problem(503, 'TOO_BUSY', 'too many concurrent downloads', { headers: { 'retry-after': '5' } });
        this.#downloads += 1;
        try {
          await sendPieces(response, answer, asked.signal);
        } finally {
          this.#downloads -= 1;
        }
        break;
      case 'lines':
        await sendLines(response, answer.lines, asked.signal);
        break;
      case 'watch':
        this.#watch(response, answer.run, answer.lastId);
    }
  }

  #watch(response: ServerResponse, run: string | null, lastId: string | null): void {
    const { watchers } = this.#world;
    if (watchers.isFull)
      throw new Problem(429, 'TOO_MANY_WATCHERS', 'too many event streams', { headers: { 'retry-after': '30' } });
    response.writeHead(200, { ...API_HEADERS, 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    watchers.add(response, run, lastId);
  }
}

async function bodyOf(request: IncomingMessage, schema: z.ZodType): Promise<unknown> {
  if (!/^application\/json(?:;|$)/i.test(request.headers['content-type'] ?? ''))
    throw new Problem(415, 'USAGE_BODY', 'expected a body of type application/json');
  const text = (await readBody(request, BODY_BYTES)).toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Problem(400, 'USAGE_BODY', 'the body is not JSON');
  }
  return checked(schema, value, 'body');
}
