import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import { AppError, readFields, writeOwnFile } from '../base/index.ts';

/** How much of a log was copied. */
export interface CopiedLog {
  readonly lines: number;
  readonly bytes: number;
}

/** Which fleet the logs of a folder are copied from, and how far. */
export interface Copies {
  /** The fleet's id; undefined if the logs are the folder's own. */
  readonly fleet: string | undefined;
  /** The address of its database, without a password. */
  readonly database?: string | undefined;
  readonly logs: Readonly<Record<string, CopiedLog>>;
}

function copiesPath(folder: string): string {
  return join(folder, 'state', 'fleet.json');
}

/** What `state/fleet.json` says. */
export function readCopies(folder: string): Copies {
  const { fleet, database, logs = {} } = readFields(copiesPath(folder));
  return {
    fleet: fleet as string | undefined,
    database: database as string | undefined,
    logs: logs as Copies['logs'],
  };
}

/** Writes `state/fleet.json`. */
export function writeCopies(folder: string, copies: Copies): Promise<void> {
  return writeOwnFile(copiesPath(folder), `${JSON.stringify(copies)}\n`);
}

/**
 * Whether the logs of a folder are copies of a fleet's. Lines go to its server only: a copy would not continue others.
 */
export function isFleetFolder(folder: string): boolean {
  return existsSync(copiesPath(folder));
}

/** The address of the database that a folder has copies of; undefined if it is not one, or is from an older version. */
export function fleetDatabase(folder: string): string | undefined {
  return readCopies(folder).database;
}

/** Makes a folder with all lines of a fleet one of its own: lines go to its files from now on. */
export async function leaveFleet(folder: string): Promise<void> {
  await rm(copiesPath(folder), { force: true });
}

/** Throws if the logs of a folder are copies of a fleet's. */
export function refuseFleetFolder(folder: string): void {
  if (isFleetFolder(folder))
    throw new AppError('CORPUS_OF_FLEET', `the logs of ${folder} are copies of those of a fleet`, {
      hint: 'decide with --database postgres://…, the address of the fleet; a run adds to it with --fleet',
    });
}
