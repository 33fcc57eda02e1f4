import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import type * as simulation from '../../sim/index.ts';
import type { ClientSettings, ManifestLine, TruthLine, Verification } from '../../sim/index.ts';
import { AppError, installCommand, packageRoot, parseJsonl } from '../base/index.ts';
import type { WebTime } from '../run/index.ts';
import { loopbackFetch } from '../http/index.ts';

type Simulation = typeof simulation;
type Violations = { readonly total: number; readonly by_rule: Readonly<Record<string, number>> };

/** Loads the simulator. Rendering its papers needs optional packages. */
export async function loadSimulation(
  load: () => Promise<Simulation> = () => import('../../sim/index.ts'),
): Promise<Simulation> {
  try {
    return await load();
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || !MISSING.has(String(error.code))) throw error;
    throw new AppError('SIM_PACKAGES_MISSING', `the simulated web cannot be loaded: ${error.message.split('\n')[0]}`, {
      hint: installCommand(['pdfkit', 'fontkit', '@fontsource/gentium-book-plus']),
      cause: error,
    });
  }
}

const MISSING = new Set(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND']);

/** The child exits when its stdin closes, which the system does when this process ends for any reason. */
export async function startSimulation(parameters: readonly string[]) {
  const bin = join(packageRoot(), 'bin', 'docstokg');
  const child = spawn(process.execPath, [bin, 'sim', 'serve', '--leash', '--json', ...parameters], {
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
  });
  let output = '';
  child.stderr.on('data', (bytes: Buffer) => (output += bytes.toString()));
  const ended = once(child, 'close');
  const lines = createInterface({ input: child.stdout });
  const first = await Promise.race([once(lines, 'line'), ended.then(() => undefined)]);
  if (!first) {
    throw new AppError('SIM_UNREACHABLE', `the simulated web did not start: ${output.trim().slice(-500)}`, {
      hint: 'run docstokg sim serve separately to see why',
    });
  }
  return {
    url: (JSON.parse(String(first[0])) as { readonly sim: string }).sim,
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** The time of the web at `--sim`; undefined without one: requests then follow the machine's clock. */
export async function webTimeOf(sim: string | undefined): Promise<WebTime | undefined> {
  if (sim === undefined || sim === '') return undefined;
  const { client } = (await (await call(sim, '/__sim/world')).json()) as { readonly client: ClientSettings };
  const { webTime } = await import('../../sim/web-time.ts');
  return webTime(client.timeScale);
}

/** Compares a manifest with what the simulator had to give, and counts violations; without one only these. */
export async function compareWithTruth(
  sim: string,
  manifest: string | undefined,
  { policy, scope }: { readonly policy: object; readonly scope: 'all' | 'manifest' },
): Promise<Partial<Verification> & { readonly violations: Violations }> {
  const { verify } = await loadSimulation();
  const response = await call(sim, '/__sim/violations');
  const violations = (await response.json()) as Violations;
  if (manifest === undefined) return { violations };
  const { body } = await call(sim, '/__sim/truth', { method: 'POST', body: JSON.stringify(policy) });
  const truth: TruthLine[] = [];
  for await (const line of parseJsonl(body as AsyncIterable<Uint8Array>, { tornTail: 'keep' }))
    if (line.kind === 'good') truth.push(line.value as TruthLine);
  return { ...verify(truth, await readManifest(manifest), { scope }), violations };
}

/** Reads a client's manifest; the last line of a work counts. */
export async function readManifest(path: string): Promise<Map<string, ManifestLine>> {
  const { parseManifestLine } = await loadSimulation();
  const manifest = new Map<string, ManifestLine>();
  for await (const read of parseJsonl(createReadStream(path) as AsyncIterable<Uint8Array>, { tornTail: 'keep' })) {
    const line = read.kind === 'bad' ? { fault: read.reason } : parseManifestLine(read.value);
    if ('fault' in line)
      throw new AppError('SIM_MANIFEST', `${path} line ${read.line}: ${line.fault}`, {
        hint: 'see docs/reference/simulator.md for the format',
      });
    manifest.set(line.work, line);
  }
  return manifest;
}

async function call(sim: string, path: string, init: Parameters<typeof loopbackFetch>[1] = {}) {
  const hint = 'use the URL printed as "sim" by docstokg sim serve';
  const response = await loopbackFetch(new URL(path, sim), init).catch((error: unknown) => {
    throw new AppError('SIM_UNREACHABLE', `no response from ${sim}`, { hint, cause: error });
  });
  if (!response.ok)
    throw new AppError('SIM_REFUSED', `${sim} answered ${response.status}: ${(await response.text()).slice(0, 300)}`, {
      hint,
    });
  return response;
}
