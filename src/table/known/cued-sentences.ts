import type { ColumnKind } from './column-kind.ts';
import { pointsOf } from './cue.ts';
import { CUES, SHARED_CUES } from './cues.ts';
import type { PaperSentence } from './paper-sentences.ts';

/** A sentence and how clearly its words and its place say that it is of a kind. */
export interface CuedSentence {
  readonly sentence: PaperSentence;
  readonly points: number;
}

/** Points of a sentence right behind one that announces it. */
const ANNOUNCED = 3;
/** Points of a sentence that tells what was known before. */
const BACKGROUND = -2;
const LONGEST = 700;
const SHORTEST = 20;

/** The sentences that words and place mark as of a kind, the clearest first. */
export function cuedSentences(kind: ColumnKind, sentences: readonly PaperSentence[]): CuedSentence[] {
  const { words, needs, sections, headings, least, announces, isEarlyBetter, after } = CUES[kind] ?? {};
  if (!words || least === undefined) return [];
  const abstract = sentences.filter(({ section }) => section === 'abstract');
  const own = after ? abstract.findIndex(({ text }) => after.some((words) => words.test(text))) : 0;
  const background = new Set(abstract.slice(0, Math.max(0, own)));
  const isAnnouncing = (text: string | undefined): boolean => text !== undefined && announces?.test(text) === true;
  const found = sentences.flatMap((sentence, at): CuedSentence[] => {
    const { text, section, heading } = sentence;
    const place = sections?.[section];
    if (place === undefined || text.length > LONGEST || text.length < SHORTEST) return [];
    if (isAnnouncing(text) || needs?.test(text) === false) return [];
    const announced = isAnnouncing(sentences[at - 1]?.text) ? ANNOUNCED : 0;
    const said = pointsOf(text, words) + pointsOf(text, SHARED_CUES) + (background.has(sentence) ? BACKGROUND : 0);
    const above = headings?.test(heading) === true ? 2 : 0;
    const order = (isEarlyBetter === false ? at : -at) / (2 * sentences.length);
    const points = said + place + above + announced + order;
    return points >= least ? [{ sentence, points }] : [];
  });
  return found.sort((one, other) => other.points - one.points);
}
