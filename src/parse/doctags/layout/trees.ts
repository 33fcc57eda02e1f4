/** Boosted trees: a leaf is a value, a fork has the place of a feature among `features`, a limit and two children. */
export interface TreeModel {
  /** The names of the features that the model was trained with. */
  readonly features: readonly string[];
  readonly base: number;
  readonly trees: readonly (readonly (readonly number[])[])[];
}

/** Figures by name, in any order. */
export type Features = Readonly<Record<string, number>>;

/** Nodes of all trees in one row: where a node is a leaf, its feature is -1 and its limit the value. */
interface FlatTrees {
  readonly features: Int32Array;
  readonly limits: Float64Array;
  readonly left: Int32Array;
  readonly right: Int32Array;
  readonly roots: readonly number[];
}

const FLAT = new WeakMap<TreeModel, FlatTrees>();

function flatten(model: TreeModel): FlatTrees {
  const all = model.trees.flat();
  const flat = {
    features: new Int32Array(all.length),
    limits: new Float64Array(all.length),
    left: new Int32Array(all.length),
    right: new Int32Array(all.length),
    roots: [] as number[],
  };
  let root = 0;
  for (const nodes of model.trees) {
    flat.roots.push(root);
    for (const [at, node] of nodes.entries()) {
      const [feature = 0, limit = 0, left = 0, right = 0] = node;
      const isLeaf = node.length === 1;
      flat.features[root + at] = isLeaf ? -1 : feature;
      flat.limits[root + at] = isLeaf ? feature : limit;
      flat.left[root + at] = root + left;
      flat.right[root + at] = root + right;
    }
    root += nodes.length;
  }
  return flat;
}

/** The score of some features: positive means more likely than not. */
export function scoreOf(model: TreeModel, features: Features): number {
  const values = Float64Array.from(model.features, (name) => {
    const value = features[name];
    if (value === undefined) throw new RangeError(`the model was trained with ${name}, which is not measured`);
    return value;
  });
  const flat = FLAT.get(model) ?? flatten(model);
  FLAT.set(model, flat);
  let score = model.base;
  for (const root of flat.roots) {
    let node = root;
    for (let feature = flat.features[node] as number; feature >= 0; feature = flat.features[node] as number)
      node = ((values[feature] as number) <= (flat.limits[node] as number) ? flat.left : flat.right)[node] as number;
    score += flat.limits[node] as number;
  }
  return score;
}

export function flag(value: boolean): number {
  return value ? 1 : 0;
}
