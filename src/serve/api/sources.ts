import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { readJsonl } from '../../base/index.ts';
import { sentenceOf } from '../../corpus/index.ts';
import type { ManifestRow } from '../../download/index.ts';
import { lostSources } from '../../download/index.ts';
import type { Route } from '../http/route.ts';
import { route } from '../http/route.ts';
import type { Context } from './context.ts';
import { runOf } from './context.ts';
import { noQuery, runPath } from './parameters.ts';
import * as shapes from './shapes/course.ts';

const MOST_LOST = 30;

export function sourceRoutes(context: Context): Route[] {
  return [
    route({
      path: '/runs/{run}/sources',
      summary: 'Sources of full texts by resolver and kind, with failed attempts and failing hosts.',
      pathSchema: runPath,
      querySchema: noQuery,
      gives: { kind: 'json', schema: shapes.sources },
      version: ({ path }) => runOf(context, path.run).version,
      handle: async ({ path }) => ({ kind: 'json', value: await sourcesOf(runOf(context, path.run).corpus.folder) }),
    }),
  ];
}

async function sourcesOf(folder: string): Promise<unknown> {
  const [saved, attempts, kinds, reasons] = [new Tally(), new Tally(), new Tally(), new Tally()];
  const [asked, answered, lost] = [new Tally(), new Tally(), new Tally()];
  let [works, bytes] = [0, 0];
  for await (const row of lastRows(folder)) {
    works += 1;
    bytes += row.bytes ?? 0;
    const silent = new Set(row.problems.map(({ resolver }) => resolver));
    for (const name of new Set(row.asked ?? [])) {
      asked.add(name);
      if (!silent.has(name)) answered.add(name);
    }
    for (const host of lostSources(row).keys()) lost.add(host);
    if (row.outcome === 'saved') {
      saved.add(row.resolver ?? 'unknown');
      kinds.add(row.kind ?? 'unknown');
    }
    for (const { resolver, reason } of row.attempts) {
      attempts.add(resolver);
      if (reason !== 'success') reasons.add(reason);
    }
  }
  const names = new Set([...saved.sorted(), ...attempts.sorted(), ...asked.sorted()].map(([name]) => name));
  return {
    works,
    bytes,
    resolvers: [...names].map((name) => ({
      name,
      asked: asked.get(name),
      answered: answered.get(name),
      saved: saved.get(name),
      attempts: attempts.get(name),
    })),
    attempt_reasons: reasons
      .sorted()
      .map(([reason, count]) => ({ reason, attempts: count, sentence: sentenceOf(reason) })),
    lost: Object.fromEntries(lost.sorted().slice(0, MOST_LOST)),
    kinds: Object.fromEntries(kinds.sorted()),
  };
}

/**
 * The last row of every work. Rows are long, so the first pass only records the line number of each work's last row.
 */
export async function* lastRows(folder: string): AsyncGenerator<ManifestRow> {
  const last = new Map<string, number>();
  let line = 0;
  for await (const row of rows(folder)) last.set(row.work, line++);
  line = 0;
  for await (const row of rows(folder)) if (last.get(row.work) === line++) yield row;
}

/** All rows, including rotated manifests; skips damaged lines. */
async function* rows(folder: string): AsyncGenerator<ManifestRow> {
  const older = existsSync(folder) ? readdirSync(folder).filter((name) => /^manifest\.\d{4}\.jsonl$/.test(name)) : [];
  for (const name of [...older.sort(), 'manifest.jsonl']) {
    if (!existsSync(join(folder, name))) continue;
    for await (const line of readJsonl(join(folder, name))) {
      const row = line.kind === 'good' ? (line.value as Partial<ManifestRow> | null) : null;
      if (typeof row?.work === 'string' && Array.isArray(row.attempts) && Array.isArray(row.problems))
        yield row as ManifestRow;
    }
  }
}

class Tally {
  readonly #counts = new Map<string, number>();

  add(name: string): void {
    this.#counts.set(name, this.get(name) + 1);
  }

  get(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  sorted(): (readonly [name: string, count: number])[] {
    return [...this.#counts].toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  }
}
