import type { Random } from '../base/index.ts';

/** How long jobs in hand may finish once a suspect waits; then those that hold others up are given back. */
const CLEARING_MS = 60_000;
/** How long suspects follow each other while other jobs wait. */
const ALONE_MS = 60_000;
/** The others then have the process for so many times as long as they had to wait. */
const OTHERS_SHARE = 4;
/** Processes begin to clear at different moments within this, so that not a whole fleet stops for one suspect. */
const SPREAD_MS = 5_000;

/** Whose turn it is; moments are monotonic. */
type Turn =
  /** Suspects are not let in before `from`; `clearAt` is set once one waits. */
  | { readonly kind: 'others'; readonly from: number; readonly clearAt: number | undefined }
  | { readonly kind: 'clearing'; readonly since: number }
  | { readonly kind: 'alone'; readonly since: number };

/** What a process has in hand and could lease. */
export interface Situation {
  readonly now: number;
  readonly inHand: number;
  readonly suspectWaits: boolean;
  readonly otherWaits: () => boolean;
}

/** What may be done: lease others; lease one suspect; nothing; nothing, and give back jobs in hand. */
export type TurnMove = 'others' | 'suspect' | 'wait' | 'give-back-all' | 'give-back-parked';

/**
 * Lets suspects run alone in a process without stopping its other jobs for long:
 *
 * ```
 *   others ──a suspect waits──▶ clearing ──nothing in hand──▶ alone ──no suspect left, or long enough──▶ others
 *     ▲                            │ no suspect left
 *     └────────────────────────────┘
 * ```
 *
 * A process with nothing in hand lets a suspect in at once, unless the others have not had their share yet.
 */
export class SuspectTurn {
  readonly #random: Random;
  readonly #givesBack: boolean;
  #turn: Turn = { kind: 'others', from: -Infinity, clearAt: undefined };

  /** With `givesBack` false, jobs in hand are waited for however long they take. */
  constructor(random: Random = Math.random, { givesBack = true }: { readonly givesBack?: boolean } = {}) {
    this.#random = random;
    this.#givesBack = givesBack;
  }

  /** When to decide again, if nothing else happens before. */
  get wakeAt(): number | undefined {
    switch (this.#turn.kind) {
      case 'others':
        return this.#turn.clearAt;
      case 'clearing':
        return this.#givesBack ? this.#turn.since + CLEARING_MS : undefined;
      case 'alone':
        return undefined;
    }
  }

  decide(situation: Situation): TurnMove {
    switch (this.#turn.kind) {
      case 'others':
        return this.#amongOthers(this.#turn, situation);
      case 'clearing':
        return this.#clearing(this.#turn.since, situation);
      case 'alone':
        return this.#alone(this.#turn.since, situation);
    }
  }

  #amongOthers(
    { from, clearAt }: Extract<Turn, { kind: 'others' }>,
    { now, inHand, suspectWaits, otherWaits }: Situation,
  ): TurnMove {
    if (!suspectWaits) {
      if (clearAt !== undefined) this.#turn = { kind: 'others', from, clearAt: undefined };
      return 'others';
    }
    if (inHand === 0 && (now >= from || !otherWaits())) {
      this.#turn = { kind: 'alone', since: now };
      return 'suspect';
    }
    const begin = clearAt ?? Math.max(from, now + this.#random() * SPREAD_MS);
    this.#turn = now < begin ? { kind: 'others', from, clearAt: begin } : { kind: 'clearing', since: now };
    return now < begin ? 'others' : 'wait';
  }

  #clearing(since: number, { now, inHand, suspectWaits, otherWaits }: Situation): TurnMove {
    if (!suspectWaits) return this.#yield(since, now);
    if (inHand === 0) {
      this.#turn = { kind: 'alone', since };
      return 'suspect';
    }
    if (!this.#givesBack || now < since + CLEARING_MS) return 'wait';
    // Jobs that only wait for a host are given back; a long job only if it keeps other jobs from running.
    return otherWaits() ? 'give-back-all' : 'give-back-parked';
  }

  #alone(since: number, { now, inHand, suspectWaits, otherWaits }: Situation): TurnMove {
    if (inHand > 0) return 'wait';
    if (suspectWaits && (now < since + ALONE_MS || !otherWaits())) return 'suspect';
    return this.#yield(since, now);
  }

  #yield(since: number, now: number): TurnMove {
    this.#turn = { kind: 'others', from: now + OTHERS_SHARE * (now - since), clearAt: undefined };
    return 'others';
  }
}
