import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { nothingMeasured, readJsonLines, SHARED } from './data.ts';

/** A paper with its publisher's own file, in a public repository. */
export interface TrainingPaper {
  readonly id: string;
  readonly repo: string;
  /** The ids of both files in the repository. */
  readonly pdfOid: string;
  readonly xmlOid: string;
  /** The publisher as the paper names it, and the house it belongs to. */
  readonly publisher: string;
  readonly group: string;
}

/** How many parts the publishers are divided into; models judge a part that they have not seen. */
const FOLDS = 5;

/** More papers of one publisher are no more than this: they look alike. */
const LARGE = 20;

/** The papers that roles are learnt from. */
export function trainingPapers(): TrainingPaper[] {
  const manifest = join(SHARED, 'data', 'parse', 'train-manifest.jsonl');
  if (!existsSync(manifest)) nothingMeasured(`${manifest} does not exist`);
  return readJsonLines<TrainingPaper>(manifest);
}

/** The fold of each publisher: the largest first, each into the fold that has the fewest papers. */
function foldsOf(papers: readonly TrainingPaper[]): ReadonlyMap<string, number> {
  const counts = Array.from({ length: FOLDS }, () => 0);
  const groups = [...Map.groupBy(papers, ({ group }) => group)].sort(
    ([a, one], [b, other]) => other.length - one.length || a.localeCompare(b),
  );
  return new Map(
    groups.map(([group, own]) => {
      const fold = counts.indexOf(Math.min(...counts));
      counts[fold] = (counts[fold] ?? 0) + Math.min(LARGE, own.length);
      return [group, fold];
    }),
  );
}

/** A sample of the papers of some folds, with the fold of each: every publisher, none with more than `most`. */
export function leftOutParts(folds: readonly number[], most: number): ReadonlyMap<string, string> {
  const papers = trainingPapers();
  const places = foldsOf(papers);
  const draw = ({ id }: TrainingPaper): string => createHash('sha256').update(id).digest('hex');
  return new Map(
    [...Map.groupBy(papers, ({ group }) => group)].flatMap(([group, own]) => {
      const fold = places.get(group) ?? 0;
      if (!folds.includes(fold)) return [];
      const drawn = own.toSorted((a, b) => draw(a).localeCompare(draw(b))).slice(0, most);
      return drawn.map(({ id }): [string, string] => [id, `fold ${fold}`]);
    }),
  );
}
