import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import { cpus } from 'node:os';

import { Simulation } from '../sim/index.ts';

/*
 * How fast a large simulated world starts and answers. The server runs in a process of its own and reports the CPU
 * time it used, because wall time on a shared machine says little. Beside it, a bare node:http server answers the same
 * requests with a constant body of the same size: the limit of what can be served.
 */
const isQuick = process.argv.includes('--quick');
const WORKS = 100_000;
const REQUESTS = isQuick ? 6_000 : 40_000;
const CONNECTIONS = 16;
const TARGETS = { startSeconds: 10, requestsPerCpuSecond: 2_000 };

if (process.argv.includes('--server')) await serve();
else await measure();

async function serve(): Promise<void> {
  const isBare = process.argv.includes('--bare');
  const before = process.cpuUsage();
  const began = performance.now();
  let port: number;
  if (isBare) {
    const body = JSON.stringify({
      id: 'https://openalex.org/W7000000001',
      doi: 'https://doi.org/10.5555/j0.2020.1000000',
      title: 'x'.repeat(80),
    });
    const server = createServer((_request, response) =>
      response.setHeader('content-type', 'application/json').end(body),
    ).listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as { port: number }).port;
  } else ({ port } = await Simulation.open({ parameters: { seed: 7, works: WORKS, hosts: 400, profile: 'load' } }));
  process.send?.({
    port,
    wallMs: performance.now() - began,
    cpuMs: milliseconds(process.cpuUsage(before)),
    rssMb: process.memoryUsage().rss / 1e6,
  });
  process.on('message', () =>
    process.send?.({ cpuMs: milliseconds(process.cpuUsage()), rssMb: process.memoryUsage().rss / 1e6 }),
  );
}

interface Report {
  readonly port: number;
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly rssMb: number;
}

interface Served {
  readonly start: Report;
  readonly requestsPerCpuSecond: number;
  readonly requestsPerSecond: number;
  readonly rssMb: number;
}

async function load(...words: string[]): Promise<Served> {
  const child = fork(import.meta.filename, ['--server', ...words], { execArgv: ['--conditions=docstokg-source'] });
  const [start] = (await once(child, 'message')) as [Report];
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const dois = words.includes('--bare') ? [] : await sampleDois(start.port, agent);
  await hammer(start.port, agent, 2_000, dois);
  const before = await ask(child);
  const began = performance.now();
  await hammer(start.port, agent, REQUESTS, dois);
  const wallMs = performance.now() - began;
  const after = await ask(child);
  agent.destroy();
  child.kill();
  return {
    start,
    requestsPerCpuSecond: REQUESTS / ((after.cpuMs - before.cpuMs) / 1_000),
    requestsPerSecond: REQUESTS / (wallMs / 1_000),
    rssMb: after.rssMb,
  };
}

async function ask(child: ReturnType<typeof fork>): Promise<Report> {
  child.send('usage');
  const [report] = (await once(child, 'message')) as [Report];
  return report;
}

/** DOIs from all over the world, as its own OpenAlex lists them. */
async function sampleDois(port: number, agent: Agent): Promise<string[]> {
  const dois: string[] = [];
  for (let page = 1; page <= 20; page += 1) {
    const body = await get(
      port,
      agent,
      'api.openalex.org',
      `/works?filter=has_doi:true&sample=2000&per_page=100&page=${page}&select=doi`,
    );
    const { results } = JSON.parse(body) as { readonly results: readonly { readonly doi: string }[] };
    dois.push(...results.map(({ doi }) => encodeURIComponent(doi.replace('https://doi.org/', '').toLowerCase())));
  }
  return dois;
}

/** Small requests as a client of metadata makes them: a work by id, where a DOI leads, what is open, who registered it. */
function target(at: number, dois: readonly string[]): readonly [host: string, path: string] {
  const doi = dois[(at * 31) % Math.max(1, dois.length)] ?? '';
  switch (at % 4) {
    case 0:
      return ['api.openalex.org', `/works/W${7_000_000_001 + ((at * 7_919) % WORKS)}?select=id,doi,title,locations`];
    case 1:
      return ['doi.org', `/${doi}`];
    case 2:
      return ['api.unpaywall.org', `/v2/${doi}?email=bench@sim.test`];
    default:
      return ['api.crossref.org', `/works/${doi}/agency`];
  }
}

function get(port: number, agent: Agent, host: string, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { host: `${host}.sim.test`, 'user-agent': 'bench (+https://example.org; mailto:bench@sim.test)' };
    const sent = request({ host: '127.0.0.1', port, agent, path, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      response.on('end', () => resolve(text));
    });
    sent.on('error', reject);
    sent.end();
  });
}

async function hammer(port: number, agent: Agent, count: number, dois: readonly string[]): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      const [host, path] = target(next, dois);
      next += 1;
      await get(port, agent, host, path);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
}

async function measure(): Promise<void> {
  const simulated = await load();
  const bare = await load('--bare');
  const figures = {
    start_wall_s: round(simulated.start.wallMs / 1_000),
    start_cpu_s: round(simulated.start.cpuMs / 1_000),
    requests_per_cpu_second: Math.round(simulated.requestsPerCpuSecond),
    requests_per_second: Math.round(simulated.requestsPerSecond),
    bare_requests_per_cpu_second: Math.round(bare.requestsPerCpuSecond),
    share_of_bare: round(simulated.requestsPerCpuSecond / bare.requestsPerCpuSecond),
    rss_mb: Math.round(simulated.rssMb),
  };
  const missed = [
    ...(figures.start_cpu_s > TARGETS.startSeconds
      ? [`start took ${figures.start_cpu_s} s of CPU, target ${TARGETS.startSeconds}`]
      : []),
    ...(figures.requests_per_cpu_second < TARGETS.requestsPerCpuSecond
      ? [`${figures.requests_per_cpu_second} requests per CPU second, target ${TARGETS.requestsPerCpuSecond}`]
      : []),
  ];
  const about = {
    machine: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`,
    node: process.version,
    works: WORKS,
    requests: REQUESTS,
    connections: CONNECTIONS,
  };
  if (process.argv.includes('--json')) console.log(JSON.stringify({ about, figures, targets: TARGETS, missed }));
  else {
    console.log(
      Object.entries(about)
        .map(([name, value]) => `${name}: ${value}`)
        .join(', '),
    );
    for (const [name, value] of Object.entries(figures)) console.log(`${name.padEnd(30)} ${value}`);
    console.log(missed.length === 0 ? 'all targets met' : `missed: ${missed.join('; ')}`);
  }
  if (process.argv.includes('--check') && missed.length > 0) process.exitCode = 1;
}

function milliseconds(usage: NodeJS.CpuUsage): number {
  return (usage.user + usage.system) / 1_000;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
