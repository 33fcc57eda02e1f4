import type { Quantity } from '../../base/index.ts';
import { quantitiesIn } from '../../base/index.ts';

/** Who or what is studied and counted. */
const STUDIED =
  /^(?:(?:out )?of (?:the )?[\d,]+ )?(?:\([^()]{1,20}\) )?(?:(?!(?:for|in|with|from|who|and|to|by|at|on|of|the|per|years?|days?|months?|weeks?|hours?|times?)\b)[\p{L}’'()/-]+,? ){0,5}?(?<noun>participants?|patients?|subjects?|volunteers?|individuals?|people|persons?|adults?|children|adolescents|infants|neonates|students?|women|men|females?|males?|girls|boys|cases?|workers?|nurses?|physicians|doctors|staff|employees|respondents?|residents|households?|families|donors?|recipients|samples?|specimens?|isolates?|strains?|animals?|mice|rats|dogs|cows|pigs|pups|birds|fish|plants?|trees|plots?|studies|trials|articles|papers|publications|hospitals?|centres|centers|schools|surgeries|species|records|records of patients|sequences|genomes|sites)(?![\p{L}-])/iu;
const NOUN_BEFORE =
  /(?:participants|patients|subjects|sample|animals|women|men|children|students)[^.;]{0,30}\(? ?n ?= ?$|\bsample size (?:was|is|of) $/i;
/** What makes a count one that was aimed at: "the required sample size was 384", "a sample size of 384 was required". */
const AIMED =
  /\b(?:required|calculated|minimum|minimal|estimated|target|recommended|planned|needed|necessary|feasibility) sample size (?:was|is|of) (?:at least )?$/i;
const WANTED = /^ (?:\p{L}+ ){0,5}?(?:required|needed|necessary|calculated|estimated|planned)\b/iu;
/** What stands before a year. */
const BEFORE_YEAR =
  /(?:\b(?:in|since|from|until|till|during|between|through|early|late|mid)|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?|\b(?:spring|summer|autumn|fall|winter)) $/i;

/** A count, and the noun it counts. */
interface Counted {
  readonly quantity: Quantity;
  readonly noun: string;
}

/** The largest count of a sentence of what is studied, with its noun: "251,277 participants". */
export function countIn(text: string): Counted | undefined {
  const { plain, quantities } = quantitiesIn(text);
  const counts = quantities.filter(
    ({ kind, value, text: written, start }) =>
      kind === 'count' &&
      Number.isInteger(value) &&
      value > 1 &&
      !(/^(?:19|20)\d\d$/.test(written) && BEFORE_YEAR.test(plain.slice(0, start))),
  );
  const counted = counts.flatMap((quantity): Counted[] => {
    const after = plain.slice(quantity.start + quantity.text.length);
    const before = plain.slice(0, quantity.start);
    if (AIMED.test(before) || (/\bsample size of $/i.test(before) && WANTED.test(after))) return [];
    const noun = STUDIED.exec(after.trimStart())?.groups?.['noun'];
    if (noun !== undefined && !isWholeOfPart(quantity, counts, plain)) return [{ quantity, noun }];
    return NOUN_BEFORE.test(before) ? [{ quantity, noun: '' }] : [];
  });
  return counted.sort((one, other) => other.quantity.value - one.quantity.value)[0];
}

/** Whether a number is the 193 of "153 of 193 staff". */
function isWholeOfPart({ start }: Quantity, counts: readonly Quantity[], text: string): boolean {
  return counts.some((part) => /^ (?:out )?of (?:the )?$/.test(text.slice(part.start + part.text.length, start)));
}

/** A number in digits, as printed where it is: "153", "12,345"; spelled ones and "1.5 million" are written out. */
export function digitsOf({ text, value }: Quantity): string {
  const isScaled = /^\d+(?:\.\d+)?$/.test(text.trim()) && Number(text) !== value;
  return isScaled || /^\p{L}/u.test(text) ? String(value) : text.trim();
}
