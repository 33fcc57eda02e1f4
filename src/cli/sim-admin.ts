import { createReadStream } from 'node:fs';

import { AppError, parseJsonl } from '../base/index.ts';
import { loopbackFetch } from '../http/index.ts';
import type { ManifestLine, TruthLine, Verification } from './load-simulation.ts';
import { loadSimulation } from './load-simulation.ts';
import type { Session } from './session.ts';
import { table } from './terminal.ts';

type SimAnswer = Awaited<ReturnType<typeof loopbackFetch>>;

/** What a client with this policy should obtain from a running simulator. */
export async function readTruth(sim: string, policy: object): Promise<TruthLine[]> {
  const { body } = await call(sim, '/__sim/truth', { method: 'POST', body: JSON.stringify(policy) });
  const truth: TruthLine[] = [];
  for await (const line of parseJsonl(body as AsyncIterable<Uint8Array>, { tornTail: 'keep' }))
    if (line.kind === 'good') truth.push(line.value as TruthLine);
  return truth;
}

/** The politeness violations that a running simulator has counted. */
export async function readViolations(
  sim: string,
): Promise<{ readonly total: number; readonly by_rule: Readonly<Record<string, number>> }> {
  return (await (await call(sim, '/__sim/violations')).json()) as {
    readonly total: number;
    readonly by_rule: Readonly<Record<string, number>>;
  };
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

async function call(sim: string, path: string, init: Parameters<typeof loopbackFetch>[1] = {}): Promise<SimAnswer> {
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

/** Prints the confusion matrix and the first differences. */
export function printVerification(session: Session, result: Verification): void {
  const cells = Object.entries(result.confusion).flatMap(([expected, row]) =>
    Object.entries(row).map(([found, count]) => [expected, found, count, expected === found ? '' : 'differs'] as const),
  );
  session.terminal.print(table(cells, ['expected', 'found', 'works', '']));
  if (result.differences.length > 0) {
    session.terminal.print('');
    session.terminal.print(
      table(
        result.differences
          .slice(0, 50)
          .map(({ work, aspect, expected, found }) => [work, aspect, expected.slice(0, 80), found.slice(0, 80)]),
        ['work', 'aspect', 'expected', 'found'],
      ),
    );
  }
  session.terminal.print(`\n${result.works} works, ${result.differences.length} differences`);
}
