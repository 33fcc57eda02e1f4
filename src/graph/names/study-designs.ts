import type { Stretch } from '../../parse/index.ts';
import { expanded } from '../../parse/index.ts';
import words from './study-designs.json' with { type: 'json' };

// Designs of studies are in study-designs.json by language, written like names of sections; "…" stands for any number of
// the words that may be in front of a study ("qualifiers").

/** A design that a text names. */
export interface NamedDesign extends Stretch {
  /** The usual name, such as "randomised controlled trial". */
  readonly design: string;
}

const QUALIFIERS: ReadonlySet<string> = new Set(words.qualifiers.en);
const HEADS: ReadonlySet<string> = new Set(words.heads.en);
/** Words that only belong to a phrase behind another one. */
const NOT_FIRST: ReadonlySet<string> = new Set(words.notFirst.en);
const BETWEEN_WORDS = /^(?:,? (?:and )?| ?[-‐‑–/] ?)$/;
/** A phrase without one of these says nothing about the design. */
const TELLING: readonly string[] = words.telling.en.flatMap(expanded);

const BETWEEN = '[ \\u00a0‐‑–-]';
const JOINT = `(?:, (?:and )?|${BETWEEN})`;
const ANY_QUALIFIERS = `${JOINT}(?:(?:${[...QUALIFIERS].join('|')})${JOINT})*`;
const EXPRESSIONS = Object.entries(words.designs.en).map(([design, phrases]) => {
  const alternatives = phrases.flatMap(expanded).map((phrase) =>
    phrase
      .split(' … ')
      .map((part) => part.replaceAll(' ', BETWEEN))
      .join(ANY_QUALIFIERS),
  );
  return { design, expression: new RegExp(`(?<!\\p{L})(?:${alternatives.join('|')})(?!\\p{L})`, 'iu') };
});

/** The designs that a text names, each once. */
export function findDesigns(text: string): NamedDesign[] {
  return EXPRESSIONS.flatMap(({ design, expression }) => {
    const found = expression.exec(text);
    return found ? [{ design, start: found.index, end: found.index + found[0].length }] : [];
  });
}

/** A design as a text prints it. */
export interface DesignPhrase {
  readonly phrase: string;
  readonly start: number;
}

/** Designs with all the words in front of them: "international, single-arm, phase 2 trial". */
export function findDesignPhrases(text: string): DesignPhrase[] {
  return [...phrasesIn(text)].filter(({ phrase }) => {
    const lower = phrase.toLowerCase();
    return TELLING.some((word) => lower.includes(word));
  });
}

/** Runs of qualifiers that end with the word for a study. */
function* phrasesIn(text: string): Generator<DesignPhrase> {
  let [start, end, behind] = [-1, -1, 0];
  const all = [...text.matchAll(/[\p{L}\d]+/gu)].map(({ 0: printed, index }) => ({
    word: printed.toLowerCase(),
    index,
    length: printed.length,
  }));
  for (const [at, { word, index, length }] of all.entries()) {
    const isHead = HEADS.has(word);
    const isJoined = start >= 0 && BETWEEN_WORDS.test(text.slice(behind, index));
    if (!isJoined && end >= 0) yield { phrase: text.slice(start, end), start };
    if (!isJoined) [start, end] = [-1, -1];
    if (isHead || QUALIFIERS.has(word)) {
      const isFirst = start < 0 && (!NOT_FIRST.has(word) || /^(?:vitro|vivo|series)$/.test(all[at + 1]?.word ?? ''));
      if (isFirst) start = index;
      behind = index + length;
      if (isHead && start >= 0) end = behind;
    } else {
      if (end >= 0) yield { phrase: text.slice(start, end), start };
      [start, end] = [-1, -1];
    }
  }
  if (end >= 0) yield { phrase: text.slice(start, end), start };
}
