import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';

import { AppError, errorInfo } from '../../src/base/index.ts';
import { countByRule } from '../log/request-log.ts';
import { clientSettings } from '../settings.ts';
import { parsePolicy } from '../truth/policy.ts';
import { truthLines } from '../truth/truth-lines.ts';
import type { Profile } from '../world/types.ts';
import { PROFILES } from '../world/types.ts';
import { listen } from './listen.ts';
import { SIM_KEYS } from './run-state.ts';
import { SERVICES } from '../services/index.ts';
import type { Simulation } from './simulation.ts';

/** The admin API: state and controls of the simulation. Never linked from the simulated web. */
export class Admin implements AsyncDisposable {
  readonly #simulation: Simulation;
  readonly #server: Server;
  port = 0;

  private constructor(simulation: Simulation) {
    this.#simulation = simulation;
    this.#server = createServer((request, response) => {
      void this.#answer(request, response).catch((error: unknown) => {
        const { code, message } = errorInfo(error);
        if (!response.headersSent)
          response.writeHead(error instanceof AppError ? 400 : 500, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ error: { code, message } }));
      });
    });
  }

  static async open(simulation: Simulation, port = 0): Promise<Admin> {
    const admin = new Admin(simulation);
    admin.port = await listen(admin.#server, '127.0.0.1', port);
    return admin;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url);
    // Prevents DNS rebinding: a page in a browser must not use this API.
    if (!/^(127\.0\.0\.1|localhost|\[::1\]):\d+$/.test(request.headers.host ?? ''))
      throw new AppError('SIM_ADMIN_HOST', 'the admin plane answers to its address only');
    const route = `${request.method ?? 'GET'} ${url.pathname}`;
    if (route === 'GET /__sim/truth' || route === 'POST /__sim/truth') {
      const policy = parsePolicy(request.method === 'POST' ? await readJson(request) : {});
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      const { world, documents, killedHosts } = this.#simulation;
      const withDead = { ...policy, deadHosts: [...policy.deadHosts, ...killedHosts] };
      for await (const line of truthLines(world, documents, withDead)) response.write(`${JSON.stringify(line)}\n`);
      response.end();
      return;
    }
    if (route === 'GET /__sim/log') {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      for (const entry of this.#simulation.log.since(Number(url.searchParams.get('since') ?? 0)))
        response.write(`${JSON.stringify(entry)}\n`);
      response.end();
      return;
    }
    const result =
      request.method === 'POST'
        ? this.#pull(url.pathname, (await readJson(request)) as Record<string, unknown>)
        : this.#show(url.pathname);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(`${JSON.stringify(result)}\n`);
  }

  #show(path: string): unknown {
    const { world, log, run, killedHosts, broken } = this.#simulation;
    if (path === '/__sim/world')
      return {
        identity: world.identity,
        parameters: world.parameters,
        run: run.id,
        now: new Date(this.#simulation.now()).toISOString(),
        web: `http://127.0.0.1:${this.#simulation.port}`,
        admin: this.url,
        documents: this.#simulation.documents.manner,
        killed_hosts: [...killedHosts],
        broken: [...broken],
        client: clientSettings(this.#simulation),
      };
    if (path === '/__sim/violations')
      return {
        total: log.violations.length,
        by_rule: countByRule(log.violations),
        violations: log.violations.slice(0, 1_000),
      };
    throw new AppError('SIM_ADMIN_ROUTE', `no ${path}`, {
      hint: 'GET /__sim/world, /truth, /log?since=, /violations; POST /__sim/reset, /clock, /profile, /kill-host, /budget, /mutate',
    });
  }

  #pull(path: string, given: Record<string, unknown>): unknown {
    const simulation = this.#simulation;
    switch (path) {
      case '/__sim/reset':
        simulation.reset();
        return { run: simulation.run.id };
      case '/__sim/clock':
        simulation.advance(number(given, 'advanceMs'));
        return { now: new Date(simulation.now()).toISOString() };
      case '/__sim/profile': {
        const profile = given['profile'];
        if (!PROFILES.includes(profile as Profile))
          throw new AppError('SIM_PROFILE', `"${String(profile)}" is not a profile`);
        simulation.rebuild({ ...simulation.world.parameters, profile: profile as Profile });
        return { identity: simulation.world.identity };
      }
      case '/__sim/kill-host': {
        const host = String(given['host']);
        if (given['alive'] === true) simulation.killedHosts.delete(host);
        else simulation.killedHosts.add(host);
        return { killed_hosts: [...simulation.killedHosts] };
      }
      case '/__sim/budget': {
        const key = given['key'] === undefined ? SIM_KEYS.openalex : (given['key'] as string | null);
        simulation.run.allow(key, number(given, 'credits'));
        return { credits: simulation.run.limit(key) };
      }
      case '/__sim/mutate':
        return { broken: breakResolver(simulation, typeof given['break'] === 'string' ? given['break'] : '') };
      default:
        return this.#show(path);
    }
  }
}

/** `resolver:NAME` disables a service without changing the expected results; `none` restores everything. */
function breakResolver(simulation: Simulation, what: string): readonly string[] {
  if (what === 'none') simulation.broken.clear();
  else {
    const name = what.replace(/^(resolver|service):/, '');
    if (!SERVICES.some((service) => service.name === name))
      throw new AppError('USAGE_SIM_MUTATION', `"${what}" cannot be broken`, {
        hint: `resolver:NAME with one of ${SERVICES.map((service) => service.name).join(', ')}, or none`,
      });
    simulation.broken.add(name);
  }
  return [...simulation.broken];
}

function number(given: Record<string, unknown>, field: string): number {
  const value = given[field];
  if (typeof value !== 'number' || !Number.isFinite(value))
    throw new AppError('SIM_ADMIN_FIELD', `${field} must be a number`);
  return value;
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const pieces: Uint8Array[] = [];
  for await (const piece of request as AsyncIterable<Uint8Array>) pieces.push(piece);
  const raw = Buffer.concat(pieces).toString('utf8');
  if (raw === '') return {};
  try {
    return JSON.parse(raw) as unknown;
  } catch (error) {
    throw new AppError('SIM_ADMIN_JSON', 'the body is not JSON', { cause: error });
  }
}
