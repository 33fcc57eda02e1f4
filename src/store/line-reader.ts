import type { SQLInputValue } from 'node:sqlite';

import type { ManifestRow } from '../download/index.ts';
import type { Rows } from './rows.ts';
import type { Decision } from './decisions.ts';
import type { LogFile } from './logs.ts';
import type { RecordLine } from './record-rows.ts';
import { applyRecordLine } from './record-rows.ts';
import type { WorkRows } from './work-rows.ts';

const STEPS = { doctags: 'parsed', chunk: 'chunked', embed: 'embedded' } as const;
const LONGEST_MESSAGE = 1_000;

/** Turns lines of logs into rows. What it writes depends on the lines of one log and their order alone. */
export class LineReader {
  readonly #store: Rows;
  readonly #works: WorkRows;

  constructor(store: Rows, works: WorkRows) {
    this.#store = store;
    this.#works = works;
  }

  /** Answers how many lines are damaged, or say nothing that this version knows. */
  read(kind: LogFile['kind'], lines: readonly string[]): number {
    let bad = 0;
    for (const line of lines) {
      if (line.trim() === '') continue;
      const value = parsed(line);
      if (!value || !this.#take(kind, value, line)) bad += 1;
    }
    return bad;
  }

  #take(kind: LogFile['kind'], value: Record<string, unknown>, line: string): boolean {
    switch (kind) {
      case 'manifest':
        return isManifestRow(value) && this.#outcome(value, line);
      case 'records':
        return applyRecordLine(this.#store, this.#works, value as unknown as RecordLine);
      case 'decisions':
        return this.#decision(value as unknown as Decision);
      case 'doctags':
      case 'chunk':
      case 'embed':
        return this.#step(STEPS[kind], value);
    }
  }

  #outcome(row: ManifestRow, line: string): boolean {
    const added = this.#store.run(
      `insert into outcomes (work, run, at, outcome, reason, resolver, path, kind, sha256, bytes, duration_ms, row)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing`,
      row.work, row.run_id, row.at, row.outcome, row.reason, row.resolver, row.path, row.kind, row.sha256, row.bytes, row.duration_ms ?? 0, line,
    ); // prettier-ignore
    if (added === 0) return true;
    const { sequence } = this.#store.get<{ sequence: number }>('select last_insert_rowid() as sequence') ?? {
      sequence: 0,
    };
    for (const [place, attempt] of row.attempts.entries()) {
      const values = [
        attempt.resolver, attempt.url, attempt.final_url, attempt.status, attempt.bytes, attempt.sha256, attempt.kind, attempt.license,
        attempt.version, attempt.reason, attempt.started_at, attempt.duration_ms,
      ] as (SQLInputValue | undefined)[]; // prettier-ignore
      this.#store.run(
        'insert into attempts values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
        sequence,
        place,
        ...values.map((each, at) => each ?? NOT_NULL[at] ?? null),
      );
    }
    this.#works.changed(row.work);
    return true;
  }

  #decision(decision: Decision): boolean {
    switch (decision.kind) {
      case 'label':
        this.#store.run(
          'insert into labels (work, label) values (?, ?) on conflict do update set label = excluded.label',
          decision.work,
          decision.label,
        );
        return true;
      case 'version':
        this.#store.run(
          'insert into versions (work, of, reason, score, at) values (?, ?, ?, ?, ?) on conflict do nothing',
          decision.work, decision.of, decision.reason, decision.score, decision.at,
        ); // prettier-ignore
        return true;
      case 'split':
      case 'merge':
        this.#store.run(
          `update versions set undone = ?1 where (?3 is null and (work = ?2 or of = ?2)) or (work = ?2 and of = ?3)`,
          decision.kind === 'split' ? 1 : 0,
          decision.work,
          decision.of ?? null,
        );
        return true;
      default:
        return false;
    }
  }

  #step(step: 'parsed' | 'chunked' | 'embedded', row: Record<string, unknown>): boolean {
    const { doc_id: id, status, reason } = row;
    if (typeof id !== 'string' || typeof status !== 'string') return false;
    const failure = status === 'failure' ? text(row['message'] ?? row['category']) : null;
    // A skipped document was done before, unless it is a scan that nobody could read.
    const ended = status === 'skip' ? (reason === 'needs-ocr' ? 'needs-ocr' : 'success') : status;
    this.#store.run(
      `insert into documents (id, ${step}, ${step}_failure) values (?, ?, ?)
       on conflict do update set ${step} = excluded.${step}, ${step}_failure = excluded.${step}_failure`,
      id,
      ended,
      failure,
    );
    return true;
  }
}

/** What stands for absent values in columns that must not be null, by their place among the values of an attempt. */
const NOT_NULL: readonly (SQLInputValue | undefined)[] = [
  '',
  '',
  '',
  undefined,
  0,
  undefined,
  undefined,
  undefined,
  undefined,
  '',
  '',
  0,
];

/** A line of the manifest; lines of others, or damaged ones, are not. */
export function isManifestRow(value: unknown): value is ManifestRow {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return false;
  const row = value as Record<string, unknown>;
  return (
    ['work', 'run_id', 'at', 'outcome', 'reason'].every((name) => typeof row[name] === 'string') &&
    Array.isArray(row['attempts']) &&
    row['attempts'].every((attempt) => attempt !== null && typeof attempt === 'object')
  );
}

function parsed(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined; // Counted by the caller.
  }
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value.slice(0, LONGEST_MESSAGE) : null;
}
