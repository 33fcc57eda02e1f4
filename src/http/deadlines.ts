import type { Clock, Timer } from '../base/index.ts';
import type { Phase } from './failure.ts';
import type { HttpLimits } from './limits.ts';
import type { FailedReason } from './send.ts';

/** Called when a time limit is exceeded. */
export type Expired = (reason: FailedReason, message: string, retryable: boolean) => void;

/**
 * The time limits of one exchange: headers, idle, minimum speed and total; the connector limits the time to connect. One
 * timer serves all, so chunks need none.
 */
export class Deadlines implements Disposable {
  readonly #clock: Clock;
  readonly #limits: HttpLimits;
  readonly #expired: Expired;
  readonly #startedAt: number;
  #phase: Phase = 'connect';
  #phaseAt: number;
  #timer: Timer | undefined;
  #armedFor = 0;
  #held = false;
  #bytes = 0;
  #lastByteAt = 0;
  #windowAt = 0;
  #windowBytes = 0;

  constructor(clock: Clock, limits: HttpLimits, expired: Expired) {
    this.#clock = clock;
    this.#limits = limits;
    this.#expired = expired;
    this.#startedAt = this.#phaseAt = clock.monotonic();
    this.#arm();
  }

  enter(phase: Phase): void {
    this.#phase = phase;
    this.#phaseAt = this.#clock.monotonic();
    this.#restartWindow();
    this.#arm();
  }

  received(bytes: number): void {
    this.#bytes += bytes;
    this.#lastByteAt = this.#clock.monotonic();
  }

  /** While we apply back-pressure, silence is not the server's fault. */
  hold(held: boolean): void {
    this.#held = held;
    if (!held) this.#restartWindow();
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
  }

  #restartWindow(): void {
    this.#lastByteAt = this.#windowAt = this.#clock.monotonic();
    this.#windowBytes = this.#bytes;
  }

  /** A timer that fires early is set again, which is cheaper than moving it in every phase. */
  #arm(): void {
    const next = this.#next();
    if (this.#timer && this.#armedFor <= next) return;
    this.#timer?.[Symbol.dispose]();
    this.#armedFor = next;
    this.#timer = this.#clock.setTimer(Math.max(1, next - this.#clock.monotonic()), () => {
      this.#timer = undefined;
      this.#check();
    });
  }

  #next(): number {
    const { headersMs, idleMs, totalMs, floorWindowMs, floorBytesPerSecond } = this.#limits;
    const total = this.#startedAt + totalMs;
    if (this.#phase === 'connect') return total;
    if (this.#phase === 'headers') return Math.min(total, this.#phaseAt + headersMs);
    const floor = floorBytesPerSecond > 0 ? this.#windowAt + floorWindowMs : Infinity;
    return Math.min(total, this.#lastByteAt + idleMs, floor);
  }

  #check(): void {
    const now = this.#clock.monotonic();
    const { headersMs, idleMs, totalMs } = this.#limits;
    if (now >= this.#startedAt + totalMs) return this.#expired('total-timeout', `not done after ${totalMs} ms`, false);
    if (this.#phase === 'headers' && now >= this.#phaseAt + headersMs) {
      return this.#expired('headers-timeout', `no headers after ${headersMs} ms`, true);
    }
    if (this.#phase === 'body') {
      if (this.#held) this.#restartWindow();
      if (now >= this.#lastByteAt + idleMs) return this.#expired('idle-timeout', `nothing came for ${idleMs} ms`, true);
      if (!this.#fastEnough(now)) return;
    }
    this.#arm();
  }

  #fastEnough(now: number): boolean {
    const { floorWindowMs, floorBytesPerSecond } = this.#limits;
    if (floorBytesPerSecond === 0 || now < this.#windowAt + floorWindowMs) return true;
    if (this.#bytes - this.#windowBytes < (floorBytesPerSecond * floorWindowMs) / 1000) {
      this.#expired('too-slow', `less than ${floorBytesPerSecond} bytes per second`, false);
      return false;
    }
    this.#windowAt = now;
    this.#windowBytes = this.#bytes;
    return true;
  }
}
