import { readFileSync, readlinkSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { hostname, networkInterfaces } from 'node:os';

import type { Clock } from '../base/index.ts';
import { isProcessAlive, sha256 } from '../base/index.ts';
import type { QueueStore } from './types.ts';

/**
 * Machine, boot and namespace, process, its start, and a nonce, such as `cdw-laptop-5f3a91c2-4711-88213-a1b2c3d4`: a
 * reused process id, after a restart or in another container, is never taken for the old process.
 */
export function createWorkerId(): string {
  const { pid } = process;
  return [
    'cdw',
    hostname().replaceAll(/[^\w.]/g, '_'),
    machineId(),
    pid,
    startOf(pid) ?? 0,
    randomBytes(4).toString('hex'),
  ].join('-');
}

/** True only when the worker ran on this machine and is certainly gone. */
export function isDeadHere(workerId: string): boolean {
  const match = /^cdw-.*-([0-9a-f]{8})-(\d+)-(\d+)-[0-9a-f]{8}$/.exec(workerId);
  if (!match || match[1] !== machineId()) return false;
  const pid = Number(match[2]);
  const startedAt = Number(match[3]);
  if (!isProcessAlive(pid)) return true;
  const start = startOf(pid);
  return startedAt !== 0 && start !== undefined && start !== startedAt;
}

/** Ends the leases of dead processes of this machine: their jobs need not wait until they expire. */
export async function recoverDead(store: QueueStore, clock: Clock): Promise<void> {
  const { leases, workers } = await store.admin.stats(clock.now());
  const dead = [...new Set([...leases, ...workers].map(({ workerId }) => workerId))].filter(isDeadHere);
  if (dead.length === 0) return;
  await store.expire(dead, clock.now());
  for (const workerId of dead) await store.announce(workerId, null, clock.now());
}

function machineId(): string {
  try {
    return sha256(
      `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')}${readlinkSync('/proc/self/ns/pid')}`,
    ).slice(0, 8);
  } catch {
    return elsewhere;
  }
}

/** Without a boot id: by name and network cards, since names are not unique; random without cards. */
export function machineByCards(name: string, cards: readonly string[]): string {
  const own = cards.filter((card) => card !== '00:00:00:00:00:00').sort();
  return sha256(own.length === 0 ? randomBytes(16) : [name, ...own].join(' ')).slice(0, 8);
}

const elsewhere = machineByCards(
  hostname(),
  Object.values(networkInterfaces()).flatMap((each = []) => each.map(({ mac }) => mac)),
);

/** When a process started, in the kernel's ticks; undefined if unknown. */
function startOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command's name may hold spaces and brackets; the fields that count follow its last bracket.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
  } catch {
    return undefined;
  }
}
