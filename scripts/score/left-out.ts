import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { nothingMeasured, readJsonLines, SHARED } from './data.ts';
import { halfOfHouse } from './halves.ts';

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
export const FOLDS = 5;

/** More papers of one publisher are no more than this: they look alike. */
const LARGE = 20;

/** The papers that roles are learnt from. */
export function trainingPapers(): TrainingPaper[] {
  const manifest = join(SHARED, 'data', 'parse', 'train-manifest.jsonl');
  if (!existsSync(manifest)) nothingMeasured(`${manifest} does not exist`);
  return readJsonLines<TrainingPaper>(manifest);
}

/** The fold of each publisher: the largest first, each into the fold that has the fewest papers. */
export function foldsOf(papers: readonly TrainingPaper[]): ReadonlyMap<string, number> {
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

/** Some papers of every publisher, none with more than `most`, always the same. */
export function drawPapers(papers: readonly TrainingPaper[], most: number): TrainingPaper[] {
  const draw = ({ id }: TrainingPaper): string => createHash('sha256').update(id).digest('hex');
  return [...Map.groupBy(papers, ({ group }) => group).values()].flatMap((own) =>
    own.toSorted((a, b) => draw(a).localeCompare(draw(b))).slice(0, most),
  );
}

/** A sample of the papers of some folds, with the fold of each. */
export function leftOutParts(folds: readonly number[], most: number): ReadonlyMap<string, string> {
  const papers = trainingPapers();
  const places = foldsOf(papers);
  return new Map(
    drawPapers(papers, most).flatMap(({ id, group }): [string, string][] => {
      const fold = places.get(group) ?? 0;
      return folds.includes(fold) ? [[id, `fold ${fold}`]] : [];
    }),
  );
}

/** A sample of the papers of all publishers, with the half of each. */
export function leftOutHalves(most: number): ReadonlyMap<string, string> {
  return new Map(drawPapers(trainingPapers(), most).map(({ id, group }) => [id, halfOfHouse(group)]));
}

/** Names of houses that do not begin as their imprints do. */
const HOUSES: readonly (readonly [imprint: string, house: string])[] = [
  ['Public Library of Science', 'PLOS'],
  ['Centers for Disease Control', 'CDC'],
  ['John Wiley', 'Wiley'],
  ['Royal Society of Chemistry', 'The Royal Society of Chemistry'],
  ['Medknow', 'Wolters Kluwer - Medknow'],
];

/** The house that a publisher of other papers belongs to, by the names that the manifest knows. */
export function houseOf(papers: readonly TrainingPaper[]): (publisher: string) => string {
  const known = new Map(papers.map(({ publisher, group }) => [publisher, group]));
  const houses = [...new Set(papers.map(({ group }) => group))];
  return (publisher) =>
    known.get(publisher) ??
    houses.find((house) => publisher.startsWith(house)) ??
    HOUSES.find(([imprint]) => publisher.startsWith(imprint))?.[1] ??
    publisher;
}
