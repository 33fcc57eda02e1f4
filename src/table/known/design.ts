import type { Cue } from './cue.ts';
import { pointsOf } from './cue.ts';
import type { PaperSentence } from './paper-sentences.ts';
import type { Stated } from './stated.ts';

/** Words in front of a study that say how it was done; hyphens divide words. */
const QUALIFIERS = new Set(
  `retrospective prospective multicenter multicentre multi center centre single double blind blinded placebo controlled
   randomised randomized non open label arm two phase 1 2 3 4 i ii iii iv descriptive exploratory cross sectional
   longitudinal population hospital community household based nested observational experimental quasi comparative
   correlational international national multinational qualitative quantitative mixed methods systematic scoping narrative
   integrative critical mini literature rapid umbrella clinical practice pilot feasibility matched web online telephone in
   vitro vivo laboratory field mathematical statistical modelling modeling simulation computational theoretical ecological
   epidemiologic epidemiological seroepidemiologic case control crossover over parallel group factorial full inferiority
   genome wide association questionnaire interview time registry network individual patient data evidence consensus
   diagnostic validation methodological within subject sequential explanatory cost effectiveness economic meta unblinded
   exploratory interventional`.split(/\s+/),
);
const HEADS = new Set(
  `trial study survey review analysis cohort series report experiment guideline guidelines protocol research design
   investigation evaluation model`.split(/\s+/),
);
const BETWEEN_WORDS = /^(?:,? (?:and )?| ?[-‐‑–/] ?)$/;
/** Words that only belong to a phrase behind another one. */
const NOT_FIRST = new Set(['in', 'over', 'based', 'data', 'group', 'two', 'patient', 'full', 'time', 'of', 'field']);

/** Runs of such words that end with a study: "international, single-arm, phase 2 trial". */
function* phrasesIn(text: string): Generator<{ readonly phrase: string; readonly start: number }> {
  let [start, end, behind] = [-1, -1, 0];
  const words = [...text.matchAll(/[\p{L}\d]+/gu)].map(({ 0: word, index }) => ({
    word: word.toLowerCase(),
    index,
    word0: word,
  }));
  for (const [at, { word, index, word0 }] of words.entries()) {
    const isHead = HEADS.has(word);
    const isJoined = start >= 0 && BETWEEN_WORDS.test(text.slice(behind, index));
    if (!isJoined && end >= 0) yield { phrase: text.slice(start, end), start };
    if (!isJoined) [start, end] = [-1, -1];
    if (isHead || QUALIFIERS.has(word)) {
      const isFirst = start < 0 && (!NOT_FIRST.has(word) || /^(?:vitro|vivo|series)$/.test(words[at + 1]?.word ?? ''));
      if (isFirst) start = index;
      behind = index + word0.length;
      if (isHead && start >= 0) end = behind;
    } else {
      if (end >= 0) yield { phrase: text.slice(start, end), start };
      [start, end] = [-1, -1];
    }
  }
  if (end >= 0) yield { phrase: text.slice(start, end), start };
}

/** A phrase without one of these says nothing about the design. */
const TELLS =
  /cross-?sectional|cohort|case[- ]control|randomi[sz]ed|trial|review|meta[- ]analysis|survey|case (?:series|report)|retrospective|prospective|observational|modell?ing|simulation|mathematical|guideline|protocol|qualitative|mixed-?method|experiment|factorial|in[- ]vitro|longitudinal|crossover|descriptive|comparative study|time[- ]series|cost-?effectiveness|within-?subject|pilot/i;

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
    const phrases = [...phrasesIn(text)].flatMap(({ phrase, start }) => {
      const isBare = !/[ -]/.test(phrase) && !ITSELF.test(text.slice(Math.max(0, start - 20), start));
      return TELLS.test(phrase) && !isBare ? [phrase] : [];
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
