/** What a quantity is a quantity of, as far as its sentence says. */
export interface Measured {
  /** "temperature", "mean age". */
  readonly property: string | null;
  /** "the samples", "participants". */
  readonly entity: string | null;
}

const NO_NOUN =
  /^(?:the|a|an|this|that|these|those|their|its|our|his|her|all|each|of|to|in|on|at|by|for|with|from|and|or|was|were|is|are|be|been|had|has|have|as|than|which|who|where|when|while|after|before|about|approximately|respectively|between|within|only|up|least|most|more|less|over|under|into|per)$/iu;
/** "temperature of 25 °C", "age was 54", "density = 3", "pH: 7". */
const BEFORE =
  /(?<!\p{L})(?<words>(?:\p{L}[\p{L}\d'’/-]{0,40}\s){0,3}\p{L}[\p{L}\d'’/-]{0,40})\s?\(?(?:of|was|were|is|are|=|:|≈|~|reached|equals?|ranged from|ranging from|averaged|at|to|by)\s{0,2}(?:approximately\s|about\s|around\s)?$/iu;
const OF =
  /^\s?(?:of|in|for)\s(?:the\s|a\s|an\s|all\s)?(?<words>(?:\p{L}[\p{L}\d'’/-]{0,40}\s){0,3}\p{L}[\p{L}\d'’/-]{0,40})/iu;
const BEHIND = /^\s?(?<words>(?:\p{L}[\p{L}\d'’/-]{0,40}\s){0,3}\p{L}[\p{L}\d'’/-]{0,40})/iu;

/** Reads what a quantity measures out of the words around it. */
export function measuredBy(sentence: string, start: number, end: number): Measured {
  const before = sentence.slice(Math.max(0, start - 70), start);
  const after = sentence.slice(end, end + 80);
  const named = nounEnd(BEFORE.exec(before)?.groups?.['words']);
  const whose = nounStart(OF.exec(after)?.groups?.['words']) ?? ownerOf(before);
  if (named !== null) return { property: named, entity: whose };
  return { property: null, entity: whose ?? nounStart(BEHIND.exec(after)?.groups?.['words']) };
}

/** "the temperature of the water was": the water. */
function ownerOf(before: string): string | null {
  const match =
    /\bof\s(?:the\s|a\s|an\s)?(?<words>(?:[\p{L}][\p{L}\d'’-]*\s){0,2}[\p{L}][\p{L}\d'’-]*)\s(?:was|were|is|are|reached|averaged|ranged)\s/iu.exec(
      before,
    );
  return nounStart(match?.groups?.['words']);
}

/** The last words of a phrase, back to a small word. */
function nounEnd(words: string | undefined): string | null {
  const kept: string[] = [];
  for (const word of (words ?? '').split(' ').toReversed()) {
    if (NO_NOUN.test(word) || word === '') break;
    kept.unshift(word);
  }
  return kept.length === 0 ? null : kept.join(' ');
}

/** The first words of a phrase, up to a small word. */
function nounStart(words: string | undefined): string | null {
  const kept: string[] = [];
  for (const word of (words ?? '').split(' ')) {
    if (NO_NOUN.test(word) || word === '' || kept.length === 3) break;
    kept.push(word);
  }
  return kept.length === 0 ? null : kept.join(' ');
}
