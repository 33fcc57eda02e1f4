import type { Lease } from '../queue/kept/index.ts';
import type { LogFolder, LogName } from './log-folder.ts';

/** Lines of one log, in their order and without line breaks. */
export interface LogEntry {
  readonly log: LogName;
  readonly lines: readonly string[];
}

/** A job in a worker's hands, and the queue that it was leased from. */
export interface JobLease extends Lease {
  /** `works`, or the name of a stage. */
  readonly queue: string;
  /** Asks the queue whether it is held now; it may be lost a moment later. */
  isHeld(): Promise<boolean>;
}

/**
 * The append-only logs of a corpus. Whoever writes one gets a journal, and does not know whether its lines are files of
 * this folder or rows of a server; whoever reads one reads the files, into which a server's lines are copied.
 *
 * ```
 *   append, say ──▶ a folder of JSONL ───────────────────────────▶ logs ──▶ ingest
 *               └─▶ a table in PostgreSQL ── refresh: copied to ──▶ logs ──▶ ingest, on each machine
 * ```
 */
export interface Journal extends AsyncDisposable {
  /** The files with the lines: those of this folder, or copies of the server's. */
  readonly logs: LogFolder;
  /** Whether lines of other machines arrive with `refresh`: a line that is not here may exist. */
  readonly isShared: boolean;
  /** Whether it refuses lines: the files are copies of a fleet's logs, and the fleet was not given. */
  readonly isReadOnly: boolean;
  /**
   * Appends lines, after those that were said; durable when it resolves. False if the lease was lost: nothing was
   * appended, and the result must be dropped. A server takes all lines or none. In a folder a crash or a full disk may
   * leave the first lines of an append, in the order of the entries and none of them torn: an entry may rely on those
   * before it.
   */
  append(entries: readonly LogEntry[], lease?: JobLease): Promise<boolean>;
  /**
   * Appends lines that nobody waits for. In a folder they are in the file when it returns; to a server they go with the
   * next `append` or `refresh`, and are lost if the process is killed before.
   */
  say(entry: LogEntry): void;
  /** Copies what other machines have appended into the files; returns the number of new lines. */
  refresh(): Promise<number>;
  /** Lines of a log that were appended and are not in its file yet, in order. Cheaper than `refresh`, which copies all. */
  unread(log: LogName): Promise<readonly string[]>;
  /** The name of the corpus: the same for all its machines and all copies of its logs. */
  identity(): Promise<string>;
}
