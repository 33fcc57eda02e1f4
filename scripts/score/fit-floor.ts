/** Scores of first answers, for questions with and without an answer in a collection. */
export interface Fits {
  readonly name: string;
  readonly answered: readonly number[];
  readonly unanswered: readonly number[];
}

/** Effect of a minimum score. */
export interface FloorLine {
  readonly floor: number;
  /** Share of answerable questions that keep their first answer; the minimum over all collections. */
  readonly kept: number;
  /** Share of unanswerable questions that get no answer; the mean over all collections. */
  readonly refused: number;
}

/** Almost no answerable question may lose its answer. */
const LEAST_KEPT = 0.99;

/** Effect of each minimum score on one half of the questions. */
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

/** The highest minimum score that keeps the answers in every collection. */
export function chosenFloor(table: readonly FloorLine[]): number {
  return Math.max(0, ...table.filter(({ kept }) => kept >= LEAST_KEPT).map(({ floor }) => floor));
}
