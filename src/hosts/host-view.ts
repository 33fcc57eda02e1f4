import type { HostView } from './admission.ts';
import type { Gate } from './gate.ts';
import { lengthOf } from './gate.ts';

/** A gate as an operator sees it. */
export function viewOf(gate: Gate, now: number, monotonic: number): HostView {
  const { host, allowance, isPaused, done, failed } = gate;
  const leftMs = isPaused ? Infinity : (host.hold?.at ?? 0) - now;
  const reason = isPaused ? 'paused' : host.hold?.reason;
  return {
    ...host,
    hold: reason !== undefined && leftMs > 0 ? { at: now + leftMs, reason, leftMs } : null,
    inFlight: allowance.inFlight,
    waiting: lengthOf(gate),
    nextInMs: allowance.lineMs(0, monotonic),
    done,
    failed: Object.fromEntries(failed ?? []),
  };
}
