/** Boosted trees: a leaf is a value, a fork has a feature, a limit and two children. */
export interface TreeModel {
  readonly base: number;
  readonly trees: readonly (readonly (readonly number[])[])[];
}

/** The features of a model by name; the model refers to them by position. */
export type Features = Readonly<Record<string, number>>;

/** The score of some features: positive means more likely than not. */
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

export function flag(value: boolean): number {
  return value ? 1 : 0;
}
