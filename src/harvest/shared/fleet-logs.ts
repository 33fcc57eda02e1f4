import { createReadStream, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';

import type { Clock } from '../../base/index.ts';
import { AppError, FileLock, JsonlWriter, writeFileAtomic } from '../../base/index.ts';
import type { LeaseProof, LogLines, SharedLog } from '../../queue/index.ts';

/**
 * The logs that a fleet shares, and the path of each in a folder: the database is built from these files as on one
 * machine.
 */
const LOGS: Readonly<Record<string, (folder: string, manifests: string) => string>> = {
  manifest: (folder) => join(folder, 'manifest.jsonl'),
  records: (folder) => join(folder, 'records.jsonl'),
  decisions: (folder) => join(folder, 'decisions.jsonl'),
  objects: (folder) => join(folder, 'objects.jsonl'),
  doctags: (_, manifests) => join(manifests, 'docparse.doctags.manifest.jsonl'),
  chunk: (_, manifests) => join(manifests, 'docparse.chunk.manifest.jsonl'),
  embed: (_, manifests) => join(manifests, 'docparse.embed.manifest.jsonl'),
};
/** Its first line is the fleet's id, so that a folder is not used for two fleets. */
const IDENTITY = 'fleet';
const LINES_AT_ONCE = 2_000;

/** How far a log was copied. */
interface Copied {
  readonly lines: number;
  readonly bytes: number;
}

/**
 * The logs of a fleet and their copies in one machine's folder. Lines are written to the server, which orders them, and
 * copied into the files from there: so each file is the same on every machine.
 */
export class FleetLogs implements AsyncDisposable {
  readonly #log: SharedLog;
  readonly #folder: string;
  readonly #paths: ReadonlyMap<string, string>;
  readonly #clock: Clock;
  readonly #lock: FileLock;
  readonly #writers = new Map<string, JsonlWriter>();
  readonly #copied = new Map<string, Copied>();
  /** Lines that no caller waits for; they are sent with the next awaited ones. */
  #said: LogLines[] = [];
  #identity = '';
  #pulling: Promise<number> = Promise.resolve(0);

  private constructor(log: SharedLog, folder: string, manifests: string, clock: Clock) {
    this.#log = log;
    this.#folder = folder;
    this.#clock = clock;
    this.#paths = new Map(Object.entries(LOGS).map(([name, path]) => [name, path(folder, manifests)]));
    mkdirSync(join(folder, 'state'), { recursive: true });
    this.#lock = new FileLock(join(folder, 'state', 'fleet.lock'), clock);
  }

  /** Joins the folder to the fleet, and copies what the fleet has written so far. */
  static async open(log: SharedLog, folder: string, manifests: string, clock: Clock): Promise<FleetLogs> {
    const logs = new FleetLogs(log, folder, manifests, clock);
    await logs.#join();
    await logs.pull();
    return logs;
  }

  /**
   * Appends lines, all or none, with the `say` lines before them. False if another worker took the lease: nothing was
   * written.
   */
  async append(lines: readonly LogLines[], proof?: LeaseProof): Promise<boolean> {
    const said = this.#said;
    this.#said = [];
    let isWritten = false;
    try {
      isWritten = await this.#log.append([...said, ...lines], proof);
    } finally {
      if (!isWritten) this.#said = [...said, ...this.#said];
    }
    return isWritten;
  }

  /** Whether a lease is still held: a machine that was suspended checks this before it stores anything. */
  isHeld(proof: LeaseProof): Promise<boolean> {
    return this.#log.isHeld(proof);
  }

  /**
   * Lines that need not be awaited: they are appended with the next awaited ones, and lost if the process is killed.
   */
  say(log: string, lines: readonly string[]): void {
    this.#said.push({ log, lines });
  }

  /** A unique id of the fleet. */
  get identity(): string {
    return this.#identity;
  }

  /** How many lines of a log were copied so far. */
  lines(log: string): number {
    return this.#copied.get(log)?.lines ?? 0;
  }

  /** Copies new lines into the files; returns how many. */
  pull(): Promise<number> {
    this.#pulling = this.#pulling.catch(() => 0).then(() => this.#pull());
    return this.#pulling;
  }

  async #pull(): Promise<number> {
    await this.append([]);
    using _taken = await this.#lock.take();
    let total = 0;
    for (const [name, path] of this.#paths) if (!this.#isCurrent(name, path)) this.#copied.set(name, await count(path));
    for (let found = LINES_AT_ONCE; found >= LINES_AT_ONCE;) {
      const after = new Map([...this.#paths.keys()].map((name) => [name, this.#copied.get(name)?.lines ?? 0]));
      const rows = await this.#log.read(after, LINES_AT_ONCE);
      found = 0;
      for (const [name, lines] of Map.groupBy(rows, ({ log }) => log)) {
        await this.#write(
          name,
          lines.map(({ text }) => text),
        );
        found = Math.max(found, lines.length);
      }
      total += rows.length;
    }
    if (total > 0) await this.#remember();
    return total;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.#pulling;
      await this.append([]);
    } finally {
      for (const writer of this.#writers.values()) await writer[Symbol.asyncDispose]();
      this.#lock[Symbol.dispose]();
    }
  }

  async #join(): Promise<void> {
    const read = async (): Promise<string | undefined> =>
      (await this.#log.read(new Map([[IDENTITY, 0]]), 1)).at(0)?.text;
    // Two processes that start at once both write a line; the first one counts.
    if ((await read()) === undefined) await this.#log.append([{ log: IDENTITY, lines: [randomUUID()] }]);
    this.#identity = (await read()) ?? '';
    const { fleet, logs } = remembered(this.#folder);
    const isUsed = [...this.#paths.values()].some((path) => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0);
    if (fleet === undefined ? isUsed : fleet !== this.#identity)
      throw new AppError('FLEET_FOLDER_USED', `${this.#folder} has logs of another fleet or run`, {
        hint: 'give each machine of a fleet an empty folder with --out',
      });
    for (const [name, copied] of Object.entries(logs)) this.#copied.set(name, copied);
    if (fleet === undefined) await this.#remember();
  }

  /** Another process may have copied into the same folder. */
  #isCurrent(name: string, path: string): boolean {
    return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === this.#copied.get(name)?.bytes;
  }

  async #write(name: string, lines: readonly string[]): Promise<void> {
    const path = this.#paths.get(name) ?? '';
    let writer = this.#writers.get(name);
    if (!writer) this.#writers.set(name, (writer = await JsonlWriter.open(path, { clock: this.#clock })));
    await writer.appendLines(`${lines.join('\n')}\n`);
    const before = this.#copied.get(name) ?? { lines: 0, bytes: 0 };
    this.#copied.set(name, { lines: before.lines + lines.length, bytes: statSync(path).size });
  }

  async #remember(): Promise<void> {
    const state = { fleet: this.#identity, logs: Object.fromEntries(this.#copied) };
    await writeFileAtomic(statePath(this.#folder), `${JSON.stringify(state)}\n`);
  }
}

function statePath(folder: string): string {
  return join(folder, 'state', 'fleet.json');
}

/** The fleet whose logs a folder has copied, and how far. */
export function remembered(folder: string): {
  readonly fleet: string | undefined;
  readonly logs: Record<string, Copied>;
} {
  const path = statePath(folder);
  if (!existsSync(path)) return { fleet: undefined, logs: {} };
  const { fleet, logs } = JSON.parse(readFileSync(path, 'utf8')) as { fleet: string; logs: Record<string, Copied> };
  return { fleet, logs };
}

/** Counts the complete lines of a file; an incomplete last line is cut off by the next writer. */
async function count(path: string): Promise<Copied> {
  if (!existsSync(path)) return { lines: 0, bytes: 0 };
  let lines = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>)
    for (let at = chunk.indexOf(0x0a); at !== -1; at = chunk.indexOf(0x0a, at + 1)) lines += 1;
  return { lines, bytes: statSync(path).size };
}
