import type { Stretch } from './reading.ts';
import { readUnit } from './units.ts';

export interface Measured {
  /** "temperature", "mean age". */
  readonly property: Stretch | null;
  /** "the samples", "participants". */
  readonly entity: Stretch | null;
}

const NO_NOUN =
  /^(?:the|a|an|this|that|these|those|their|its|our|his|her|all|each|of|to|in|on|at|by|for|with|from|and|or|was|were|is|are|be|been|had|has|have|as|than|which|who|where|when|while|after|before|about|approximately|respectively|between|within|only|up|least|most|more|less|over|under|into|per|using|about|around|also|not|we|it|they|used|found|observed|performed|measured|followed|ranged|ranging|set|increased|decreased|reduced|only|near|during|until|since|both|other|another|such|but|can|could|may|will|would)$/iu;
/** "temperature of 25 °C", "age was 54", "density = 3", "pH: 7". */
const NAMED =
  /(?<!\p{L})(?<words>(?:\p{L}[\p{L}\d'’/-]{0,40}\s){0,3}\p{L}[\p{L}\d'’/-]{0,40})\s?(?:\([^()]{1,12}\)\s?)?\(?(?:of|was|were|is|are|=|:|≈|~|reached|equals?|ranged from|ranging from|ranges? from|averaged|averaging|at|to|by|between|from|exceed(?:s|ed|ing)?|below|above|over|under|than)\s{0,2}(?:approximately\s|about\s|around\s|only\s)?$/iu;
/** "mean age 54.8 years", "score ≥16", "n = 35", "wavelength 280 nm": the noun comes directly before. */
const DIRECTLY = /(?<!\p{L})(?<words>(?:\p{L}[\p{L}\d'’/-]{0,40}\s){0,3}\p{L}[\p{L}\d'’/-]{0,40})\s?$/iu;
/** "thymol (47.59%)", "(thymol, 47.59%)". */
const BRACKETED =
  /(?<!\p{L})(?<words>(?:\p{L}[\p{L}\d'’/-]{0,40}\s){0,3}\p{L}[\p{L}\d'’/-]{0,40})\s?[([](?:about |approximately |ca\.? |~|≈|up to |mean |n\s?=\s?)?$/iu;
const OF =
  /^\s?(?:of|in|for)\s(?:the\s|a\s|an\s|all\s|these\s|our\s)?(?<words>(?:\p{L}[\p{L}\d'’/-]{0,40}\s){0,3}\p{L}[\p{L}\d'’/-]{0,40})/iu;
const BEHIND = /^[\s-]?(?<words>(?:\p{L}[\p{L}\d'’/-]{0,40}\s){0,3}\p{L}[\p{L}\d'’/-]{0,40})/iu;
/** "20 m thick", "at 5 km altitude": the dimension follows. */
const DIMENSION =
  /^[\s-](?:in\s)?(?<words>thick(?:ness)?|long|length|wide|width|deep|depth|high|height|tall|diameter|radius|altitude|distance|old|period|interval|apart|above sea level)(?!\p{L})/iu;
/** The owner in front of "of the water": "the temperature of the water was". */
const OWNED =
  /(?<!\p{L})(?<words>(?:\p{L}[\p{L}\d'’/-]{0,40}\s){0,3}\p{L}[\p{L}\d'’/-]{0,40})\s(?:of|in|for)\s(?:the\s|a\s|an\s|all\s|these\s|our\s)?$/iu;
/** The subject of the sentence: "The samples were heated to 300 °C." */
const SUBJECT =
  /^(?:The|These|This|A|An|All|Our|In|For)?\s?(?<words>(?:\p{L}[\p{L}\d'’/-]{0,40}\s){0,3}\p{L}[\p{L}\d'’/-]{0,40})\s(?:was|were|is|are|had|has|have|showed?|shows|can|could|did|contained?|contains)\s/u;

/** Finds property and entity of a quantity in the words around it; `share` is true for percentages and counts. */
export function measuredBy(sentence: string, { start, end }: Stretch, share: boolean): Measured {
  const from = Math.max(0, start - 90);
  const before = sentence.slice(from, start);
  const after = sentence.slice(end, end + 80);
  const dimension = nounStart(DIMENSION.exec(after), end);
  if (dimension)
    return {
      property: dimension,
      entity: nounStart(BEHIND.exec(sentence.slice(dimension.end, dimension.end + 80)), dimension.end),
    };
  const inside = nounEnd(BRACKETED.exec(before), from);
  if (inside) {
    const whose = nounStart(OF.exec(after), end);
    return share && !whose ? { property: null, entity: inside } : { property: inside, entity: whose };
  }
  const noun = nounEnd(NAMED.exec(before), from) ?? (share ? null : nounEnd(DIRECTLY.exec(before), from));
  const named = noun && isUnit(sentence, noun) ? null : noun;
  const whose = nounStart(OF.exec(after), end);
  const at = Math.max(0, (named?.start ?? 0) - 80);
  const owned = named && nounEnd(OWNED.exec(sentence.slice(at, named.start)), at);
  if (owned) return { property: owned, entity: named };
  const behind = nounStart(BEHIND.exec(after), end);
  const entity = whose ?? (named ? null : behind);
  return { property: named, entity: entity ?? subjectOf(sentence, { start, end }) };
}

/** "3 h at 80 °C": the word in front is the unit of another number. */
function isUnit(sentence: string, { start, end }: Stretch): boolean {
  const word = sentence.slice(start, end);
  return /\d\s?$/.test(sentence.slice(0, start)) && readUnit(word)?.length === word.length;
}

function subjectOf(sentence: string, before: Stretch): Stretch | null {
  const found = nounEnd(SUBJECT.exec(sentence), 0);
  return found && found.end <= before.start ? found : null;
}

/** The last words of a phrase, back to a small word. */
function nounEnd(match: RegExpExecArray | null, from: number): Stretch | null {
  const words = match?.groups?.['words'];
  if (!match || words === undefined) return null;
  const at = from + match.index + match[0].indexOf(words);
  let start = at + words.length;
  const end = start;
  for (const word of words.split(/\s/).toReversed()) {
    if (NO_NOUN.test(word) || word === '') break;
    start -= word.length + (start === end ? 0 : 1);
  }
  return start === end ? null : { start, end };
}

/** The first words of a phrase, up to a small word. */
function nounStart(match: RegExpExecArray | null, from: number): Stretch | null {
  const words = match?.groups?.['words'];
  if (!match || words === undefined) return null;
  const start = from + match.index + match[0].indexOf(words);
  let end = start;
  for (const word of words.split(/\s/).slice(0, 3)) {
    if (NO_NOUN.test(word) || word === '') break;
    end += word.length + (start === end ? 0 : 1);
  }
  return start === end ? null : { start, end };
}
