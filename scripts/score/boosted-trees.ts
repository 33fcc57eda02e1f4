import type { Features, TreeModel } from '../../src/parse/doctags/layout/trees.ts';

export interface Examples {
  readonly rows: readonly Features[];
  readonly isPositive: readonly boolean[];
  readonly weights: readonly number[];
}

const TREES = 120;
const DEPTH = 4;
const RATE = 0.1;
/** Minimum number of rows per leaf. */
const LEAF = 8;
/** Regularisation: shrinks the values of small leaves. */
const LAMBDA = 2;
const BINS = 32;
const LEAST_GAIN = 1e-3;

/** Gradient-boosted trees for binary classification over binned features. Deterministic. */
export function trainTrees({ rows: examples, isPositive, weights }: Examples): TreeModel {
  const features = Object.keys(examples[0] ?? {});
  const rows = examples.map((example) => features.map((name) => example[name] ?? 0));
  const width = features.length;
  const cuts = Array.from({ length: width }, (_, feature) => cutsOf(rows.map((row) => row[feature] ?? 0)));
  const bins = rows.map((row) => Uint8Array.from(cuts, (limits, feature) => binOf(row[feature] ?? 0, limits)));
  const sum = (positive: boolean): number =>
    weights.reduce((total, weight, index) => total + (isPositive[index] === positive ? weight : 0), 0);
  const base = Math.log(sum(true) / sum(false));
  const scores = new Float64Array(rows.length).fill(base);
  const [gradients, curvatures] = [new Float64Array(rows.length), new Float64Array(rows.length)];
  const total = (values: Float64Array, own: readonly number[]): number =>
    own.reduce((all, index) => all + (values[index] ?? 0), 0);

  const grow = (nodes: number[][], own: readonly number[], depth: number): number => {
    const at = nodes.push([]) - 1;
    const [gradient, curvature] = [total(gradients, own), total(curvatures, own)];
    const fork = depth === 0 || own.length < 2 * LEAF ? undefined : bestFork(own, gradient, curvature);
    if (!fork) {
      const value = (RATE * gradient) / (curvature + LAMBDA);
      nodes[at] = [round(value)];
      for (const index of own) scores[index] = (scores[index] ?? 0) + value;
      return at;
    }
    const isLeft = (index: number): boolean => (bins[index]?.[fork.feature] ?? 0) <= fork.bin;
    const left = grow(nodes, own.filter(isLeft), depth - 1);
    const right = grow(
      nodes,
      own.filter((index) => !isLeft(index)),
      depth - 1,
    );
    nodes[at] = [fork.feature, round(cuts[fork.feature]?.[fork.bin] ?? 0), left, right];
    return at;
  };

  const bestFork = (
    own: readonly number[],
    gradient: number,
    curvature: number,
  ): { feature: number; bin: number } | undefined => {
    let best: { feature: number; bin: number } | undefined;
    let bestGain = LEAST_GAIN;
    for (let feature = 0; feature < width; feature += 1) {
      const [g, c, n] = [new Float64Array(BINS + 1), new Float64Array(BINS + 1), new Int32Array(BINS + 1)];
      for (const index of own) {
        const bin = bins[index]?.[feature] ?? 0;
        g[bin] = (g[bin] ?? 0) + (gradients[index] ?? 0);
        c[bin] = (c[bin] ?? 0) + (curvatures[index] ?? 0);
        n[bin] = (n[bin] ?? 0) + 1;
      }
      let [left, leftCurvature, count] = [0, 0, 0];
      for (let bin = 0; bin < (cuts[feature]?.length ?? 0); bin += 1) {
        left += g[bin] ?? 0;
        leftCurvature += c[bin] ?? 0;
        count += n[bin] ?? 0;
        if (count < LEAF || own.length - count < LEAF) continue;
        const gain =
          left ** 2 / (leftCurvature + LAMBDA) +
          (gradient - left) ** 2 / (curvature - leftCurvature + LAMBDA) -
          gradient ** 2 / (curvature + LAMBDA);
        if (gain > bestGain) [bestGain, best] = [gain, { feature, bin }];
      }
    }
    return best;
  };

  const trees: number[][][] = [];
  for (let tree = 0; tree < TREES; tree += 1) {
    for (let index = 0; index < rows.length; index += 1) {
      const chance = 1 / (1 + Math.exp(-(scores[index] ?? 0)));
      const weight = weights[index] ?? 1;
      gradients[index] = weight * ((isPositive[index] ? 1 : 0) - chance);
      curvatures[index] = weight * Math.max(1e-6, chance * (1 - chance));
    }
    const nodes: number[][] = [];
    grow(nodes, [...rows.keys()], DEPTH);
    trees.push(nodes);
  }
  return { features, base: round(base), trees };
}

/** Bin boundaries of a feature. */
function cutsOf(values: readonly number[]): number[] {
  const sorted = values.toSorted((a, b) => a - b);
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
