import type { FeatureOptions, Features } from './features.ts';

export interface ModelOptions extends FeatureOptions {
  /** Cost of a misclassified record relative to the size of the weights. */
  readonly cost: number;
  /** Total weight of included records relative to excluded ones. */
  readonly includedWeight: number;
}

/** The best-ranking values measured; `npm run score:screening` compares alternatives. */
export const DEFAULT_MODEL: ModelOptions = {
  maxShare: 0.95,
  joinsPlurals: true,
  referenceWeight: 0.35,
  cost: 0.11,
  includedWeight: 9.8,
};

const MOST_PASSES = 10;
const TOLERANCE = 0.1;

/**
 * A linear support vector machine with squared hinge loss, trained by dual coordinate descent (Hsieh et al., 2008).
 * Each training starts from the one before. The same decisions in the same order give the same ranking.
 */
export class RankingModel {
  readonly features: Features;
  readonly #options: ModelOptions;
  readonly #weights: Float64Array;
  #bias = 0;
  readonly #duals: Float64Array;
  readonly #question: ReadonlyMap<number, number>;
  #questionDual = 0;

  /** `question` counts as one more included record. */
  constructor(features: Features, question = '', options: ModelOptions = DEFAULT_MODEL) {
    this.features = features;
    this.#options = options;
    this.#weights = new Float64Array(features.width);
    this.#duals = new Float64Array(features.rows);
    this.#question = question === '' ? new Map<number, number>() : features.ofText(question);
  }

  /** Learns from decisions by row: true for an included record. Rows no longer present are forgotten. */
  train(decisions: ReadonlyMap<number, boolean>): void {
    for (const [row, dual] of this.#duals.entries())
      if (dual !== 0 && (!decisions.has(row) || decisions.get(row) !== dual > 0)) this.#move(row, -dual);
    const hasQuestion = this.#question.size > 0;
    const included = [...decisions.values()].filter(Boolean).length + (hasQuestion ? 1 : 0);
    const excluded = decisions.size - included + (hasQuestion ? 1 : 0);
    const excludedWeight = included / (this.#options.includedWeight * Math.max(1, excluded));
    const scale = (included + excluded) / (included + excluded * excludedWeight || 1);
    const cost = (isIncluded: boolean): number => this.#options.cost * scale * (isIncluded ? 1 : excludedWeight);
    // Without an included record, the excluded ones only say what to avoid.
    const slack = (isIncluded: boolean): number => 1 / (2 * (included === 0 ? this.#options.cost : cost(isIncluded)));
    const [forIncluded, forExcluded] = [slack(true), slack(false)];
    for (let pass = 0; pass < MOST_PASSES; pass += 1) {
      let most = hasQuestion ? this.#learnQuestion(forIncluded) : 0;
      for (const [row, isIncluded] of decisions)
        most = Math.max(most, this.#learn(row, isIncluded ? 1 : -1, isIncluded ? forIncluded : forExcluded));
      if (most < TOLERANCE) break;
    }
  }

  /** A score per row, higher for likelier inclusion; only the order is meaningful. */
  scores(): Float64Array {
    const { rows } = this.features;
    const scores = new Float64Array(rows);
    for (let row = 0; row < rows; row += 1) scores[row] = this.#score(row);
    return scores;
  }

  #score(row: number): number {
    const { starts, columns, values } = this.features;
    const weights = this.#weights;
    let sum = this.#bias;
    for (let at = starts[row]!, end = starts[row + 1]!; at < end; at += 1) sum += weights[columns[at]!]! * values[at]!;
    return sum;
  }

  /** Moves one dual variable to its optimum; returns how far the gradient was from 0. */
  #learn(row: number, sign: number, slack: number): number {
    const dual = this.#duals[row]! * sign;
    const gradient = sign * this.#score(row) - 1 + (slack + this.features.ownSquares[row]!) * dual;
    if (dual === 0 && gradient >= 0) return 0;
    if (Math.abs(gradient) < TOLERANCE / 10) return Math.abs(gradient);
    const moved = Math.max(0, dual - gradient / (this.features.squares[row]! + 1 + slack)) - dual;
    if (moved !== 0) this.#move(row, moved * sign);
    return Math.abs(gradient);
  }

  #move(row: number, change: number): void {
    const { starts, columns, values } = this.features;
    const weights = this.#weights;
    this.#duals[row]! += change;
    this.#bias += change;
    for (let at = starts[row]!, end = starts[row + 1]!; at < end; at += 1)
      weights[columns[at]!]! += change * values[at]!;
  }

  #learnQuestion(slack: number): number {
    let score = this.#bias;
    let square = 1;
    for (const [column, value] of this.#question) {
      score += (this.#weights[column] ?? 0) * value;
      square += value * value;
    }
    const gradient = score - 1 + slack * this.#questionDual;
    const moved = Math.max(0, this.#questionDual - gradient / (square + slack)) - this.#questionDual;
    this.#questionDual += moved;
    this.#bias += moved;
    for (const [column, value] of this.#question) this.#weights[column] = (this.#weights[column] ?? 0) + moved * value;
    return Math.abs(gradient);
  }
}
