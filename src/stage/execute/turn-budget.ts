/** Steps taken before the loop gets a turn: promises alone would never let a timer or a write come through. */
const STEPS_PER_TURN = 4_096;

/** Counts the steps of one turn of the event loop, and asks for the next turn when they are used up. */
export class TurnBudget {
  #steps = 0;
  readonly #nextTurn: () => void;

  constructor(nextTurn: () => void) {
    this.#nextTurn = nextTurn;
  }

  /** False when the loop needs its turn first; `nextTurn` is called after it. */
  spend(steps: number): boolean {
    if (this.#steps >= STEPS_PER_TURN) return false;
    this.#steps += steps;
    if (this.#steps >= STEPS_PER_TURN)
      setImmediate(() => {
        this.#steps = 0;
        this.#nextTurn();
      });
    return true;
  }
}
