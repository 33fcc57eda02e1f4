import type { Timer } from '../base/index.ts';
import type { Allowance } from './allowance.ts';
import type { Host } from './host.ts';

/** One key: what is known of it, what it has left, and who waits for it. */
export interface Gate {
  readonly key: string;
  host: Host;
  isPaused: boolean;
  readonly allowance: Allowance;
  /** Turns that are promised to those who were woken and have not started yet. */
  claimed: number;
  /** In order of arrival; a Set so that whoever leaves does so in constant time. Most gates never have one. */
  waiters: Set<Waiter> | undefined;
  timer: Timer | undefined;
  timerAt: number;
  /** Requests that brought something, and those that did not by why. */
  done: number;
  failed: Map<string, number> | undefined;
}

/** Somebody in line. */
export interface Waiter {
  /** Hosts before services, by name: the order in which everybody in a fleet takes places. */
  readonly gates: readonly Gate[];
  readonly patienceMs: number;
  readonly longestLineMs: number;
  /** True with a claim on every gate; false when the wait must be thought over. */
  readonly wake: (claimed: boolean) => void;
}

/** How many wait for it or are about to start. */
export function lengthOf({ claimed, waiters }: Gate): number {
  return claimed + (waiters?.size ?? 0);
}

/**
 * How many places its line can use. Who needs several keys wants a place at each only once it has one at those before it:
 * two processes that each hold what the other waits for would wait for ever.
 */
export function wantedAt(gate: Gate): number {
  if (!gate.waiters) return gate.claimed;
  const ahead = new Map<Gate, number>();
  const hasPlace = (before: Gate): boolean => {
    const others = ahead.get(before) ?? before.claimed;
    ahead.set(before, others + 1);
    return before.allowance.hasPlace(others);
  };
  let wanted = gate.claimed;
  for (const { gates } of gate.waiters) {
    if (gates.slice(0, gates.indexOf(gate)).every(hasPlace)) wanted += 1;
  }
  return wanted;
}

/** The other keys that those in line need after this one. */
export function linesBehind(gate: Gate): Set<Gate> {
  const behind = new Set<Gate>();
  for (const { gates } of gate.waiters ?? [])
    for (const other of gates.slice(gates.indexOf(gate) + 1)) behind.add(other);
  return behind;
}

/** A service is several hosts, or a part of one, with a limit of its own. */
export function isServiceKey(key: string): boolean {
  return key.includes('/');
}

/** By which everybody takes places: hosts before services, by name. */
export function inOrder(one: Gate, other: Gate): number {
  const [isService, isOtherService] = [isServiceKey(one.key), isServiceKey(other.key)];
  if (isService !== isOtherService) return isService ? 1 : -1;
  return one.key < other.key ? -1 : 1;
}
