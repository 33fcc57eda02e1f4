import { entityName } from './entity-names.ts';
import type { Reading, Statements } from './reading.ts';

const METHOD = { name: 'study-design', version: 1 };
const MOST_PLACES = 3;

/** Designs of studies and the words that papers use for them, without "study" and hyphens. */
const DESIGNS: Readonly<Record<string, readonly string[]>> = {
  'randomised controlled trial': [
    'randomi[sz]ed (?:controlled |clinical |double blind |placebo controlled |phase \\w+ )*trial',
  ],
  'cluster randomised trial': ['cluster randomi[sz]ed (?:controlled |clinical )*trial'],
  'crossover trial': ['cross ?over (?:trial|study|design)'],
  'single-arm trial': ['single arm (?:phase \\w+ )?(?:trial|study)'],
  'cohort study': ['cohort study', '(?:prospective|retrospective) (?:observational )?cohort'],
  'case-control study': ['(?:nested )?case control (?:study|design|analysis)'],
  'cross-sectional study': ['cross sectional (?:study|survey|analysis|design)'],
  'case report': ['case report', 'case series'],
  'systematic review': ['systematic(?:ally)? (?:literature )?review'],
  'scoping review': ['scoping review'],
  'meta-analysis': ['meta analys[ei]s'],
  'qualitative study': ['qualitative (?:study|research|analysis)', 'semi structured interviews?', 'focus groups?'],
  survey: ['(?:online|postal|national|questionnaire|web based) survey', 'survey study'],
  'Delphi study': ['delphi (?:study|method|survey|process|technique)'],
  'field experiment': ['field (?:experiment|trial|study)'],
  'genome-wide association study': ['genome wide association (?:study|studies|analysis)'],
  'Mendelian randomisation': ['mendelian randomi[sz]ation'],
  'cost-effectiveness analysis': ['cost (?:effectiveness|utility|benefit) (?:analysis|study)'],
  'simulation study': ['simulation study', 'monte carlo simulations?'],
};

const EXPRESSIONS = Object.entries(DESIGNS).map(
  ([design, words]) =>
    [design, new RegExp(`(?<!\\p{L})(?:${words.join('|').replaceAll(' ', '[ \\u00a0‐–-]')})(?!\\p{L})`, 'iu')] as const,
);

/** A sentence about the paper itself, not about what others did. */
const OWN =
  /\b(?:we|our|this|present|herein)\b|\b(?:was|were) (?:conducted|performed|carried out|designed|undertaken)\b/iu;
const CITES = /\[\d|\(\d{1,3}(?:[,–-]\s?\d{1,3})*\)|et al|\b(?:previous|earlier|other|another|recent) /iu;

/** Says the design of the study: named in the title, or in a sentence in which the paper speaks of itself. */
export function extractDesigns(reading: Reading, say: Statements): void {
  const times = new Map<string, number>();
  for (const { block, stretch, section } of ownSentences(reading)) {
    const text = reading.document.blocks[block]?.text.slice(stretch.start, stretch.end) ?? '';
    for (const [design, expression] of EXPRESSIONS) {
      const found = expression.exec(text);
      const count = times.get(design) ?? 0;
      if (!found || count >= MOST_PLACES) continue;
      times.set(design, count + 1);
      const target = say.node('method', `name:${entityName(design)}`, design);
      const detail = { at: stretch.start + found.index, printed: found[0], section };
      say.edge({ kind: 'names', target }, { block, stretch }, METHOD, detail);
    }
  }
}

function* ownSentences(reading: Reading) {
  for (const { kind, order, text } of reading.document.blocks)
    if (kind === 'title' && text !== '') yield { block: order, stretch: { start: 0, end: text.length }, section: null };
  for (const { block, section, sentences } of reading.prose)
    for (const stretch of sentences) {
      const text = block.text.slice(stretch.start, stretch.end);
      if (OWN.test(text) && !CITES.test(text)) yield { block: block.order, stretch, section };
    }
}
