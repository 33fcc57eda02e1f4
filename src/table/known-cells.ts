import type { CitedHit } from '../corpus/index.ts';
import type { Cell, Column, Facts } from './cell.ts';
import { LONGEST_VALUE } from './fill-cells.ts';
import type { ColumnKind } from './known/column-kind.ts';
import { kindOf } from './known/column-kind.ts';
import { likelyCountryIn, onlyCountryIn } from './known/country.ts';
import { cuedSentences } from './known/cued-sentences.ts';
import { CUES } from './known/cues.ts';
import { articleTypeIn, designOf } from './known/design.ts';
import type { PaperSentence } from './known/paper-sentences.ts';
import { paperSentences } from './known/paper-sentences.ts';
import { sampleSizeIn } from './known/sample-size.ts';
import type { Stated } from './known/stated.ts';
import { softwareIn, softwareOfGraph } from './known/software.ts';

/** What is known about a paper before its sentences are read. */
export interface KnownPaper {
  /** Undefined if the graph was not built. */
  readonly facts: Facts | undefined;
  /** All passages, in order. */
  readonly passages: readonly CitedHit[];
}

const MOST_QUOTES = 4;
/** Sentences of most kinds that are shown together. */
const MOST_SENTENCES = 2;
/** A second sentence must have nearly as many points as the first. */
const NEAR_BEST = 0.75;

/** What the graph or a statement of the paper gives for sure; undefined if the column asks for something else. */
export function knownCell(column: Column, { facts, passages }: KnownPaper): Cell | undefined {
  const kind = kindOf(column);
  if (kind === 'software') return cellOf(facts && softwareOfGraph(facts), 'graph');
  if (kind === 'country') return cellOf(onlyCountryIn(paperSentences(passages), ['abstract']), 'statement');
  return kind === 'funding' ? cuedCell(kind, paperSentences(passages)) : undefined;
}

/** Kinds with a value of their own; of the others the sentence is the value. */
const VALUES: Readonly<
  Partial<Record<ColumnKind, (sentences: readonly PaperSentence[], column: Column) => Stated | undefined>>
> = {
  software: softwareIn,
  country: likelyCountryIn,
  design: designOf,
  'article type': (sentences) => articleTypeIn(sentences) ?? designOf(sentences),
  'sample size': (sentences, { type }) => {
    const size = sampleSizeIn(sentences);
    return size && { value: type === 'number' ? size.count : `${size.count} ${size.noun}`.trim(), quotes: size.quotes };
  },
};

/** What sentences of a known kind say; a model would read it better. */
export function likelyCell(column: Column, { passages }: KnownPaper): Cell | undefined {
  const kind = kindOf(column);
  if (kind === undefined) return undefined;
  const sentences = paperSentences(passages);
  const valueOf = VALUES[kind];
  return valueOf ? cellOf(valueOf(sentences, column), 'statement') : cuedCell(kind, sentences);
}

/** The sentence that words and place mark as of a kind, with the next if it is nearly as clear. */
function cuedCell(kind: ColumnKind, sentences: readonly PaperSentence[]): Cell | undefined {
  const [best, ...others] = cuedSentences(kind, sentences);
  if (!best) return undefined;
  const near = others
    .filter(({ points, sentence }) => points >= NEAR_BEST * best.points && isBeside(sentence, best.sentence))
    .slice(0, (CUES[kind]?.most ?? MOST_SENTENCES) - 1);
  const said = [best, ...near].map(({ sentence }) => sentence);
  return cellOf({ value: said.map(({ text }) => text).join(' '), quotes: said.map(({ quote }) => quote) }, 'statement');
}

/** Whether two sentences stand under the same heading. */
function isBeside(one: PaperSentence, other: PaperSentence): boolean {
  return one.heading === other.heading && one.section === other.section;
}

function cellOf(stated: Stated | undefined, from: 'graph' | 'statement'): Cell | undefined {
  if (!stated) return undefined;
  const { value, quotes } = stated;
  return { kind: 'value', value: value.slice(0, LONGEST_VALUE), from, quotes: quotes.slice(0, MOST_QUOTES) };
}
