import { createReadStream, existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';

import type { Clock } from '../base/index.ts';
import { AppError, FileLock } from '../base/index.ts';
import type { StoreOptions } from '../queue/kept/index.ts';
import type { CopiedLog } from './fleet-folder.ts';
import { readCopies, writeCopies } from './fleet-folder.ts';
import { LogWriters } from './folder-journal.ts';
import type { JobLease, Journal, LogEntry } from './journal.ts';
import type { LogFolder, LogName } from './log-folder.ts';
import { PostgresLines } from './postgres-lines.ts';

/** The logs that a fleet shares. What a machine has seen of hosts stays in its folder. */
const SHARED: ReadonlySet<LogName> = new Set([
  // First, because rows of the others refer to the files.
  'objects',
  'manifest',
  'records',
  'decisions',
  'doctags',
  'chunk',
  'embed',
]);
/** Its first line is the fleet's id, so that a folder is not used for two fleets. */
const IDENTITY = 'fleet';
const LINES_AT_ONCE = 2_000;

export interface PostgresJournalOptions extends StoreOptions {
  readonly url: string;
  /** The schema of the fleet: those of its queues begin with it. */
  readonly schema: string;
  readonly clock: Clock;
}

/** Opens the journal of a fleet, and copies its lines into the folder. */
export async function openPostgresJournal(logs: LogFolder, options: PostgresJournalOptions): Promise<Journal> {
  await using stack = new AsyncDisposableStack();
  // Loaded here: most commands have no fleet.
  const { openPostgres } = await import('../queue/kept/index.ts');
  const connection = stack.use(await openPostgres(options.url, { ...options, maxConnections: 2 }));
  const lines = await PostgresLines.open(connection);
  const journal = await PostgresJournal.open(logs, lines, options);
  stack.move();
  return journal;
}

/** Lines go to the server, which orders them, and are copied from there: all machines have the same files. */
class PostgresJournal implements Journal {
  readonly logs: LogFolder;
  readonly isShared = true;
  readonly isReadOnly = false;
  readonly #lines: PostgresLines;
  readonly #fleet: string;
  readonly #database: string;
  readonly #lock: FileLock;
  readonly #own: LogWriters;
  /** What is lost of a copy is copied again. */
  readonly #copies: LogWriters;
  readonly #copied: Map<string, CopiedLog>;
  /** Lines that no caller waits for; they are sent with the next awaited ones. */
  #said: LogEntry[] = [];
  #refreshing: Promise<number> = Promise.resolve(0);

  private constructor(logs: LogFolder, lines: PostgresLines, fleet: string, options: PostgresJournalOptions) {
    const { clock, url } = options;
    this.#database = withoutPassword(url);
    this.logs = logs;
    this.#lines = lines;
    this.#fleet = fleet;
    this.#copied = new Map(Object.entries(readCopies(logs.path).logs));
    mkdirSync(join(logs.path, 'state'), { recursive: true });
    this.#lock = new FileLock(join(logs.path, 'state', 'fleet.lock'), clock);
    this.#own = new LogWriters(logs, { clock, durable: true });
    this.#copies = new LogWriters(logs, { clock, durable: false });
  }

  static async open(logs: LogFolder, lines: PostgresLines, options: PostgresJournalOptions): Promise<PostgresJournal> {
    const identity = await identityOf(lines);
    const { fleet } = readCopies(logs.path);
    const isUsed = [...SHARED].some((log) => logs.size(log) > 0);
    if (fleet === undefined ? isUsed : fleet !== identity)
      throw new AppError('FLEET_FOLDER_USED', `${logs.path} has logs of another fleet or run`, {
        hint: 'give each machine of a fleet an empty folder with --out',
      });
    const journal = new PostgresJournal(logs, lines, identity, options);
    if (fleet === undefined) await journal.#remember();
    await journal.refresh();
    return journal;
  }

  async append(entries: readonly LogEntry[], lease?: JobLease): Promise<boolean> {
    const [shared, own] = [entries.filter(isShared), entries.filter((entry) => !isShared(entry))];
    const waiting = this.#said;
    this.#said = [];
    let isWritten = false;
    try {
      isWritten = await this.#lines.append([...waiting, ...shared], lease);
    } finally {
      if (!isWritten) this.#said = [...waiting, ...this.#said];
    }
    if (isWritten) for (const { log, lines } of own) await this.#own.append(log, lines);
    return isWritten;
  }

  say(entry: LogEntry): void {
    this.#said.push(entry);
  }

  refresh(): Promise<number> {
    this.#refreshing = this.#refreshing.catch(() => 0).then(() => this.#refresh());
    return this.#refreshing;
  }

  async unread(log: LogName): Promise<readonly string[]> {
    const found: string[] = [];
    for (let more = LINES_AT_ONCE; SHARED.has(log) && more === LINES_AT_ONCE;) {
      const rows = await this.#lines.read(new Map([[log, this.#linesOf(log) + found.length]]), LINES_AT_ONCE);
      found.push(...rows.map(({ text }) => text));
      more = rows.length;
    }
    return found;
  }

  async identity(): Promise<string> {
    return this.#fleet;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await using stack = new AsyncDisposableStack();
    stack.use(this.#lines);
    stack.use(this.#lock);
    stack.use(this.#own);
    stack.use(this.#copies);
    await this.#refreshing;
    await this.append([]);
  }

  async #refresh(): Promise<number> {
    await this.append([]);
    using _taken = await this.#lock.take();
    // Another process may have copied into the same folder, or a file may have been cut off.
    for (const log of SHARED)
      if (this.logs.size(log) !== this.#copied.get(log)?.bytes)
        this.#copied.set(log, await countLines(this.logs.of(log).path));
    let total = 0;
    for (let most = LINES_AT_ONCE; most >= LINES_AT_ONCE;) {
      const rows = await this.#lines.read(new Map([...SHARED].map((log) => [log, this.#linesOf(log)])), LINES_AT_ONCE);
      most = 0;
      for (const log of SHARED) {
        const lines = rows.flatMap((row) => (row.log === log ? [row.text] : []));
        await this.#copy(log, lines);
        most = Math.max(most, lines.length);
      }
      total += rows.length;
    }
    if (total > 0) await this.#remember();
    return total;
  }

  async #copy(log: LogName, lines: readonly string[]): Promise<void> {
    if (lines.length === 0) return;
    await this.#copies.append(log, lines);
    this.#copied.set(log, { lines: this.#linesOf(log) + lines.length, bytes: this.logs.size(log) });
  }

  #linesOf(log: LogName): number {
    return this.#copied.get(log)?.lines ?? 0;
  }

  #remember(): Promise<void> {
    return writeCopies(this.logs.path, {
      fleet: this.#fleet,
      database: this.#database,
      logs: Object.fromEntries(this.#copied),
    });
  }
}

/** The address as somebody may type it. */
function withoutPassword(url: string): string {
  const parsed = URL.parse(url);
  if (!parsed) return '';
  parsed.password = '';
  return parsed.href;
}

function isShared({ log }: LogEntry): boolean {
  return SHARED.has(log);
}

/** The id of the fleet: two processes that start at once both write a line, of which the first counts. */
async function identityOf(lines: PostgresLines): Promise<string> {
  const read = async (): Promise<string | undefined> => (await lines.read(new Map([[IDENTITY, 0]]), 1)).at(0)?.text;
  if ((await read()) === undefined) await lines.append([{ log: IDENTITY, lines: [randomUUID()] }]);
  return (await read()) ?? '';
}

/** Counts the complete lines of a file; an incomplete last line is cut off by the next writer. */
async function countLines(path: string): Promise<CopiedLog> {
  if (!existsSync(path)) return { lines: 0, bytes: 0 };
  let lines = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>)
    for (let at = chunk.indexOf(0x0a); at !== -1; at = chunk.indexOf(0x0a, at + 1)) lines += 1;
  return { lines, bytes: statSync(path).size };
}
