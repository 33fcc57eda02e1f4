import type { HostView } from './admission.ts';
import type { HoldReason } from './host.ts';
import { isSlowed } from './host.ts';

/**
 * A process's report about a host, service or resolver. Null means unlimited; times are milliseconds from the report,
 * because clocks differ.
 */
export interface HostReport {
  readonly key: string;
  readonly cap: number | null;
  readonly perSecond: number | null;
  readonly inFlight: number;
  readonly waiting: number;
  /** 0 for now. */
  readonly nextInMs: number;
  /** How long it is held, and why; `forMs` is null while paused. */
  readonly hold: { readonly forMs: number | null; readonly reason: HoldReason } | null;
  /** Whether it is asked less than its rules allow, because it asked for that. */
  readonly slowed: boolean;
  readonly done: number;
  readonly failed: Readonly<Record<string, number>>;
  readonly budgetLeft: number | null;
}

/** The reports that matter most: held and slowed first, then the busiest. */
export function hostReports(views: readonly HostView[], most: number): HostReport[] {
  return views
    .map(reportOf)
    .toSorted((a, b) => weight(b) - weight(a) || b.inFlight + b.waiting - a.inFlight - a.waiting || total(b) - total(a))
    .slice(0, most);
}

function reportOf(view: HostView): HostReport {
  const { key, cap, perSecond, inFlight, waiting, nextInMs, hold, done, failed, budgetLeft } = view;
  return {
    key,
    cap: bounded(cap),
    perSecond: bounded(perSecond),
    inFlight,
    waiting,
    nextInMs,
    hold: hold && { forMs: bounded(hold.leftMs), reason: hold.reason },
    slowed: isSlowed(view),
    done,
    failed,
    budgetLeft,
  };
}

function bounded(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

function weight({ hold, slowed }: HostReport): number {
  return (hold === null ? 0 : 2) + (slowed ? 1 : 0);
}

function total({ done, failed }: HostReport): number {
  return Object.values(failed).reduce((sum, times) => sum + times, done);
}
