import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { sha256 } from '../../src/base/index.ts';
import type { ManifestLine, Policy, Verification, WorldParameters } from '../../sim/index.ts';
import {
  Admin,
  DEFAULT_POLICY,
  expectedOutcome,
  parseManifestLine,
  Simulation,
  truthLines,
  verify,
} from '../../sim/index.ts';
import { startCommand } from '../e2e/started-command.ts';

/** A world and how it is harvested. */
export interface Harvest extends WorldParameters {
  readonly workers: number;
  readonly timeScale: number;
  readonly documents: 'full' | 'plain';
  readonly policy?: Partial<Policy>;
  /** More options for `contentdownload`. */
  readonly options?: readonly string[];
}

/** What one run of `contentdownload` said and cost. */
export interface CommandEnd {
  readonly code: number | null;
  readonly summary: Readonly<Record<string, unknown>>;
  readonly stderr: string;
  readonly peakBytes: number;
}

/** Writes the peak of its memory to stderr when a process ends: nobody outside can ask after that. */
const PEAK = `data:text/javascript,${encodeURIComponent(
  'process.on("exit",()=>process.stderr.write(`peak ${process.pid} ${process.resourceUsage().maxRSS}\\n`))',
)}`;

/**
 * A client that shares a busy machine with its web may wait for it for a second, which on a shortened clock is half a
 * minute: where nothing in the world is slow by design, nothing is given up for slowness.
 */
export const PATIENCE: Readonly<Record<string, string>> = {
  DOCSTOKG_HTTP__CONNECT_S: '3600',
  DOCSTOKG_HTTP__HEADERS_S: '3600',
  DOCSTOKG_HTTP__IDLE_S: '3600',
  DOCSTOKG_HTTP__TOTAL_S: '7200',
  DOCSTOKG_HTTP__FLOOR_BYTES_PER_SECOND: '0',
  DOCSTOKG_DOWNLOAD__WORK_BUDGET_S: '86400',
};

/** Where hosts are slow on purpose they have to be given up, but not because the machine was busy for a second or two. */
const SOME_PATIENCE: Readonly<Record<string, string>> = {
  DOCSTOKG_HTTP__CONNECT_S: '120',
  DOCSTOKG_HTTP__HEADERS_S: '120',
  DOCSTOKG_HTTP__IDLE_S: '120',
  DOCSTOKG_DOWNLOAD__WORK_BUDGET_S: '900',
};

/** A world whose files are made already: making one takes long enough to look like a slow host. */
export async function openWorld(options: Harvest, onEntry: () => void = () => undefined): Promise<Simulation> {
  const { seed, works, hosts, profile, moment, timeScale, documents } = options;
  const parameters = { seed, works, hosts, profile, ...(moment !== undefined && { moment }) };
  const simulation = await Simulation.open({ parameters, timeScale, documents, onEntry });
  for (const work of simulation.world.works())
    for (const { file } of work.locations) if (file) await simulation.documents.digest(file);
  return simulation;
}

/** Harvests a whole simulated world through the command line, as a user would. */
export async function harvest(simulation: Simulation, out: string, options: Harvest): Promise<CommandEnd> {
  await using admin = await Admin.open(simulation);
  const ids = expectedOutcome(simulation.world, DEFAULT_POLICY).map(({ work }) => work.id);
  await using run = startCommand(
    'contentdownload',
    [
      ...ids,
      '--sim',
      admin.url,
      '--out',
      out,
      '--workers',
      String(options.workers),
      '--json',
      ...(options.options ?? []),
    ],
    {
      cwd: out,
      env: { NODE_OPTIONS: `--import=${PEAK}`, ...(options.profile === 'hostile' ? SOME_PATIENCE : PATIENCE) },
    },
  );
  const { code } = await run.ended;
  const peak = new RegExp(`^peak ${run.pid} (\\d+)$`, 'm').exec(run.stderr)?.[1];
  return {
    code,
    summary: run.stdout === '' ? {} : (JSON.parse(run.stdout) as Record<string, unknown>),
    stderr: run.stderr.replaceAll(/^peak \d+ \d+\n/gm, ''),
    peakBytes: Number(peak ?? 0) * 1024,
  };
}

/** The last line of every work; a line that is none is an error. */
export function readManifest(out: string): Map<string, ManifestLine & { readonly path: string | null }> {
  const lines = readFileSync(join(out, 'manifest.jsonl'), 'utf8').trim().split('\n');
  return new Map(
    lines.map((text) => {
      const line = parseManifestLine(JSON.parse(text));
      if ('fault' in line) throw new Error(`${out}: ${line.fault}`);
      return [line.work, line as ManifestLine & { readonly path: string | null }];
    }),
  );
}

/** The truth of a world against the manifest in a folder. */
export async function verifyFolder(
  simulation: Simulation,
  out: string,
  policy: Partial<Policy> = {},
): Promise<Verification> {
  const truth = truthLines(simulation.world, simulation.documents, { ...DEFAULT_POLICY, ...policy });
  return verify(await Array.fromAsync(truth), readManifest(out));
}

/** Kept files whose bytes are not those that the manifest names. */
export function wrongFiles(out: string): string[] {
  return [...readManifest(out).values()].flatMap(({ outcome, path, sha256: expected }) => {
    if (outcome !== 'saved' || path === null) return [];
    return sha256(readFileSync(join(out, path))) === expected ? [] : [path];
  });
}
