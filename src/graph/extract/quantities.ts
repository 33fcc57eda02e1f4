import type { Stretch } from '../../parse/index.ts';
import type { PrintedNumber, Unit } from './units.ts';
import { findNumbers, readUnit } from './units.ts';

export interface Quantity extends Stretch {
  readonly values: readonly number[];
  readonly shape: 'value' | 'range' | 'list';
  /** Undefined for bare numbers and counts. */
  readonly unit: Unit | undefined;
  /** What is counted: "participants". */
  readonly counted: string | undefined;
  /** The words before it: "approximately", "less than", "≥". */
  readonly modifier: string;
  /** The values in base units. */
  readonly normal: readonly number[];
  /** The tolerances (± 2) in the printed unit. */
  readonly uncertainty?: readonly number[];
}

export const QUANTITY_VERSION = 8;

interface Piece extends PrintedNumber {
  readonly unit: Unit | undefined;
  readonly unitEnd: number;
}

const MODIFIER =
  /(?:(?:\b(?:approximately|approx\.?|about|around|roughly|nearly|almost|circa|ca\.?|c\.|up ?to|at least|at most|less than|more than|greater than|fewer than|lower than|higher than|below|above|over|under|between|from|within|only|some|exceeding|an average of|a mean of|average of|mean of|minimum of|maximum of|total of)\s?)|[~∼≈≃<>≤≥≲≳⩽⩾±]\s?){1,3}$/iu;
const RANGE = /^\s?(?:[-–—−‐]|to|and|up to|\.\.\.|…)\s?(?:[~∼≈<>≤≥]\s?)?$/iu;
const LIST = /^(?:,|,? (?:and|or)|,? respectively)\s$/u;
const TOLERANCE = /^\s?(?:±|\+\/-|\+\/−|\+−)\s?$/u;

/** Finds the quantities of a text. Numbers in names, labels and years (Figure 2, H2O, [14], 2011) do not count. */
export function findQuantities(text: string): Quantity[] {
  const pieces = findNumbers(text).map((number) => withUnit(text, number));
  const found: Quantity[] = [];
  for (let at = 0; at < pieces.length; at += 1) {
    const first = pieces[at];
    if (!first || isNamePart(text, first)) continue;
    const group = groupFrom(text, pieces, at);
    at += group.length - 1;
    const quantity = judge(text, group);
    if (quantity) found.push(quantity);
  }
  return found;
}

function withUnit(text: string, number: PrintedNumber): Piece {
  const rest = text.slice(number.end, number.end + 40);
  // "(28 ± 2) °C": the unit is behind the bracket.
  const bracket = /[(]\s?[\d.,\s±+–−-]*$/u.test(text.slice(Math.max(0, number.start - 24), number.start));
  const gap =
    (bracket ? /^(?:\)?[\s\u00a0\u2009\u202f]|[-‐])?/u : /^(?:[\s\u00a0\u2009\u202f]|[-‐])?/u).exec(rest)?.[0] ?? '';
  const read = readUnit(rest.slice(gap.length));
  const letter = read && /^[A-Z]$/u.test(read.unit.text);
  // "13C" and "2D" are names; a single capital letter is a unit only behind a space.
  const glued = gap === '' && letter;
  if (!read || glued) return { ...number, unit: undefined, unitEnd: number.end };
  return { ...number, unit: read.unit, unitEnd: number.end + gap.length + read.length };
}

/** A number and those that belong to it: the other end of a range, a tolerance, values of a list with one unit. */
function groupFrom(text: string, pieces: readonly Piece[], from: number): Piece[] {
  const first = pieces[from];
  if (!first) return [];
  const group = [first];
  for (let at = from + 1; at < pieces.length && group.length < 12; at += 1) {
    const last = group.at(-1);
    const next = pieces[at];
    if (!last || !next) break;
    const between = text.slice(last.unitEnd, next.start);
    const sameUnit = last.unit === undefined || next.unit === undefined || last.unit.base === next.unit.base;
    const and = /^\s?and\s$/.test(between);
    const bound = /\bbetween\s(?:[~∼≈<>≤≥]\s?)?$/iu.test(text.slice(Math.max(0, first.start - 14), first.start));
    if (TOLERANCE.test(between) || (RANGE.test(between) && sameUnit && (!and || (bound && group.length === 1))))
      group.push(next);
    else if (LIST.test(between) && last.unit === undefined && listEnds(text, pieces, at)) group.push(next);
    else break;
  }
  return group;
}

/** Whether a list of bare values ends in one with a unit: "1, 2 and 3 mm". */
function listEnds(text: string, pieces: readonly Piece[], at: number): boolean {
  for (let next = at; next < Math.min(pieces.length, at + 12); next += 1) {
    const piece = pieces[next];
    if (piece?.unit !== undefined) return !piece.spelt;
    const following = pieces[next + 1];
    if (!piece || !following || !LIST.test(text.slice(piece.unitEnd, following.start))) return false;
  }
  return false;
}

function judge(text: string, group: readonly Piece[]): Quantity | undefined {
  const [first] = group;
  const last = group.at(-1);
  if (!first || !last) return undefined;
  const unit = group.find((piece) => piece.unit !== undefined)?.unit;
  const before = text.slice(Math.max(0, first.start - 40), first.start);
  const after = text.slice(last.unitEnd, last.unitEnd + 60);
  if (NUMBERED.test(before)) return undefined;
  const counted = unit === undefined ? countedNoun(after) : undefined;
  if (unit === undefined && !isBareQuantity(text, group, counted)) return undefined;
  const modifier = MODIFIER.exec(before)?.[0] ?? '';
  // "28 ± 2 °C" is one value with a tolerance.
  const isTolerance = group.map(
    (piece, at) => at > 0 && TOLERANCE.test(text.slice(group[at - 1]?.unitEnd, piece.start)),
  );
  const values = group.filter((_, at) => !isTolerance[at]).map((piece) => piece.value);
  const tolerances = group.filter((_, at) => isTolerance[at]).map((piece) => piece.value);
  const between = text.slice(group.at(-2)?.unitEnd, last.start);
  return {
    start: first.start - modifier.length,
    end: last.unitEnd,
    values,
    shape: values.length === 1 ? 'value' : values.length === 2 && !LIST.test(between) ? 'range' : 'list',
    unit,
    counted,
    modifier: modifier.trim().toLowerCase(),
    normal: unit ? values.map((value) => Number((value * unit.factor + unit.offset).toPrecision(12))) : values,
    ...(tolerances.length > 0 && { uncertainty: tolerances }),
  };
}

/** Whether a number is part of a name (H2O, NBS-19, 22/10a-4, δ13C, IL-6) or a power (cm−2). */
function isNamePart(text: string, piece: Piece): boolean {
  const before = text.slice(Math.max(0, piece.start - 40), piece.start);
  const after = text.slice(piece.unitEnd, piece.unitEnd + 12);
  if (/[\p{L}\d_)\]][-‐–−⁻/.]?$/u.test(before) || /\p{L}[−⁻]\s$/u.test(before)) return true;
  if (/(?:^|\s)[#№@]$/u.test(before) || /(?:https?:|doi|www\.)\S*$/iu.test(before)) return true;
  if (piece.unit === undefined)
    return (
      /^[\p{L}_]/u.test(after) ||
      /^[-‐]\p{L}/u.test(after) ||
      /^[/:]\d/.test(after) ||
      /^(?:[,'′’]\d{1,2}){1,3}['′’]?-/.test(after) ||
      /^(?:st|nd|rd|th)\b/.test(after)
    );
  // "2006b" and "8d" are names of things in a list.
  return /^\d{1,4}[a-z]$/.test(text.slice(piece.start, piece.unitEnd)) && (piece.value > 1500 || NUMBERED.test(before));
}

/** Words with a list of numbers: "Figs. 2 and", "Tables 1, 2 and". */
const NUMBERED =
  /\b(?:fig(?:ure)?s?|tab(?:le)?s?|eqs?|eqns?|equations?|refs?|references?|sect?(?:ion)?s?|chap(?:ter)?s?|listing|scheme|appendix|phases?|stages?|steps?|grades?|types?|class(?:es)?|models?|codes?|panels?|lines?|samples?|experiments?|days? post)\.?\s?\(?(?:[\p{Lu}]?\d{1,6}[a-z]?(?:,?\sand\s|,?\sor\s|\sto\s|\s?[-–,&]\s?)){0,12}[\p{Lu}]?$/iu;
const LABELS =
  /\b(?:fig(?:ure)?s?|tab(?:le)?s?|eqs?|eqn|equations?|refs?|references?|sec(?:tion)?s?|chap(?:ter)?s?|appendix|supplement(?:ary)?(?: \w+)?|phases?|stages?|steps?|grades?|types?|class|groups?|models?|codes?|no|nos|nr|number|version|v|vol|part|page|pp?|panels?|lines?|cases?|samples?|experiments?|trials?|stud(?:y|ies)|items?|questions?|schemes?|examples?|notes?|box|level|lane|chromosomes?|scenario|rule|theorem|lemma|algorithm|task|layer|cluster|zone|site|plot|run|batch|patients?|subjects?|grant|award|issue|january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn|winter|in|since|during|until|year)\.?\s?\(?[\p{Lu}]?$/iu;
const VALUED =
  /(?:[=<>≤≥~∼≈≲≳:±]|\b(?:of|was|were|is|are|be|been|to|from|between|than|by|about|around|approximately|least|most|averag(?:e|ed|ing)|reached|equals?|equal to|rang(?:ed|ing|es)|and|or|at|near|exceed(?:s|ed|ing)?|value|score|ratio|mean|median|index|factor|nearly|almost|over|below|above|under|roughly|only|with|up to|set to))\s?\(?$/iu;
const NO_NOUN: ReadonlySet<string> = new Set(
  'is was has as its this thus does us yes plus minus versus across towards always perhaps besides unless less these those the of in and or to for with from at by on that which were are be than'.split(
    ' ',
  ),
);
const PEOPLE =
  /^(?:men|women|children|people|mice|male|female|persons|cattle|sheep|fish|species|series|data|teeth|feet|bacteria|criteria|phenomena|taxa)$/;

/** The noun that a number counts: a plural within the next three words. */
function countedNoun(after: string): string | undefined {
  const words = /^[\s\u00a0](?<words>[\p{L}-]+(?:\s[\p{L}-]+){0,3})/u.exec(after)?.groups?.['words']?.split(/\s/) ?? [];
  for (const [at, word] of words.slice(0, 4).entries()) {
    if (NO_NOUN.has(word.toLowerCase())) return undefined;
    if (PEOPLE.test(word) || (/^\p{Ll}[\p{L}-]{2,}s$/u.test(word) && !/(?:ss|us|is|ous)$/.test(word)))
      return words.slice(0, at + 1).join(' ');
  }
  return undefined;
}

function isBareQuantity(text: string, group: readonly Piece[], counted: string | undefined): boolean {
  const [first, last] = [group[0], group.at(-1)];
  if (!first || !last) return false;
  const before = text.slice(Math.max(0, first.start - 40), first.start);
  const after = text.slice(last.unitEnd, last.unitEnd + 60);
  if (first.spelt && first.value === 1) return /\b(?:at least|only|more than|less than|exactly)\s$/iu.test(before);
  if (first.spelt) return counted !== undefined && !/\b(?:these|those|other|all|both)\s$/iu.test(before);
  if (LABELS.test(before)) return false;
  const isYear = group.every(
    ({ value, start, end }) => end - start === 4 && Number.isInteger(value) && value >= 1500 && value <= 2100,
  );
  if (isYear)
    return (
      counted !== undefined &&
      !/^\s(?:and|to)\b/.test(after) &&
      !/\b(?:in|since|by|from|until|to|of|and|et al\.,?|,)\s?\(?$/iu.test(before)
    );
  // "Exclusion: 1. Patients who …": the first of a numbered list.
  if (/[:;.]\s{0,2}\(?$/u.test(before) && /^[.)](?:\s|$)/u.test(after)) return false;
  // A number alone in brackets is a citation.
  if (/[[(](?:[\d,;–\-\s]|refs?\.?)*$/iu.test(before) && /^(?:[\d,;–\-\s])*[\])]/.test(after)) return false;
  // A decimal number in front of a word is a value, whatever the language: "21.1 единиц".
  const isDecimal = /\d\.\d/.test(text.slice(first.start, last.end));
  return counted !== undefined || (isDecimal && /^\s\p{L}/u.test(after)) || VALUED.test(before);
}

const SMALL_WORD =
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

/** Finds property ("mean age") and entity ("the samples"); `share` is true for percentages and counts. */
export function measuredBy(sentence: string, { start, end }: Stretch, share: boolean) {
  const from = Math.max(0, start - 90);
  const before = sentence.slice(from, start);
  const after = sentence.slice(end, end + 80);
  const dimension = nounAt('start', DIMENSION.exec(after), end);
  if (dimension)
    return {
      property: dimension,
      entity: nounAt('start', BEHIND.exec(sentence.slice(dimension.end, dimension.end + 80)), dimension.end),
    };
  const inside = nounAt('end', BRACKETED.exec(before), from);
  if (inside) {
    const whose = nounAt('start', OF.exec(after), end);
    return share && !whose ? { property: null, entity: inside } : { property: inside, entity: whose };
  }
  const noun = nounAt('end', NAMED.exec(before), from) ?? (share ? null : nounAt('end', DIRECTLY.exec(before), from));
  const named = noun && isUnit(sentence, noun) ? null : noun;
  const whose = nounAt('start', OF.exec(after), end);
  const at = Math.max(0, (named?.start ?? 0) - 80);
  const owned = named && nounAt('end', OWNED.exec(sentence.slice(at, named.start)), at);
  if (owned) return { property: owned, entity: named };
  const behind = nounAt('start', BEHIND.exec(after), end);
  const entity = whose ?? (named ? null : behind);
  return { property: named, entity: entity ?? subjectOf(sentence, { start, end }) };
}

/** "3 h at 80 °C": the word in front is the unit of another number. */
function isUnit(sentence: string, { start, end }: Stretch): boolean {
  const word = sentence.slice(start, end);
  return /\d\s?$/.test(sentence.slice(0, start)) && readUnit(word)?.length === word.length;
}

function subjectOf(sentence: string, before: Stretch): Stretch | null {
  const found = nounAt('end', SUBJECT.exec(sentence), 0);
  return found && found.end <= before.start ? found : null;
}

/** The words at the start (at most three) or at the end of a phrase, as far as a small word. */
function nounAt(side: 'start' | 'end', match: RegExpExecArray | null, from: number): Stretch | null {
  const phrase = match?.groups?.['words'];
  if (!match || phrase === undefined) return null;
  const words = side === 'start' ? phrase.split(/\s/).slice(0, 3) : phrase.split(/\s/).toReversed();
  const small = words.findIndex((word) => word === '' || SMALL_WORD.test(word));
  const { length } = words.slice(0, small < 0 ? undefined : small).join(' ');
  if (length === 0) return null;
  const start = from + match.index + match[0].indexOf(phrase) + (side === 'start' ? 0 : phrase.length - length);
  return { start, end: start + length };
}
