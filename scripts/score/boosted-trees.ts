import type { TreeModel } from '../../src/parse/doctags/layout/trees.ts';

/** Rows of figures, whether each is of the class, and how much it counts. */
export interface Examples {
  /** The names of the figures of a row, in order. */
  readonly features: readonly string[];
  readonly rows: readonly ArrayLike<number>[];
  readonly isPositive: readonly boolean[];
  readonly weights: readonly number[];
}

/** How many trees are grown, and how large. */
export interface Growth {
  readonly trees: number;
  readonly depth: number;
  /** Minimum number of rows per leaf. */
  readonly leaf: number;
}

const RATE = 0.1;
/** Regularisation: shrinks the values of small leaves. */
const LAMBDA = 2;
const BINS = 32;
const LEAST_GAIN = 1e-3;
/** A bin of a histogram has the sums of gradients and curvatures, and its number of rows. */
const SUMS = 3;

/** Gradient-boosted trees for binary classification over binned features. Deterministic. */
export function trainTrees(examples: Examples, growth: Growth): TreeModel {
  const { features, rows, isPositive, weights } = examples;
  const cuts = features.map((_, feature) => cutsOf(rows.map((row) => row[feature] ?? 0)));
  const bins = cuts.map((limits, feature) => Uint8Array.from(rows, (row) => binOf(row[feature] ?? 0, limits)));
  const sum = (positive: boolean): number =>
    weights.reduce((total, weight, index) => total + (isPositive[index] === positive ? weight : 0), 0);
  const base = Math.log(sum(true) / sum(false));
  const scores = new Float64Array(rows.length).fill(base);
  const [gradients, curvatures] = [new Float64Array(rows.length), new Float64Array(rows.length)];
  /** The rows, arranged so that those of a node stand together. */
  const order = new Int32Array(rows.length);
  const spare = new Int32Array(rows.length);
  const size = (BINS + 1) * SUMS;

  /** The sums of the rows between two places of the order, by feature and bin. */
  const histogram = (from: number, to: number): Float64Array => {
    const sums = new Float64Array(features.length * size);
    bins.forEach((own, feature) => {
      const offset = feature * size;
      for (let place = from; place < to; place += 1) {
        const row = order[place] ?? 0;
        const at = offset + (own[row] ?? 0) * SUMS;
        sums[at] = (sums[at] ?? 0) + (gradients[row] ?? 0);
        sums[at + 1] = (sums[at + 1] ?? 0) + (curvatures[row] ?? 0);
        sums[at + 2] = (sums[at + 2] ?? 0) + 1;
      }
    });
    return sums;
  };

  const bestFork = (sums: Float64Array, rowsBelow: number): { feature: number; bin: number } | undefined => {
    let best: { feature: number; bin: number } | undefined;
    let bestGain = LEAST_GAIN;
    const { gradient, curvature } = totalOf(sums, size);
    const whole = gradient ** 2 / (curvature + LAMBDA);
    for (const [feature, limits] of cuts.entries()) {
      let [left, leftCurvature, count] = [0, 0, 0];
      for (let bin = 0; bin < limits.length; bin += 1) {
        const at = feature * size + bin * SUMS;
        left += sums[at] ?? 0;
        leftCurvature += sums[at + 1] ?? 0;
        count += sums[at + 2] ?? 0;
        if (count < growth.leaf || rowsBelow - count < growth.leaf) continue;
        const gain =
          left ** 2 / (leftCurvature + LAMBDA) + (gradient - left) ** 2 / (curvature - leftCurvature + LAMBDA) - whole;
        if (gain > bestGain) [bestGain, best] = [gain, { feature, bin }];
      }
    }
    return best;
  };

  /** Moves the rows of the left side to the front; returns where the right side begins. */
  const divide = (from: number, to: number, own: Uint8Array, bin: number): number => {
    let [middle, others] = [from, 0];
    for (let place = from; place < to; place += 1) {
      const row = order[place] ?? 0;
      if ((own[row] ?? 0) <= bin) {
        order[middle] = row;
        middle += 1;
      } else {
        spare[others] = row;
        others += 1;
      }
    }
    order.set(spare.subarray(0, others), middle);
    return middle;
  };

  const grow = (nodes: number[][], from: number, to: number, depth: number, sums: Float64Array): number => {
    const at = nodes.push([]) - 1;
    const fork = depth === 0 || to - from < 2 * growth.leaf ? undefined : bestFork(sums, to - from);
    const own = fork && bins[fork.feature];
    if (!fork || !own) {
      const { gradient, curvature } = totalOf(sums, size);
      const value = (RATE * gradient) / (curvature + LAMBDA);
      nodes[at] = [round(value)];
      for (let place = from; place < to; place += 1) {
        const row = order[place] ?? 0;
        scores[row] = (scores[row] ?? 0) + value;
      }
      return at;
    }
    const middle = divide(from, to, own, fork.bin);
    // Only the smaller side is counted; the other is what remains.
    const isLeftSmall = middle - from < to - middle;
    const small = isLeftSmall ? histogram(from, middle) : histogram(middle, to);
    const large = sums.map((value, index) => value - (small[index] ?? 0));
    const left = grow(nodes, from, middle, depth - 1, isLeftSmall ? small : large);
    const right = grow(nodes, middle, to, depth - 1, isLeftSmall ? large : small);
    nodes[at] = [fork.feature, round(cuts[fork.feature]?.[fork.bin] ?? 0), left, right];
    return at;
  };

  const trees: number[][][] = [];
  for (let tree = 0; tree < growth.trees; tree += 1) {
    for (let row = 0; row < rows.length; row += 1) {
      const chance = 1 / (1 + Math.exp(-(scores[row] ?? 0)));
      const weight = weights[row] ?? 1;
      gradients[row] = weight * ((isPositive[row] ? 1 : 0) - chance);
      curvatures[row] = weight * Math.max(1e-6, chance * (1 - chance));
      order[row] = row;
    }
    const nodes: number[][] = [];
    grow(nodes, 0, rows.length, growth.depth, histogram(0, rows.length));
    trees.push(nodes);
  }
  return { features, base: round(base), trees };
}

/** The sums over all rows: each is in one bin of every feature, so the bins of the first are enough. */
function totalOf(sums: Float64Array, size: number): { readonly gradient: number; readonly curvature: number } {
  let [gradient, curvature] = [0, 0];
  for (let at = 0; at < size; at += SUMS) {
    gradient += sums[at] ?? 0;
    curvature += sums[at + 1] ?? 0;
  }
  return { gradient, curvature };
}

/** Bin boundaries of a feature. */
function cutsOf(values: readonly number[]): number[] {
  const sorted = Float64Array.from(values).sort();
  const different = [...new Set(sorted)];
  if (different.length <= BINS)
    return different.slice(1).map((value, index) => (value + (different[index] ?? value)) / 2);
  const limits = Array.from(
    { length: BINS - 1 },
    (_, bin) => sorted[Math.floor(((bin + 1) * sorted.length) / BINS)] ?? 0,
  );
  return [...new Set(limits)];
}

function binOf(value: number, limits: readonly number[]): number {
  const bin = limits.findIndex((limit) => value <= limit);
  return bin < 0 ? limits.length : bin;
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
