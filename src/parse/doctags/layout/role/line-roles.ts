import type { Line } from '../page/segment.ts';
import type { TreeModel } from '../trees.ts';
import { scoreOf } from '../trees.ts';
import type { LineSetting } from './line-features.ts';
import { measureLines } from './line-features.ts';
import model from './line-model.json' with { type: 'json' };

/** What a line may be: part of an entry of the references, or the first line of its block. */
export type Role = 'reference' | 'start';

/** How likely a role of a line is; positive means more likely than not, 0 is unknown. */
export type RoleScores = (line: Line, role: Role) => number;

/** Trees that score the lines of a document. */
export function scoreLines(setting: LineSetting, models: Readonly<Record<Role, TreeModel>> = model): RoleScores {
  const measured = new Map(measureLines(setting).map(({ line, features }) => [line, features]));
  return (line, role) => {
    const features = measured.get(line);
    return features ? scoreOf(models[role], features) : 0;
  };
}
