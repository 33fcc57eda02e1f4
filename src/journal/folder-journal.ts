import { randomUUID } from 'node:crypto';
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';

import type { Clock } from '../base/index.ts';
import { JsonlWriter, sha256, systemClock } from '../base/index.ts';
import type { JobLease, Journal, LogEntry } from './journal.ts';
import type { LogFolder, LogName } from './log-folder.ts';
import { isFleetFolder, readCopies, refuseFleetFolder } from './fleet-folder.ts';
import { manifestNames } from './log-folder.ts';
import { appendNow, linesOf } from './log-lines.ts';

export interface FolderJournalOptions {
  /** The machine's by default. */
  readonly clock?: Clock;
  /** The first append to a manifest of at least this size starts a new file; 0, the default, means never. */
  readonly rotateBytes?: number;
}

/** What people decide cannot be fetched again: it is synced although nobody waits for it. */
const SYNCED: ReadonlySet<LogName> = new Set(['decisions']);

/** The logs as files of a folder. Several processes may append. Opens nothing until it is used. */
export class FolderJournal implements Journal {
  readonly logs: LogFolder;
  readonly isShared = false;
  readonly #writers: LogWriters;

  constructor(logs: LogFolder, options: FolderJournalOptions = {}) {
    this.logs = logs;
    this.#writers = new LogWriters(logs, { clock: options.clock ?? systemClock, durable: true }, (log) => {
      refuseFleetFolder(logs.path);
      if (log === 'manifest') rotate(logs, options.rotateBytes ?? 0);
    });
  }

  get isReadOnly(): boolean {
    return isFleetFolder(this.logs.path);
  }

  async append(entries: readonly LogEntry[], lease?: JobLease): Promise<boolean> {
    if (lease && !(await lease.isHeld())) return false;
    for (const { log, lines } of entries) await this.#writers.append(log, lines);
    return true;
  }

  say({ log, lines }: LogEntry): void {
    refuseFleetFolder(this.logs.path);
    if (lines.length > 0) appendNow(this.logs.of(log).path, lines, SYNCED.has(log));
  }

  async unread(): Promise<readonly string[]> {
    return [];
  }

  async refresh(): Promise<number> {
    return 0;
  }

  /** A corpus is identified by the first line of its objects log, which all copies of the log share. */
  async identity(): Promise<string> {
    const { fleet } = readCopies(this.logs.path);
    if (fleet !== undefined) return fleet;
    const { path } = this.logs.of('objects');
    const first = (): Buffer | undefined => {
      // Taking an iterator apart also closes it, and so the file.
      const [line] = existsSync(path) ? linesOf(path) : [];
      return line;
    };
    if (!first()) await this.append([{ log: 'objects', lines: [JSON.stringify({ corpus: randomUUID() })] }]);
    return sha256(first() ?? '');
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#writers[Symbol.asyncDispose]();
  }
}

/** Writers of log files, each opened before its first line. */
export class LogWriters implements AsyncDisposable {
  readonly #logs: LogFolder;
  readonly #how: { readonly clock: Clock; readonly durable: boolean };
  readonly #prepare: (log: LogName) => void;
  readonly #writers = new Map<LogName, Promise<JsonlWriter>>();

  constructor(
    logs: LogFolder,
    how: { readonly clock: Clock; readonly durable: boolean },
    prepare: (log: LogName) => void = () => undefined,
  ) {
    this.#logs = logs;
    this.#how = how;
    this.#prepare = prepare;
  }

  /** Resolves when the lines are written, durably if the writers are durable. */
  async append(log: LogName, lines: readonly string[]): Promise<void> {
    if (lines.length === 0) return;
    let writer = this.#writers.get(log);
    if (!writer) {
      this.#prepare(log);
      writer = JsonlWriter.open(this.#logs.of(log).path, this.#how);
      this.#writers.set(log, writer);
      // The next append tries again.
      writer.catch(() => this.#writers.delete(log));
    }
    await (await writer).appendLines(lines.map((line) => `${line}\n`).join(''));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const writer of this.#writers.values()) await (await writer)[Symbol.asyncDispose]();
  }
}

function rotate(logs: LogFolder, rotateBytes: number): void {
  if (rotateBytes <= 0 || logs.size('manifest') < rotateBytes) return;
  const number = String(manifestNames(logs.path).length).padStart(4, '0');
  renameSync(logs.of('manifest').path, join(logs.path, `manifest.${number}.jsonl`));
}
