import type { Quantity } from '../../base/index.ts';
import { quantitiesIn } from '../../base/index.ts';

/** Who or what is studied and counted. */
const STUDIED =
  /^(?:(?:out )?of (?:the )?[\d,]+ )?(?:\([^()]{1,20}\) )?(?:(?!(?:for|in|with|from|who|and|to|by|at|on|of|the|per|years?|days?|months?|weeks?|hours?|times?)\b)[\p{L}’'()/-]+,? ){0,5}?(?<noun>participants?|patients?|subjects?|volunteers?|individuals?|people|persons?|adults?|children|adolescents|infants|neonates|students?|women|men|females?|males?|girls|boys|cases?|workers?|nurses?|physicians|doctors|staff|employees|respondents?|residents|households?|families|donors?|recipients|samples?|specimens?|isolates?|strains?|animals?|mice|rats|dogs|cows|pigs|pups|birds|fish|plants?|trees|plots?|studies|trials|articles|papers|publications|hospitals?|centres|centers|schools|surgeries|species|records|records of patients|sequences|genomes|sites)(?![\p{L}-])/iu;
const NOUN_BEFORE =
  /(?:participants|patients|subjects|sample|animals|women|men|children|students)[^.;]{0,30}\(? ?n ?= ?$|\bsample size (?:was|is|of) $/i;

/** A count, and the noun it counts. */
interface Counted {
  readonly quantity: Quantity;
  readonly noun: string;
}

/** The largest count of a sentence of what is studied, with its noun: "251,277 participants". */
export function countIn(text: string): Counted | undefined {
  const { plain, quantities } = quantitiesIn(text);
  const counts = quantities.filter(({ kind, value }) => kind === 'count' && Number.isInteger(value) && value > 1);
  const counted = counts.flatMap((quantity): Counted[] => {
    const noun = STUDIED.exec(plain.slice(quantity.start + quantity.text.length).trimStart())?.groups?.['noun'];
    if (noun !== undefined && !isWholeOfPart(quantity, counts, plain)) return [{ quantity, noun }];
    return NOUN_BEFORE.test(plain.slice(0, quantity.start)) ? [{ quantity, noun: '' }] : [];
  });
  return counted.sort((one, other) => other.quantity.value - one.quantity.value)[0];
}

/** Whether a number is the 193 of "153 of 193 staff". */
function isWholeOfPart({ start }: Quantity, counts: readonly Quantity[], text: string): boolean {
  return counts.some((part) => /^ (?:out )?of (?:the )?$/.test(text.slice(part.start + part.text.length, start)));
}
