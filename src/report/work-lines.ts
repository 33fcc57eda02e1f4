import { relative, resolve } from 'node:path';

import type { ManifestRow } from '../download/index.ts';
import { lostSources } from '../download/index.ts';
import type { Account, Outcome, WorkLine } from './data.ts';
import { fileLink } from './file-link.ts';
import { Tally } from './tally.ts';

/** So many hosts a page can show. */
const MOST_SOURCES = 30;

/** Counts over all works. */
export function accountOf(rows: Iterable<ManifestRow>): Account | null {
  const [outcomes, saved, attempts, reasons] = [new Tally(), new Tally(), new Tally(), new Tally()];
  const [attemptReasons, kinds, licences] = [new Tally(), new Tally(), new Tally()];
  const [asked, answered, lost] = [new Tally(), new Tally(), new Tally()];
  let [works, bytes] = [0, 0];
  for (const row of rows) {
    works += 1;
    const silent = new Set(row.problems.map(({ resolver }) => resolver));
    for (const name of new Set(row.asked ?? [])) {
      asked.add(name);
      if (!silent.has(name)) answered.add(name);
    }
    for (const host of lostSources(row).keys()) lost.add(host);
    bytes += row.bytes ?? 0;
    outcomes.add(row.outcome);
    if (row.outcome === 'saved') {
      saved.add(row.resolver ?? 'unknown');
      kinds.add(row.kind ?? 'unknown');
      licences.add(row.license ?? 'not stated');
    } else reasons.add(row.reason);
    for (const attempt of row.attempts) {
      attempts.add(attempt.resolver);
      if (attempt.reason !== 'success') attemptReasons.add(attempt.reason);
    }
  }
  if (works === 0) return null;
  const names = new Set([...saved.sorted(), ...attempts.sorted(), ...asked.sorted()].map(([name]) => name));
  return {
    works,
    outcomes: outcomes.record(),
    resolvers: [...names].map((name) => ({
      name,
      asked: asked.get(name),
      answered: answered.get(name),
      saved: saved.get(name),
      attempts: attempts.get(name),
    })),
    reasons: reasons.record(),
    attemptReasons: attemptReasons.record(),
    lostSources: Object.fromEntries(lost.sorted().slice(0, MOST_SOURCES)),
    kinds: kinds.record(),
    licences: licences.record(),
    bytes,
  };
}

/** A work as the page lists it. */
export function workLine(
  row: ManifestRow,
  folder: string,
  { document, isRetracted }: { readonly document: number; readonly isRetracted: boolean },
): WorkLine {
  return {
    id: row.work,
    title: row.title ?? '',
    doi: row.doi ?? '',
    outcome: row.outcome satisfies Outcome,
    reason: row.reason,
    resolver: row.resolver ?? '',
    licence: row.license ?? '',
    bytes: row.bytes ?? 0,
    file: row.path === null ? '' : keptFile(row.path, folder),
    lost: row.attempts
      .filter(({ reason }) => reason !== 'success')
      .map(({ resolver, url, reason }) => [resolver, URL.parse(url)?.host ?? '', reason]),
    document,
    ...(isRetracted && { retracted: true as const }),
  };
}

/** A manifest may have been tampered with: only files below the run folder are linked to. */
function keptFile(path: string, folder: string): string {
  return relative(folder, resolve(folder, path)).startsWith('..') ? '' : fileLink(folder, resolve(folder, path));
}
