import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../../src/base/index.ts';
import { systemClock, wait } from '../../src/base/index.ts';
import { serveFile, serveSite } from '../hosts/site.ts';
import { SERVICE_ROBOTS } from '../hosts/robots.ts';
import { PolitenessMonitor } from '../log/politeness.ts';
import type { LogEntry } from '../log/request-log.ts';
import { RequestLog } from '../log/request-log.ts';
import { stream } from '../random/stream.ts';
import { downHost, downPage } from '../services/down.ts';
import { serviceAt } from '../services/index.ts';
import type { WorldParameters } from '../world/types.ts';
import { World, WORLD_DATE } from '../world/world.ts';
import type { DocumentManner } from './documents.ts';
import { Documents } from './documents.ts';
import type { Exchange, Pool } from './exchange.ts';
import { Limits } from './limits.ts';
import { listen } from './listen.ts';
import type { Reply } from './reply.ts';
import { headerOf, RESET, text } from './reply.ts';
import { RunState } from './run-state.ts';

export interface SimulationOptions {
  readonly parameters: WorldParameters;
  readonly port?: number;
  /** Real seconds per simulated second; 0.05 is twenty times faster. */
  readonly timeScale?: number;
  readonly clock?: Clock;
  readonly latency?: boolean;
  /** Full papers by default; plain ones are a hundred times cheaper. */
  readonly documents?: DocumentManner;
  readonly onEntry?: (entry: LogEntry) => void;
}

/** Real milliseconds by which a request may be early without a violation. */
const SLACK_MS = 50;
const SERVICE_LATENCY_MS = 60;
const BODY_LIMIT = 1_000_000;
const FRIENDLY = new Set(['calm', 'demo', 'load']);

/** The simulated web: one listener, many hosts, one state per run. */
export class Simulation implements AsyncDisposable {
  readonly timeScale: number;
  readonly clock: Clock;
  readonly log: RequestLog;
  readonly killedHosts = new Set<string>();
  readonly broken = new Set<string>();
  port = 0;
  world: World;
  documents: Documents;
  run: RunState;
  readonly #options: SimulationOptions;
  readonly #server: Server;
  readonly #startedAt: number;
  readonly #connections = new WeakMap<Socket, number>();
  #canaries: Canaries | undefined;
  #manners: PolitenessMonitor;
  #limits: Limits;
  #offsetMs = 0;
  #connection = 0;

  private constructor(options: SimulationOptions) {
    this.#options = options;
    this.clock = options.clock ?? systemClock;
    this.timeScale = options.timeScale ?? 1;
    this.#startedAt = this.clock.monotonic();
    this.log = new RequestLog(options.onEntry);
    this.world = new World(options.parameters);
    this.documents = new Documents(this.world, this.#options.documents);
    this.run = new RunState(1);
    this.#manners = new PolitenessMonitor(this.world, this.log, this.#slackMs);
    this.#limits = new Limits(this.#slackMs);
    this.#server = createServer(
      { keepAliveTimeout: 60_000, requestTimeout: 0, headersTimeout: 60_000 },
      (request, response) => {
        void this.#answer(request, response).catch((error: unknown) =>
          response.destroy(error instanceof Error ? error : new Error(String(error))),
        );
      },
    );
    this.#server.on('connection', (socket) => this.#connections.set(socket, (this.#connection += 1)));
  }

  static async open(options: SimulationOptions): Promise<Simulation> {
    const simulation = new Simulation(options);
    simulation.port = await listen(simulation.#server, '127.0.0.1', options.port ?? 0);
    simulation.#canaries = await openCanaries(simulation.port, (host, url) =>
      simulation.log.breach(null, {
        rule: 'canary',
        at: simulation.now(),
        host,
        url,
        detail: 'a private address was contacted',
      }),
    );
    return simulation;
  }

  get canaries(): { readonly v4: number; readonly v6: number } {
    return { v4: this.#canaries?.v4 ?? 1, v6: this.#canaries?.v6 ?? 1 };
  }

  /** The world's clock: starts at its date and runs `1 / timeScale` times as fast as real time. */
  now(): number {
    return WORLD_DATE + this.#offsetMs + (this.clock.monotonic() - this.#startedAt) / this.timeScale;
  }

  /** Starts a new run: resets attempts, limits, budgets and violations, and clears the log. */
  reset(): void {
    this.run = new RunState(this.run.id + 1);
    this.log.clear();
    this.#manners = new PolitenessMonitor(this.world, this.log, this.#slackMs);
    this.#limits = new Limits(this.#slackMs);
  }

  /** Advances the clock, for example past midnight. */
  advance(ms: number): void {
    this.#offsetMs += ms;
  }

  rebuild(parameters: WorldParameters): void {
    this.world = new World(parameters);
    this.documents = new Documents(this.world, this.#options.documents);
    this.reset();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    await this.#canaries?.[Symbol.asyncDispose]();
  }

  get #slackMs(): number {
    return SLACK_MS / this.timeScale;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const named = (request.headers.host ?? '').replace(/:\d+$/, '').toLowerCase();
    const url = URL.parse(`http://${named}${request.url ?? '/'}`);
    if (!url) {
      response.writeHead(400).end();
      return;
    }
    const { run } = this;
    const headers = request.headers as Readonly<Record<string, string | undefined>>;
    const attempt = request.method === 'GET' ? run.attempt(url.href) : 1;
    const entry = this.log.begin(
      {
        run: run.id,
        at: this.now(),
        host: named,
        method: request.method ?? 'GET',
        url: url.href,
        attempt,
        agent: headers['user-agent'] ?? '',
        connection: this.#connections.get(request.socket) ?? 0,
      },
      headers,
    );
    const manners = this.#manners;
    manners.arrive(entry, headers);
    const exchange = this.#exchange(entry, url, headers, await body(request));
    const { reply, pool } = await this.#decide(exchange, entry);
    const limits = this.#limits;
    await this.#delay(exchange);
    response.sendDate = false;
    response.setHeader('date', new Date(this.now()).toUTCString());
    let isOver = false;
    // Once, at whichever comes first: the client may send its next request before this process sees that the response
    // arrived.
    const leave = (): void => {
      if (isOver) return;
      isOver = true;
      if (pool) limits.leave(pool);
      manners.leave(entry, headers, headerOf(reply, 'retry-after'), this.now());
      this.log.end(entry);
    };
    response.once('close', leave);
    entry.status = reply.status;
    entry.bytes = await send(response, reply, this.clock, request.method === 'HEAD');
    leave();
  }

  #exchange(entry: LogEntry, url: URL, headers: Exchange['headers'], requestBody: string): Exchange {
    const exchange: Exchange = {
      world: this.world,
      run: this.run,
      method: entry.method,
      url,
      path: decoded(url.pathname),
      query: url.searchParams,
      headers,
      body: requestBody,
      attempt: entry.attempt,
      now: entry.at,
      canaries: this.canaries,
      bytes: async (file) => (file ? this.documents.bytes(file.payload) : new Uint8Array()),
      file: (location) =>
        location.file ? serveFile(exchange, location.file) : Promise.resolve(text('Not Found', 404)),
    };
    return exchange;
  }

  /** The response, and the pool the request occupies. */
  async #decide(exchange: Exchange, entry: LogEntry): Promise<{ readonly reply: Reply; readonly pool: Pool | null }> {
    const outside = (reply: Reply): { readonly reply: Reply; readonly pool: null } => ({ reply, pool: null });
    const host = exchange.url.hostname;
    if (/^[\d.]+$|^\[|^localhost$/.test(host)) {
      this.#manners.breach(entry, 'private-address', host);
      const hint = 'give clients the admin address that "sim serve" printed';
      return outside(text(`This is the simulated web itself; ${hint}.\n`, 421));
    }
    if (this.killedHosts.has(host)) return outside(RESET);
    if (this.#manners.isBanned(host, entry.at)) return outside(text('Forbidden', 403));
    const service = serviceAt(host);
    if (service) {
      if (this.broken.has(service.name)) return outside(text('gone by order of sim mutate', 404));
      if (exchange.path === '/robots.txt') return outside(text(SERVICE_ROBOTS[host] ?? 'User-agent: *\nAllow: /\n'));
      if (host === downHost(this.world.parameters)) return outside(downPage());
      const pool = FRIENDLY.has(this.world.parameters.profile) ? null : (service.pool?.(exchange) ?? null);
      const admission = pool && this.#limits.arrive(pool, entry.at);
      if (pool && admission?.kind === 'refused') {
        this.#manners.breach(entry, admission.rule, pool.name);
        return outside(service.tooMany?.(exchange, admission.waitSeconds) ?? text('Too Many Requests', 429));
      }
      return { reply: await service.handle(exchange), pool };
    }
    const site = this.world.host(host);
    if (!site) return outside(text(`no such host: ${host}\n`, 404));
    if (!site.rate || exchange.path === '/robots.txt') return outside(await serveSite(exchange, site));
    const pool: Pool = { name: site.name, perSecond: site.rate.perSecond, burst: site.rate.burst };
    const admission = this.#limits.arrive(pool, entry.at);
    if (admission.kind === 'refused') return outside(slowDown(site.rate.retryAfter, admission.waitSeconds, entry.at));
    return { reply: await serveSite(exchange, site), pool };
  }

  /** Lognormal latency with a long tail, determined by URL and attempt; without it requests would never overlap. */
  async #delay(exchange: Exchange): Promise<void> {
    const host = exchange.url.hostname;
    const median = this.world.host(host)?.medianLatencyMs ?? (serviceAt(host) && SERVICE_LATENCY_MS);
    if (median === undefined || this.#options.latency === false || FRIENDLY.has(this.world.parameters.profile)) return;
    const draw = stream(this.world.parameters.seed, 'latency', `${exchange.url.href} ${exchange.attempt}`);
    const normal = Math.sqrt(-2 * Math.log(1 - draw.next())) * Math.cos(2 * Math.PI * draw.next());
    const ms = median * Math.exp(0.6 * normal) * (draw.chance(0.01) ? 20 : 1);
    await wait(this.clock, ms * this.timeScale);
  }
}

/** The response of a host above its unpublished limit; not a violation in itself. */
function slowDown(form: 'seconds' | 'date' | 'none', waitSeconds: number, now: number): Reply {
  const retryAfter = form === 'seconds' ? String(waitSeconds) : new Date(now + waitSeconds * 1_000 + 999).toUTCString();
  return text('Too Many Requests', 429, form === 'none' ? {} : { 'retry-after': retryAfter });
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

async function body(request: IncomingMessage): Promise<string> {
  if (request.method === 'GET' || request.method === 'HEAD') return '';
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of request as AsyncIterable<Uint8Array>) {
    bytes += piece.length;
    if (bytes > BODY_LIMIT) break;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** Listeners on private addresses that clients must not contact; every connection is reported. */
interface Canaries extends AsyncDisposable {
  readonly v4: number;
  /** Null if the machine has no IPv6 loopback. */
  readonly v6: number | null;
}

async function openCanaries(after: number, onHit: (where: string, url: string) => void): Promise<Canaries> {
  const servers: Server[] = [];
  const open = async (host: string, wanted: number): Promise<number | null> => {
    const server = createServer((request, response) => {
      onHit(host, request.url ?? '/');
      response.end('you should not be here');
    });
    // Connecting is already a violation.
    server.on('connection', () => onHit(host, '(connection)'));
    try {
      const port = await listen(server, host, wanted).catch(() => listen(server, host, 0));
      servers.push(server);
      return port;
    } catch {
      return null;
    }
  };
  const v4 = await open('127.0.0.1', after + 1);
  const v6 = await open('::1', after + 2);
  return {
    v4: v4 ?? 0,
    v6,
    async [Symbol.asyncDispose]() {
      await Promise.all(
        servers.map((server) => {
          server.closeAllConnections();
          return new Promise((resolve) => server.close(resolve));
        }),
      );
    },
  };
}

/** Maximum duration of a stream. */
const MOST_BYTES = 20 * 1024 ** 3;

/** Writes a response with its transport; resolves with the number of body bytes sent. */
async function send(response: ServerResponse, reply: Reply, clock: Clock, isHead: boolean): Promise<number> {
  const { transport } = reply;
  const body = typeof reply.body === 'string' ? Buffer.from(reply.body) : reply.body;
  if (transport?.kind === 'reset') {
    response.socket?.resetAndDestroy();
    return 0;
  }
  if (transport?.kind === 'hang') {
    await closed(response);
    return 0;
  }
  response.statusCode = reply.status;
  for (const [name, value] of Object.entries(reply.headers))
    response.setHeader(name, typeof value === 'string' ? value : [...value]);
  if (transport === undefined) {
    if (reply.status !== 304 && !response.hasHeader('content-length'))
      response.setHeader('content-length', body.length);
    response.end(isHead ? undefined : body);
    return isHead ? 0 : body.length;
  }
  if (isHead) {
    response.end();
    return 0;
  }
  switch (transport.kind) {
    case 'short':
      response.setHeader('content-length', body.length);
      await write(response, body.subarray(0, transport.bytes));
      response.destroy();
      return transport.bytes;
    case 'chunked-cut':
      await write(response, body.subarray(0, transport.bytes));
      response.destroy();
      return transport.bytes;
    case 'stall':
      response.setHeader('content-length', body.length);
      await write(response, body.subarray(0, transport.bytes));
      await closed(response);
      return transport.bytes;
    case 'drip':
      return drip(response, body, clock, transport.everyMs);
    case 'repeat':
      return repeat(response, body, transport.times, transport.length);
  }
}

async function drip(response: ServerResponse, body: Uint8Array, clock: Clock, everyMs: number): Promise<number> {
  response.setHeader('content-length', body.length);
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  let sent = 0;
  while (sent < body.length && !gone.signal.aborted) {
    await write(response, body.subarray(sent, sent + 1));
    sent += 1;
    await wait(clock, everyMs, gone.signal).catch(() => undefined);
  }
  if (!gone.signal.aborted) response.end();
  return sent;
}

async function repeat(response: ServerResponse, block: Uint8Array, times: number, length?: number): Promise<number> {
  if (length !== undefined) response.setHeader('content-length', length);
  let sent = 0;
  for (let round = 0; round < times && sent < MOST_BYTES && !response.destroyed; round += 1) {
    await write(response, block);
    sent += block.length;
  }
  if (!response.destroyed) response.end();
  return sent;
}

/** Writes with backpressure; a disconnected client is not an error. */
function write(response: ServerResponse, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('close', done);
      resolve();
    };
    response.once('close', done);
    response.write(bytes, () => done());
  });
}

function closed(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    if (response.destroyed || response.closed) resolve();
    else response.once('close', () => resolve());
  });
}
