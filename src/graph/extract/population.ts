import { alternatives } from '../names/alternatives.ts';
import { termId } from './facts.ts';
import words from './population-words.json' with { type: 'json' };
import type { Reading, Statements } from './reading.ts';

// Whom a paper studied and how many, from sentences that say that they were taken in: "122 children with nephrotic syndrome
// were enrolled". Numbers of parts, and of what other papers studied, are left out as far as the sentence shows it.

const METHOD = { name: 'population-form', version: 1 };

const PEOPLE = `(?:${alternatives(words.people.en)})`;
const TAKEN = `(?:${alternatives(words.taken.en)})`;
const COUNT = '(?<count>\\d{1,3}(?:[,\\u2009\\u202f ]\\d{3})+|\\d{1,7})';
/** "consecutive adult patients with nephrotic syndrome", "health care workers". */
const NO_PEOPLE = '(?:during|this|that|on|in|of|at|by|for|among|between|with|the|is|are|was|were|measures?|and|or)';
const WHO = `(?<who>(?:(?!${NO_PEOPLE} )[\\p{L}][\\p{L}’'-]* ){0,5}?${PEOPLE}(?![\\p{L}-])(?: (?:with|aged|undergoing|receiving|treated|admitted|diagnosed|living|working|from|of|in|who had|infected) [^,.;:()]{3,70}?)?)`;
/** "122 children were enrolled", "A total of 49 patients (25 men) were randomly assigned". */
const WERE_TAKEN = new RegExp(
  `(?<![\\p{L}\\d.,/-])${COUNT} ${WHO},?(?: \\([^()]{1,80}\\))?,? (?:(?:who|that) [^,.;]{3,60} )?(?:(?:were|was|had been|have been) )?(?:\\p{Ll}+ly )?${TAKEN}(?!\\p{L})`,
  'iu',
);
/** "we enrolled 122 children", "the study included 122 women with breast cancer". */
const TOOK = new RegExp(
  `(?<!\\p{L})(?:we|(?:this|our|the|present) (?:study|trial|analysis|survey|cohort|sample|review|meta-analysis)) (?:\\p{Ll}+ly )?(?:enrolled|included|recruited|randomi[sz]ed|studied|analy[sz]ed|surveyed|examined|interviewed|screened|comprised|involved|identified) (?:a total of |data (?:of|from) |over |more than |about )?${COUNT} ${WHO}(?=[,.;:()]| (?:and|between|at|from|who|to|in|during|with|were|was)|$)`,
  'iu',
);
/** A part of those whom the study took in: "including 2 workers", "of the 32 patients". */
const PART =
  /(?<!\p{L})(?:including|for the|the|all|other|only|these|those|another|further|remaining|first|last|and|I) $|\d,? (?:(?:out )?of )?$/iu;
/** A study knows how many it took in; a report of an epidemic estimates. */
const ABOUT =
  /(?:about|around|approximately|roughly|nearly|almost|(?:fewer|less|more) than|over|up to|at least|estimated|~|≈) $/iu;
/** Families of genes and of plants. */
const NO_HOUSEHOLD =
  /\b(?:genes?|proteins?|domains?|transcripts?|transcription|TFs?|clades?|genera|genus|species|taxa|taxon|superfamil\p{L}+|subfamil\p{L}+|repeats?|bp)\b/iu;
const OTHERS =
  /et al|\[\d|\bin (?:a|an|one|another) (?:[\p{L}-]+ ){0,4}(?:study|trial|survey|report)\b|\b(?:previous|earlier|other|another|separate|recent) (?:study|studies|trial|report)|\b(?:group|arm|of (?:them|these|whom|which|the))\b/iu;

/** Whom a sentence says a study took in, and how many. */
export interface Population {
  readonly who: string;
  readonly count: number;
  readonly start: number;
}

/** Whom a sentence says that the study took in. */
export function findPopulation(sentence: string): Population | undefined {
  const found = WERE_TAKEN.exec(sentence) ?? TOOK.exec(sentence);
  if (!found?.groups || OTHERS.test(sentence.slice(0, found.index + found[0].length))) return undefined;
  if (PART.test(sentence.slice(0, found.index)) || ABOUT.test(sentence.slice(0, found.index))) return undefined;
  if (/families/iu.test(found.groups['who'] ?? '') && NO_HOUSEHOLD.test(sentence)) return undefined;
  // Records that a search found, and cases that a time brought, were not yet taken in.
  if (
    /^(?:studies|trials|cases)|(?:studies|trials|cases)$/iu.test(found.groups['who'] ?? '') &&
    /identified$/iu.test(found[0])
  )
    return undefined;
  const count = Number((found.groups['count'] ?? '').replaceAll(/\D/g, ''));
  const who = (found.groups['who'] ?? '')
    .replace(/^(?:consecutive|eligible|total|the|of|all|unique|different|separate|new) /iu, '')
    .replace(/ (?:and|or|in|of|from|with|to|at|were|was)$/iu, '')
    .trim();
  return count > 1 &&
    who !== '' &&
    !/^(?:million|billion|thousand)/iu.test(who) &&
    !/^ (?:as|the|an?) /iu.test(sentence.slice(found.index + found[0].length))
    ? { who, count, start: found.index }
    : undefined;
}

/** Says whom the paper studied, each with the sentence. */
export function extractPopulation(reading: Reading, say: Statements): void {
  for (const { block, section, sentences } of reading.prose) {
    if (/introduction|background|discussion|related work|limitations/iu.test(section ?? '')) continue;
    for (const stretch of sentences) {
      const found = findPopulation(block.text.slice(stretch.start, stretch.end));
      if (!found) continue;
      const target = say.node('population', `name:${termId(found.who)}`, found.who);
      const detail = { at: stretch.start + found.start, count: found.count, section };
      say.edge({ kind: 'studies', target }, { block: block.order, stretch }, METHOD, detail);
    }
  }
}
