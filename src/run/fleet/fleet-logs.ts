import { createReadStream, existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';

import type { Clock } from '../../base/index.ts';
import { AppError, FileLock, JsonlWriter, readFields, writeOwnFile } from '../../base/index.ts';
import type { LeaseProof, LogLines, SharedLog } from '../../queue/index.ts';

/** The logs that a fleet shares: the database is built from their files as on one machine. */
const LOGS = ['manifest', 'records', 'decisions', 'objects'];
const STAGE_LOGS = ['doctags', 'chunk', 'embed'];
/** Its first line is the fleet's id, so that a folder is not used for two fleets. */
const IDENTITY = 'fleet';
const LINES_AT_ONCE = 2_000;

interface Copied {
  readonly lines: number;
  readonly bytes: number;
}

export type FleetLogs = Awaited<ReturnType<typeof openFleetLogs>>;

/** Lines go to the server, which orders them, and are copied from there: all machines have the same files. */
export async function openFleetLogs(log: SharedLog, folder: string, manifests: string, clock: Clock) {
  const paths = new Map([
    ...LOGS.map((name) => [name, join(folder, `${name}.jsonl`)] as const),
    ...STAGE_LOGS.map((name) => [name, join(manifests, `docparse.${name}.manifest.jsonl`)] as const),
  ]);
  const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const identity = await identityOf(log);
  const before = remembered(folder);
  const isUsed = [...paths.values()].some((path) => sizeOf(path) > 0);
  if (before.fleet === undefined ? isUsed : before.fleet !== identity)
    throw new AppError('FLEET_FOLDER_USED', `${folder} has logs of another fleet or run`, {
      hint: 'give each machine of a fleet an empty folder with --out',
    });
  mkdirSync(join(folder, 'state'), { recursive: true });
  const lock = new FileLock(join(folder, 'state', 'fleet.lock'), clock);
  const writers = new Map<string, JsonlWriter>();
  const copied = new Map(Object.entries(before.logs));
  const linesOf = (name: string): number => copied.get(name)?.lines ?? 0;
  /** Lines that no caller waits for; they are sent with the next awaited ones. */
  let said: LogLines[] = [];
  let pulling: Promise<number> = Promise.resolve(0);

  const remember = (): Promise<void> =>
    writeOwnFile(statePath(folder), `${JSON.stringify({ fleet: identity, logs: Object.fromEntries(copied) })}\n`);

  const append = async (lines: readonly LogLines[], proof?: LeaseProof): Promise<boolean> => {
    const waiting = said;
    said = [];
    let isWritten = false;
    try {
      isWritten = await log.append([...waiting, ...lines], proof);
    } finally {
      if (!isWritten) said = [...waiting, ...said];
    }
    return isWritten;
  };

  const write = async (name: string, lines: readonly string[]): Promise<void> => {
    const path = paths.get(name) ?? '';
    let writer = writers.get(name);
    if (!writer) writers.set(name, (writer = await JsonlWriter.open(path, { clock })));
    await writer.appendLines(`${lines.join('\n')}\n`);
    copied.set(name, { lines: linesOf(name) + lines.length, bytes: statSync(path).size });
  };

  const pull = async (): Promise<number> => {
    await append([]);
    using _taken = await lock.take();
    let total = 0;
    // Another process may have copied into the same folder.
    for (const [name, path] of paths) if (sizeOf(path) !== copied.get(name)?.bytes) copied.set(name, await count(path));
    for (let found = LINES_AT_ONCE; found >= LINES_AT_ONCE;) {
      const rows = await log.read(new Map([...paths.keys()].map((name) => [name, linesOf(name)])), LINES_AT_ONCE);
      found = 0;
      for (const [name, lines] of Map.groupBy(rows, (row) => row.log)) {
        await write(
          name,
          lines.map(({ text }) => text),
        );
        found = Math.max(found, lines.length);
      }
      total += rows.length;
    }
    if (total > 0) await remember();
    return total;
  };

  if (before.fleet === undefined) await remember();
  await pull();
  return {
    identity,
    /** All lines or none, after the `say` lines. False if another worker took the lease. */
    append,
    /** Whether a lease is still held: a machine that was suspended checks this before it stores anything. */
    isHeld: (proof: LeaseProof) => log.isHeld(proof),
    /** Lines that need not be awaited: appended with the next awaited ones, and lost if the process is killed. */
    say: (name: string, lines: readonly string[]) => void said.push({ log: name, lines }),
    lines: linesOf,
    /** Returns how many new lines were copied. */
    pull(): Promise<number> {
      pulling = pulling.catch(() => 0).then(pull);
      return pulling;
    },
    async [Symbol.asyncDispose](): Promise<void> {
      try {
        await pulling;
        await append([]);
      } finally {
        for (const writer of writers.values()) await writer[Symbol.asyncDispose]();
        lock[Symbol.dispose]();
      }
    },
  };
}

/** The id of the fleet: two processes that start at once both write a line, of which the first counts. */
async function identityOf(log: SharedLog): Promise<string> {
  const read = async (): Promise<string | undefined> => (await log.read(new Map([[IDENTITY, 0]]), 1)).at(0)?.text;
  if ((await read()) === undefined) await log.append([{ log: IDENTITY, lines: [randomUUID()] }]);
  return (await read()) ?? '';
}

function statePath(folder: string): string {
  return join(folder, 'state', 'fleet.json');
}

export function remembered(folder: string) {
  const { fleet, logs = {} } = readFields(statePath(folder));
  return { fleet: fleet as string | undefined, logs: logs as Record<string, Copied> };
}

/** Counts the complete lines of a file; an incomplete last line is cut off by the next writer. */
async function count(path: string): Promise<Copied> {
  if (!existsSync(path)) return { lines: 0, bytes: 0 };
  let lines = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>)
    for (let at = chunk.indexOf(0x0a); at !== -1; at = chunk.indexOf(0x0a, at + 1)) lines += 1;
  return { lines, bytes: statSync(path).size };
}
