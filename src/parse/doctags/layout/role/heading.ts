import type { Draft } from '../draft.ts';
import type { HeadingSetting } from './heading-features.ts';
import { headingCandidates } from './heading-features.ts';
import model from './heading-model.json' with { type: 'json' };
import { headingTag, trustsHeadingTags } from './structure.ts';

/** Boosted trees: a leaf has a value, a fork the number of a feature, its limit and the two nodes behind it. */
export interface TreeModel {
  readonly base: number;
  readonly trees: readonly (readonly (readonly number[])[])[];
}

/** The score of a row of features: above 0 it is more likely than not. */
export function scoreOf({ base, trees }: TreeModel, features: readonly number[]): number {
  let score = base;
  for (const nodes of trees) {
    let node = nodes[0] ?? [0];
    while (node.length > 1) {
      const [feature = 0, limit = 0, left = 0, right = 0] = node;
      node = nodes[(features[feature] ?? 0) <= limit ? left : right] ?? [0];
    }
    score += node[0] ?? 0;
  }
  return score;
}

/** Marks the drafts that are headings: where a tagged file can be trusted by its tags, elsewhere by the trained model. */
export function markHeadings(drafts: readonly Draft[], setting: HeadingSetting): void {
  const trusted = trustsHeadingTags(drafts, setting.tagOf);
  for (const { draft, features, isCertain } of headingCandidates(drafts, setting)) {
    const tag = trusted ? headingTag(setting.tagOf(draft)) : undefined;
    if (tag !== undefined) {
      draft.kind = 'heading';
      draft.level = tag;
    } else if (isCertain || scoreOf(model, features) > 0) draft.kind = 'heading';
  }
}
