/** Boosted trees: a leaf is a value, a fork has the place of a feature among `features`, a limit and two children. */
export interface TreeModel {
  /** The names of the features that the model was trained with. */
  readonly features: readonly string[];
  readonly base: number;
  readonly trees: readonly (readonly (readonly number[])[])[];
}

/** Figures by name, in any order. */
export type Features = Readonly<Record<string, number>>;

/** The score of some features: positive means more likely than not. */
export function scoreOf({ features: names, base, trees }: TreeModel, features: Features): number {
  const values = names.map((name) => {
    const value = features[name];
    if (value === undefined) throw new RangeError(`the model was trained with ${name}, which is not measured`);
    return value;
  });
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
