/** How well first answers fit, of questions that a collection answers and of those that it does not. */
export interface Fits {
  readonly name: string;
  readonly answered: readonly number[];
  readonly unanswered: readonly number[];
}

/** What a floor keeps of answers and leaves out of none-answers. */
export interface FloorLine {
  readonly floor: number;
  /** Questions with an answer whose first answer stays, over all collections: the least of them. */
  readonly kept: number;
  /** Questions without an answer that get none, the mean over all collections. */
  readonly refused: number;
}

/** A question is never answered by silence where it has an answer, or all but never. */
const LEAST_KEPT = 0.99;

/** What each floor does to one half of the questions. */
export function floorTable(fits: readonly Fits[], half: 'work' | 'aside'): FloorLine[] {
  const some = (values: readonly number[]): number[] => values.filter((_, at) => (at % 2 === 0) === (half === 'work'));
  const share = (values: readonly number[], fits: (value: number) => boolean): number =>
    values.length === 0 ? 1 : values.filter(fits).length / values.length;
  return Array.from({ length: 13 }, (_, at) => 0.1 + at * 0.05).map((floor) => {
    const kept = fits.map(({ answered }) => share(some(answered), (fit) => fit >= floor));
    const refused = fits.map(({ unanswered }) => share(some(unanswered), (fit) => fit < floor));
    return {
      floor: Number(floor.toFixed(2)),
      kept: Math.min(...kept),
      refused: refused.reduce((sum, each) => sum + each, 0) / refused.length,
    };
  });
}

/** The highest floor that keeps answers in every collection. */
export function chosenFloor(table: readonly FloorLine[]): number {
  return Math.max(0, ...table.filter(({ kept }) => kept >= LEAST_KEPT).map(({ floor }) => floor));
}
