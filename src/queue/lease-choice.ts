import type { Clock, Random } from '../base/index.ts';
import type { AheadJobs } from './ahead-jobs.ts';
import type { Pick } from './lane-book.ts';
import { LaneBook } from './lane-book.ts';
import type { RunningJobs } from './running-jobs.ts';
import type { Seats } from './seats.ts';
import { SuspectTurn } from './suspect-turn.ts';
import type { Backlog, Lane, LaneBacklog, LeasedJob, Standing } from './types.ts';

/** What to lease in one write. */
export interface Choice {
  readonly standing: Standing;
  readonly picks: readonly Pick[];
}

export const NOTHING: Choice = { standing: 'trusted', picks: [] };

/** What this process leases next, by what is known of the queue's lanes, of its own seats, and of whose turn it is. */
export class LeaseChoice {
  readonly #clock: Clock;
  readonly #seats: Seats;
  readonly #jobs: RunningJobs;
  readonly #ahead: AheadJobs;
  readonly #lanes = new LaneBook();
  readonly #turn: SuspectTurn;
  #suspects: readonly LaneBacklog[] = [];

  constructor(given: {
    readonly clock: Clock;
    readonly seats: Seats;
    readonly jobs: RunningJobs;
    readonly ahead: AheadJobs;
    readonly random: Random | undefined;
  }) {
    this.#clock = given.clock;
    this.#seats = given.seats;
    this.#jobs = given.jobs;
    this.#ahead = given.ahead;
    this.#turn = new SuspectTurn(given.random);
  }

  /** The queue was looked at. */
  replace({ lanes, suspects }: Backlog): void {
    this.#lanes.replace(lanes);
    this.#suspects = suspects;
  }

  /** In how long to choose again, should nothing else happen before. */
  get againInMs(): number {
    return (this.#turn.wakeAt ?? Infinity) - this.#clock.monotonic();
  }

  /** There are lanes, and no job of theirs may run for as long as anybody waits. */
  get nothingCanRun(): boolean {
    const lanes = this.#lanes.size + this.#suspects.length;
    return lanes > 0 && this.#lanes.every(this.#cannotRun) && this.#suspects.every(this.#cannotRun);
  }

  /**
   * Others, one suspect, or nothing while a suspect runs or those in hand finish before it. With `tryHeld`, jobs of hosts
   * that are held for hours are tried all the same when nothing else is left. Where nothing is to be written anyway, none
   * is leased ahead while enough are at hand.
   */
  next({ tryHeld, writes }: { readonly tryHeld: boolean; readonly writes: boolean }): Choice {
    const inHand = this.#jobs.size + this.#ahead.size;
    const isLast = tryHeld && inHand === 0;
    // One that has the process to itself stands in line at its host as any other; not where nobody is let in for long.
    const suspect = this.#suspects.find(
      (lane) => !this.#seats.isPaused(lane) && (isLast || !this.#seats.isHeldLong(lane)),
    );
    const move = this.#turn.decide({
      now: this.#clock.monotonic(),
      inHand,
      suspectWaits: suspect !== undefined,
      otherWaits: () => !this.#lanes.every(this.#cannotRun),
    });
    if (move !== 'others') this.#ahead.giveBack();
    switch (move) {
      case 'others':
        return {
          standing: 'trusted',
          picks: this.#others(isLast, writes || this.#ahead.isLow ? this.#ahead.wanted : 0),
        };
      case 'suspect':
        return suspect ? { standing: 'suspect', picks: [{ ...suspect, limit: 1, ahead: 0 }] } : NOTHING;
      case 'give-back-all':
      case 'give-back-parked':
        this.#jobs.stopAll('give-way', move === 'give-back-parked');
        return NOTHING;
      case 'wait':
        return NOTHING;
    }
  }

  /** Records what a lease brought; true when nothing is left of a lane as it was seen. */
  took({ standing, picks }: Choice, leased: readonly LeasedJob[]): boolean {
    return picks
      .map((pick) => {
        const found =
          picks.length === 1
            ? leased.length
            : leased.filter((job) => job.host === pick.host && job.resolverHint === pick.resolver).length;
        return standing === 'suspect' ? this.#tookSuspect(pick, found) : this.#lanes.took(pick, found);
      })
      .includes(true);
  }

  #others(isLast: boolean, ahead: number): Pick[] {
    // Those at hand come first.
    const free = Math.max(0, this.#seats.freeWorkers - this.#ahead.size);
    const picks = this.#lanes.choose({ free, ahead }, this.#seats.room);
    if (picks.length > 0 || !isLast) return picks;
    return this.#lanes.choose({ free, ahead: 0 }, this.#seats.roomElsewhere);
  }

  readonly #cannotRun = (lane: Lane): boolean => this.#seats.isPaused(lane) || this.#seats.isHeldLong(lane);

  /** Of its lane there is one less; none where others were faster. */
  #tookSuspect({ host, resolver }: Pick, found: number): boolean {
    this.#suspects = this.#suspects.flatMap((lane) => {
      if (lane.host !== host || lane.resolver !== resolver) return [lane];
      return found > 0 && lane.jobs > 1 ? [{ ...lane, jobs: lane.jobs - 1 }] : [];
    });
    return true;
  }
}
