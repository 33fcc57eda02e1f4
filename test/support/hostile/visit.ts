import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { ManifestRow } from '../../../src/download/index.ts';
import { startCommand } from '../../e2e/started-command.ts';
import { BODIES } from './bodies.ts';
import { FRAMING } from './framing.ts';
import { MANNERS } from './manners.ts';
import { PAGES } from './pages.ts';
import { PLACES } from './places.ts';
import { RANGES } from './ranges.ts';
import { REDIRECTS } from './redirects.ts';
import { ROBOTS } from './robots.ts';
import type { HostileCase } from './server.ts';
import { HostileServer, pdfOf, send } from './server.ts';

const DOMAIN = 'hostile.example.org';
const GOOD_HOSTS = 40;
/** The longest that a run may take, whatever it meets. */
const PATIENCE_MS = 240_000;

export const HOSTILE_CASES: readonly HostileCase[] = [
  ...FRAMING,
  ...MANNERS,
  ...REDIRECTS,
  ...PLACES,
  ...BODIES,
  ...PAGES,
  ...RANGES,
  ...ROBOTS,
];

const GOOD: readonly HostileCase[] = Array.from({ length: GOOD_HOSTS }, (_, at) => ({
  name: `good-${at}`,
  works: 2,
  mayKeep: (path) => pdfOf(`good-${at}${path}`),
  answer: ({ socket, path }) =>
    send(socket, '200 OK', { 'content-type': 'application/pdf' }, pdfOf(`good-${at}${path}`)),
}));

/** What came of a visit. */
export interface Visit {
  readonly works: number;
  readonly saved: number;
  readonly seconds: number;
  readonly byReason: Readonly<Record<string, number>>;
  /** Empty where every promise was kept. */
  readonly faults: readonly string[];
}

/** Lets `contentdownload` visit hostile hosts beside good ones, and looks at what it made of them. */
export async function visitHostiles(cases: readonly HostileCase[]): Promise<Visit> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-hostile-'));
  const all = [...cases, ...GOOD];
  await using server = new HostileServer(all, DOMAIN);
  const port = await server.listen();
  const asked = all.flatMap((each) =>
    Array.from({ length: each.works ?? 1 }, (_, at) => ({
      each,
      path: `/${at + 1}.pdf`,
      url: `http://${each.name}.${DOMAIN}/${at + 1}.pdf`,
    })),
  );
  // Good ones between the others, so that they are on their way at the same time.
  const mixed = asked.map((work, at) => ({ work, key: (at * 7919) % asked.length })).sort((a, b) => a.key - b.key);
  writeFileSync(join(folder.path, 'works.txt'), mixed.map(({ work }) => work.url).join('\n'));
  const startedAt = performance.now();
  await using run = startCommand(
    'contentdownload',
    ['--input', 'works.txt', '--out', 'out', '--mailto', 'anna@docstokg.dev', '--workers', '24', '--json'],
    { cwd: folder.path, env: settings(port) },
  );
  const patience = setTimeout(() => run.kill('SIGKILL'), PATIENCE_MS);
  const { code } = await run.ended;
  clearTimeout(patience);
  if (code === 2) throw new Error(`contentdownload did not start: ${run.stderr}`);
  const out = join(folder.path, 'out');
  const rows = lastRows(out);
  const faults: string[] = [];
  if (code !== 0 && code !== 1) faults.push(`the run ended with ${code ?? 'a kill'}: ${run.stderr.slice(-2_000)}`);
  if (server.canaryVisits > 0) faults.push(`something on this machine was reached ${server.canaryVisits} times`);
  const files = new Set(globSync('{PDF,HTML,XML}/*', { cwd: out }));
  for (const { each, path, url } of asked) {
    const row = rows.get(url);
    if (!row) {
      faults.push(`${each.name}${path}: no row in the manifest`);
      continue;
    }
    const isGood = each.name.startsWith('good-');
    if (isGood && row.outcome !== 'saved') faults.push(`${each.name}${path}: lost, ${row.reason} ${row.detail ?? ''}`);
    if (row.outcome !== 'saved' || row.path === null) continue;
    files.delete(row.path.replaceAll('\\', '/'));
    const bytes = readFileSync(join(out, row.path));
    const right = each.mayKeep?.(path);
    if (!right?.equals(bytes))
      faults.push(`${each.name}${path}: ${bytes.length} bytes were saved that are not the file`);
  }
  for (const file of files) faults.push(`${file} is no work's`);
  for (const evil of ['evil.pdf', '../evil.pdf'])
    if (existsSync(join(folder.path, evil))) faults.push(`${evil} was written`);
  const reasons = [...rows.values()].map(({ reason }) => reason).sort();
  return {
    works: asked.length,
    saved: [...rows.values()].filter(({ outcome }) => outcome === 'saved').length,
    seconds: (performance.now() - startedAt) / 1000,
    byReason: Object.fromEntries(
      [...Map.groupBy(reasons, (reason) => reason)].map(([reason, some]) => [reason, some.length]),
    ),
    faults,
  };
}

/** Patience short enough that a stalling host costs seconds; what is promised does not depend on it. */
function settings(port: number): Record<string, string> {
  return {
    DOCSTOKG_HTTP__DNS: JSON.stringify({
      [`*.${DOMAIN}`]: `127.0.0.1:${port}`,
      '*.services.example.org': `127.0.0.1:${port}`,
    }),
    DOCSTOKG_HTTP__ALLOW: `127.0.0.1:${port}`,
    DOCSTOKG_SERVICES__BELOW: 'services.example.org',
    DOCSTOKG_HTTP__PER_HOST_PER_SECOND: '50',
    DOCSTOKG_HTTP__CONNECT_S: '2',
    DOCSTOKG_HTTP__HEADERS_S: '3',
    DOCSTOKG_HTTP__IDLE_S: '3',
    DOCSTOKG_HTTP__TOTAL_S: '8',
    DOCSTOKG_HTTP__RETRIES: '1',
    DOCSTOKG_HTTP__RETRY_MAX_DELAY: '0.2',
    DOCSTOKG_DOWNLOAD__MAX_BYTES: '5000000',
    DOCSTOKG_DOWNLOAD__WORK_BUDGET_S: '10',
    DOCSTOKG_ORCHESTRATOR__MAX_JOB_ATTEMPTS: '1',
  };
}

function lastRows(out: string): Map<string, ManifestRow> {
  const text = readFileSync(join(out, 'manifest.jsonl'), 'utf8');
  return new Map(
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as ManifestRow)
      .map((row) => [row.work.replace(/^url:/, ''), row]),
  );
}
