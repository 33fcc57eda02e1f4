import { stemmer } from 'stemmer';

/** Names this way of making terms; what is kept under another name cannot be searched with it. */
export const ANALYSIS = 'nfkc-porter-en/3';

/** BM25 parameters with the usual values: saturation of repeated terms, weight of a passage's length. */
export const BM25 = { k1: 1.2, b: 0.75 };

/** Marks belong to their letters: without them the words of many scripts would fall apart. */
const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;
const ASCII = /^[\p{ASCII}]*$/u;
/** Accents that people leave out when they type; in other scripts a mark makes another letter. */
const ACCENTS = /(?<=[\p{Script=Latin}\p{Script=Greek}]\p{M}{0,16})\p{Mn}/gu;
const MAYBE_ACCENTED = /[\u00C0-\u03FF\u1E00-\u1FFF]/;
const SOFT_HYPHENS = /\u00AD/g;
const PLAIN = /^[a-z]+$/;
/** Scripts that are written without spaces; a run of them holds several words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const segmenter = new Intl.Segmenter('und', { granularity: 'word' });

/** Words come back again and again: their terms are remembered, within a bound. */
const remembered = new Map<string, string>();
const MOST_REMEMBERED = 200_000;

/** NFKC, lower case, without Latin and Greek accents and stop words, stemmed. A change renames ANALYSIS. */
export function analyse(text: string): string[] {
  const terms: string[] = [];
  for (const [run] of folded(text).matchAll(WORD)) {
    if (run.charCodeAt(0) > 0xff && UNSPACED.test(run)) {
      for (const { segment } of segmenter.segment(run)) terms.push(segment);
      continue;
    }
    let term = remembered.get(run);
    if (term === undefined) {
      term = STOP_WORDS.has(run) ? '' : PLAIN.test(run) ? stemmer(run) : run;
      if (remembered.size >= MOST_REMEMBERED) remembered.clear();
      remembered.set(run, term);
    }
    if (term !== '') terms.push(term);
  }
  return terms;
}

/** The words of a text in lower case, with their accents; runs of scripts without spaces are cut into words. */
export function splitWords(text: string): string[] {
  const plain = text.normalize('NFKC').toLowerCase().replaceAll(SOFT_HYPHENS, '');
  return [...plain.matchAll(WORD)].flatMap(([run]) =>
    UNSPACED.test(run) ? Array.from(segmenter.segment(run), ({ segment }) => segment) : [run],
  );
}

/** A text as it is compared: compatibility forms, case and accents do not matter. */
export function folded(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  const plain = text.normalize('NFKC').toLowerCase().replaceAll(SOFT_HYPHENS, '');
  // Most texts are only no ASCII because of a dash or a quotation mark.
  return MAYBE_ACCENTED.test(plain) ? plain.normalize('NFD').replaceAll(ACCENTS, '').normalize('NFC') : plain;
}

/** English words that carry grammar and no topic; what is left after an apostrophe ("it's", "don't") is among them. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  [
    'a an the and but if or because as until while',
    'i me my myself we our ours ourselves you your yours yourself yourselves',
    'he him his himself she her hers herself it its itself they them their theirs themselves',
    'what which who whom this that these those when where why how',
    'am is are was were be been being have has had having do does did doing can will should',
    'of at by for with about against between into through during before after above below to from',
    'up down in out on off over under again further then once here there',
    'all any both each few more most other some such no nor not only own same so than too very just now',
    's t don',
  ]
    .join(' ')
    .split(' '),
);
