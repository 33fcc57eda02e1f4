import { foldCase, lettersOf } from '../../base/index.ts';
import type { EntityKind } from '../schema.ts';

const GREEK: Readonly<Record<string, string>> = {
  α: 'alpha',
  β: 'beta',
  γ: 'gamma',
  δ: 'delta',
  ε: 'epsilon',
  ζ: 'zeta',
  η: 'eta',
  θ: 'theta',
  ι: 'iota',
  κ: 'kappa',
  λ: 'lambda',
  μ: 'mu',
  ν: 'nu',
  ξ: 'xi',
  ο: 'omicron',
  π: 'pi',
  ρ: 'rho',
  σ: 'sigma',
  ς: 'sigma',
  τ: 'tau',
  υ: 'upsilon',
  φ: 'phi',
  ϕ: 'phi',
  χ: 'chi',
  ψ: 'psi',
  ω: 'omega',
  ß: 'beta',
  µ: 'mu',
};

/**
 * The name under which an entity is one across papers: lower case without accents, Greek letters spelt, hyphens as
 * spaces, the last word in the singular, but not in names of places and organisations. "TNF-α" and "TNF alpha" are one name; "IL-6" and "IL6" too.
 */
export function entityName(printed: string, kind?: EntityKind): string {
  const isProper = kind === 'place' || kind === 'organisation';
  const folded = foldCase(
    (isProper ? printed : singular(printed)).replaceAll(/[\u{370}-\u{3ff}µß]/gu, (letter) => spelt(letter)),
  );
  return (
    folded
      // "Parkinson's disease" is "Parkinson disease".
      .replaceAll(/[’']s\b/g, '')
      .replaceAll(BRITISH, (found) => AMERICAN[found] ?? found)
      .replaceAll(/(?<=\d)[,.](?=\d)/g, '_')
      .replaceAll(/[^\p{L}\p{N}_+*]+/gu, ' ')
      .trim()
      // "il 6" is "il6" and "covid 19" is "covid19": a number belongs to the short name before it.
      .replaceAll(/(?<=(?<!\p{L})\p{L}{1,6}) (?=\d)/gu, '')
      // "papilloma virus" is "papillomavirus".
      .replace(/(?<=\p{Ll}) virus$/u, 'virus')
  );
}

/** Spellings of one word in names of diseases and chemicals. */
const AMERICAN: Readonly<Record<string, string>> = {
  sulph: 'sulf',
  tumour: 'tumor',
  haem: 'hem',
  aemi: 'emi',
  oedem: 'edem',
  oesoph: 'esoph',
  oestr: 'estr',
  paediatr: 'pediatr',
  anaesth: 'anesth',
  diarrhoea: 'diarrhea',
};
const BRITISH = new RegExp(Object.keys(AMERICAN).join('|'), 'g');

function spelt(letter: string): string {
  const name = GREEK[letter] ?? GREEK[letter.toLowerCase()];
  return name === undefined ? letter : ` ${name} `;
}

/** Singular words that end like plurals; others that do end in ss, us, is, as, os or ics. */
const NO_PLURAL =
  /(?:[suiao]s|ics|diabetes|herpes|rabies|scabies|caries|species|series|ascites|f[a]?eces|measles|mumps|lens|sepsis)$/;

/** Only what is a plural in nearly every word: "proteins", "studies", "viruses"; not "AIDS", nor a species. */
function singular(printed: string): string {
  if (!/\p{Ll}{3}s$/u.test(printed) || SPECIES.test(printed)) return printed;
  if (/uses$|oes$|sses$|xes$/.test(printed)) return printed.slice(0, -2);
  if (NO_PLURAL.test(printed.toLowerCase()) && !/(?:omas|algias|emias)$/.test(printed)) return printed;
  return printed.endsWith('ies') ? `${printed.slice(0, -3)}y` : printed.slice(0, -1);
}

/** Genus and epithet with the ending of one, as in "Streptococcus pyogenes", "C. elegans", or a genus alone: "Aedes". */
const SPECIES = /^\p{Lu}(?:\p{Ll}*(?:yces|edes|eles|ixodes)|(?:\p{Ll}+ |\. ?)\p{Ll}*(?:[aei]ns|(?<!as)[^s]es|ps|rs))$/u;

/** "E. coli" of "Escherichia coli": the letter of the genus and the epithet. Undefined for other names. */
export function speciesInitial(printed: string): string | undefined {
  const found = /^(\p{Lu})\p{Ll}+ (\p{Ll}{3,}(?:-\p{Ll}+)?)(?=$|\s)/u.exec(printed);
  return found ? `${found[1]}. ${found[2]}` : undefined;
}

/** The initial form itself: "E. coli", "E.coli", "C. v. vinifera" is none. */
export function shortSpecies(printed: string): string | undefined {
  const found = /^(\p{Lu})\.\s?(\p{Ll}{3,}(?:-\p{Ll}+)?)(?=$|\s)/u.exec(printed);
  return found ? `${found[1]}. ${found[2]}` : undefined;
}

/** "IL-6" is no short form of "IL-1β". */
export function hasSameNumbers(short: string, long: string): boolean {
  const numbersIn = (text: string): readonly string[] => text.match(/\d+/g) ?? [];
  const [of, inLong] = [numbersIn(short), numbersIn(long)];
  return inLong.length === 0 || of.every((number) => inLong.includes(number));
}

/** "RICE = rituximab, ifosfamide": the list of what it stands for is cut, so that its letters are not all there. */
export function hasLetters(long: string, short: string): boolean {
  const letters = lettersOf(short).split('');
  let from = 0;
  return (
    foldCase(short).startsWith(foldCase(long).slice(0, 1)) &&
    letters.every((letter) => {
      from = lettersOf(long).indexOf(letter, from) + 1;
      return from > 0;
    })
  );
}
