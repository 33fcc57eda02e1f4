/** Boosted trees: a leaf has a value, a fork the number of a feature, its limit and the two nodes behind it. */
export interface TreeModel {
  readonly base: number;
  readonly trees: readonly (readonly (readonly number[])[])[];
}

/** The figures that a model weighs, by their names; a model knows each by its place. */
export type Features = Readonly<Record<string, number>>;

/** The score of a row of features: above 0 it is more likely than not. */
export function scoreOf({ base, trees }: TreeModel, features: Features): number {
  const values = Object.values(features);
  let score = base;
  for (const nodes of trees) {
    let node = nodes[0] ?? [0];
    while (node.length > 1) {
      const [feature = 0, limit = 0, left = 0, right = 0] = node;
      node = nodes[(values[feature] ?? 0) <= limit ? left : right] ?? [0];
    }
    score += node[0] ?? 0;
  }
  return score;
}
