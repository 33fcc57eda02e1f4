import type { Stretch } from '../../parse/index.ts';
import { hasLetters } from './entity-names.ts';

// What of a stretch that the tagger calls a gene or protein is its name, and which of these name none.

/** The name without signs of a list, counts, words that say how it was made, and "gene" behind a symbol. */
export function bareGene(printed: string): Stretch {
  let end = printed.length;
  for (const tail of TAILS) end -= tail.exec(printed.slice(0, end))?.[0].length ?? 0;
  end -= kindBehind(printed.slice(0, end)).length;
  let start = 0;
  // "MCP monocyte chemoattractant protein" of a list of abbreviations.
  const [, short = '', long = ''] = /^(\p{Lu}[\p{L}\d]{1,6}) (\p{L}.*)$/u.exec(printed.slice(0, end)) ?? [];
  if (short !== '' && hasLetters(long, short)) start = end - long.length;
  for (const head of HEADS) start += head.exec(printed.slice(start, end))?.[0].length ?? 0;
  // "5 alpha-reductase" has its number, "15 monoterpene synthases" are so many.
  if (/\p{Ll}s$/u.test(printed.slice(start, end))) start += COUNT.exec(printed.slice(start, end))?.[0].length ?? 0;
  return { start, end };
}

/** Behind a symbol, the word that says what it is: "matK gene product"; "insulin gene" and "C-reactive protein" stay. */
function kindBehind(printed: string): string {
  const [, symbol = '', kind = ''] = /^(\S+)( genes?(?: products?)?| (?:proteins?|enzymes?))$/u.exec(printed) ?? [];
  const isSymbol = symbol.length > 1 && /[\p{Lu}\d]/u.test(symbol);
  if (kind.startsWith(' gene')) return isSymbol || /^\p{Ll}{3}$/u.test(symbol) ? kind : '';
  return isSymbol && !/-\p{Ll}{3}/u.test(symbol) ? kind : '';
}

/** "HA. a" of a caption, "P450s (26)". */
const TAILS = [/\. \p{Ll}$/u, / ?\((?:\d+\))?$/u, / (?:subunits|(?:homo|hetero)?dimers?)$/u] as const;
/** "(ii) esterase", but "(E)-farnesene synthase"; "wild-type HA", "gene VvTPS24". */
const HEADS = [
  /^\((?:[ivx]+|\p{L}|\d)\) (?=\p{L})/u,
  /^(?:(?:wild-?type|mutant|mutated|recombinant|putative|paralogous|orthologous|homologous|novel|WT|IV|intravenous|circulating) )+/iu,
  /^(?:genes?|enzymes?) (?=\S*[\p{Lu}\d])/u,
] as const;
const COUNT = /^(?:\d{1,3}|two|three|four|five|six|seven|eight|nine|ten|several|various|multiple) (?=[\p{L}(])/u;

/** Not a part of a gene, a mutant, a kind or family of them, a sugar, or what genes are measured with. */
export function isGene(printed: string): boolean {
  if ([NO_GENE, PARTS, KINDS, ACTS_ON].some((form) => form.test(printed))) return false;
  if (printed.split(' ').every((word) => SAYS_NOT_WHICH.test(word))) return false;
  if (BINOMIAL.test(printed)) return false;
  // "V600E" is a substitution; S100P is a gene.
  if (/^(?!S100)[ACDEFGHIKLMNPQRSTVWY]\d{2,4}[ACDEFGHIKLMNPQRSTVWY]$/u.test(printed)) return false;
  // "Siaα2-3Gal receptors": how sugars are linked; what links them is an enzyme.
  return !/[αβ]\d[-–,→]\d/u.test(printed) || /ases?$/u.test(printed);
}

/** A plasmid, a program that compares sequences, an entry of a database or a list, an allele, several of them, a way of measuring genes. */
const NO_GENE =
  /^p[A-Z]{2,}|^p[A-Z][a-z]+-|BLAST|: |^PDB(?= |$)|^[A-Z]{1,3}_?\d{5,}(?:\.\d+)?$|^(?:[FR]PKM|TPM|NMRs?|SMRT|NGS|SNPs?|ESTs?|ORFs?|UTRs?|(?:[sm]c)?(?:R|D)NA-?[Ss]eq|(?:q|RT-?)*PCR|RT-qPCR|(?:GC|LC)-MS|ELISA|HPLC|(?:m|r|t|g|sg|cr|tracr|mi|si|lnc)RNAs?)$|\*\d|\p{L}\d+–\d|[Cc]ontig|[Ss]caffold\d|[Uu]nigene/u;
const PARTS =
  /(?<=\s)(?:sequences?|mutants?|mutations?|mRNAs?|cDNAs?|primers?|alleles?|test|promoters?|(?:super|sub)?famil(?:y|ies)|clades?|vectors?|plasmids?|constructs?|cassettes?|domains?|motifs?|regions?|sites?|segments?(?: \S{1,3})?|codons?(?: \d+)?|structures?|accessions?|members|genes|gene products?|homolog(?:ue)?s?|ortholog(?:ue)?s?|paralog(?:ue)?s?|regulatory factors|protein\(s\))$/iu;
/** "S3-type", "lectin-like", "PSII-associated proteins"; "Toll-like receptors" have that name. */
const KINDS =
  /-(?:like|type|linked|associated|responsive|related|dependent|specific|binding|encoded)(?: (?:proteins|enzymes))?$|-(?:type|linked) (?:proteins?|enzymes?|receptors?)$/iu;
/** "Tyrosine kinase inhibitor" is a drug, "trypsin inhibitor" a protein. */
const ACTS_ON =
  /(?:(?<!cyclin-dependent )kinase|converting enzyme|reductase|polymerase|integrase|checkpoint|pump|channel) inhibitors?$|(?<!ant)agonists?$|blockers?$/iu;
/** "synthase", "protein 2", "plant hormone": of many. */
const SAYS_NOT_WHICH =
  /^(?:\d+|proteins?|enzymes?|genes?|synthases?|synthetases?|kinases?|polymerases?|reductases?|hydrolases?|transferases?|hydroxylases?|dehydrogenases?|oxidases?|phosphatases?|transporters?|receptors?|hormones?|factors?|inhibitors?|subunits?|complex(?:es)?|pathways?|plants?|animals?|human|mammalian|bacterial|viral|fungal|WT|type)$/iu;
/** "Salvia pomifera", but "Interferon alpha". */
const BINOMIAL =
  /^\p{Lu}\p{Ll}{3,} (?!(?:alpha|beta|gamma|delta|eta|zeta|theta|kappa|lambda|sigma)$)\p{Ll}{3,}(?:a|um|us|is|i|ae|ens)$/u;
