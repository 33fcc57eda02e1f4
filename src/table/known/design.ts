import { findDesignPhrases } from '../../graph/index.ts';
import type { Cue } from './cue.ts';
import { pointsOf } from './cue.ts';
import type { PaperSentence } from './paper-sentences.ts';
import type { Stated } from './stated.ts';

const CUES: readonly Cue[] = [
  [/\b(?:this|our|the present|the current)\b|\bwe\b/i, 1],
  [
    /\b(?:was|is) an?\b|\b(?:was|were) (?:conducted|performed|carried out|designed)\b|\bdesign\b|\b(?:conducted|performed) an?\b/i,
    1,
  ],
  [/\b(?:another|previous|other|earlier|recent|future|further|these|several|et al)\b|\[\d{1,3}\]/i, -1.5],
  [/\bwill (?:consider|include)\b|\bfunders?\b|\bregistered\b|\binclusion criteria\b/i, -1.5],
];
const SECTIONS: Readonly<Partial<Record<PaperSentence['section'], number>>> = {
  front: 2.5,
  abstract: 1.2,
  methods: 0.7,
  introduction: -0.3,
  body: -0.3,
};
/** What a bare "review" or "trial" must stand behind to be the paper itself. */
const ITSELF = /(?:\b(?:this|our|present|current)|:(?: an?)?|^)\s*$/i;
const LEAST = 1.1;
const LONGEST_IN_TEXT = 700;

/** A line near the top that says what kind of article it is. */
const LABEL =
  /^(?:(?:mini|topical|invited|narrative|systematic|clinical|literature|scoping|short|critical)[- ])?(?:review(?: article| paper)?|commentary|editorial|letters?(?: to the editors?)?|correspondence|case (?:report|series|study)|opinion(?: article| paper)?|perspectives?|viewpoint|(?:original )?(?:research )?(?:article|paper)|original (?:research|contribution)|brief (?:report|communication)|short (?:report|communication)|research (?:note|letter)|(?:study )?protocol|special report|technical (?:note|report)|data (?:paper|descriptor|article)|guidelines?|essay|news|analysis|debate|hypothesis|policy (?:brief|forum))$/i;
/** Labels that say how the study was done. */
const LABEL_OF_DESIGN = /review|case|protocol|guideline|editorial|letter|commentary|opinion|correspondence/i;
const FIRST_SENTENCES = 25;

/** What the paper is labelled as on its first page. */
export function articleTypeIn(sentences: readonly PaperSentence[]): Stated | undefined {
  for (const { quote } of sentences.slice(0, FIRST_SENTENCES)) {
    const label = quote.text
      .split('\n')
      .map((line) => line.replaceAll(/\s+/g, ' ').trim())
      .find((line) => LABEL.test(line));
    if (label !== undefined) return { value: label.toLowerCase(), quotes: [quote] };
  }
  return undefined;
}

/** The design that a paper names or, failing that, is labelled with. */
export function designOf(sentences: readonly PaperSentence[]): Stated | undefined {
  const label = articleTypeIn(sentences);
  return designIn(sentences) ?? (label && LABEL_OF_DESIGN.test(label.value) ? label : undefined);
}

/** The design that title, abstract or methods name. */
function designIn(sentences: readonly PaperSentence[]): Stated | undefined {
  let best: { readonly points: number; readonly stated: Stated } | undefined;
  for (const [at, { text, section, quote }] of sentences.entries()) {
    const place = SECTIONS[section];
    if (place === undefined || (section !== 'front' && text.length > LONGEST_IN_TEXT)) continue;
    const phrases = [...findDesignPhrases(text)].flatMap(({ phrase, start }) => {
      const isBare = !/[ -]/.test(phrase) && !ITSELF.test(text.slice(Math.max(0, start - 20), start));
      return isBare ? [] : [phrase];
    });
    const [longest] = phrases.sort((one, other) => other.length - one.length);
    if (longest === undefined) continue;
    const words = pointsOf(text, CUES);
    const points =
      (section === 'front' ? Math.max(0, words) : words) +
      place +
      Math.min(1, longest.length / 40) -
      at / (2 * sentences.length);
    if (points >= LEAST && points > (best?.points ?? 0)) best = { points, stated: { value: longest, quotes: [quote] } };
  }
  return best?.stated;
}
