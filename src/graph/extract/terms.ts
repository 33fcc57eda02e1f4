import { foldCase } from '../../base/index.ts';
import { STOP_WORDS } from '../../parse/index.ts';
import { termId } from './facts.ts';
import type { Reading, Statements } from './reading.ts';

const LEAST_TIMES = 3;
const MOST_TERMS = 15;
const LONGEST_WORDS = 4;
const METHOD = { name: 'term-frequency', version: 2 };
const SKIPPED =
  /^(?:fig|figs|figure|figures|table|tables|et|al|eq|ref|section|supplementary|data|results?|study|studies|paper|work|using|used|based|shown|show|shows|respectively|however|also|may|can|could|would|significant|significantly|different|high|higher|low|lower|number|total|mean|values?|two|three|one|first|second|new|previous|several|many|well|increase|decrease|increased|decreased|compared|observed|found|reported|obtained|performed|analysis|analyses|effects?|levels?|groups?|samples?|method|methods|author|authors|license|copyright|rights|article|journal|doi|https?|www|org|com)$/;

/**
 * Words of statistics, of the machinery of papers and of addresses. A phrase made of these alone is no subject of a paper:
 * "confidence interval", "corresponding author", "People's Republic".
 */
const NO_SUBJECT: ReadonlySet<string> = new Set(
  (
    'confidence interval intervals standard deviation deviations error errors odds ratio ratios hazard relative risk difference differences ' +
    'statistical statistically significance test tests testing value variance regression model models multivariate univariate ' +
    'logistic linear correlation coefficient coefficients median range ranges interquartile percentile percentage average ' +
    'distribution normal random sample size power sensitivity specificity hypothesis probability chi square squared ' +
    'dependent independent variable variables parameter parameters baseline outcome outcomes endpoint endpoints primary secondary ' +
    'corresponding author authors contribution contributions competing interest interests conflict conflicts informed consent ' +
    'ethics ethical committee approval supplementary material materials additional file files supporting information online version ' +
    'peer review reviewed open access creative commons attribution funding support research center centre department ' +
    'university faculty institute school college laboratory hospital street road avenue box republic people’s people united ' +
    'states kingdom usa corporation inc company manufacturer instruction instructions protocol further future present current ' +
    'recent main important key major minor important potential possible literature review systematic criteria inclusion exclusion'
  ).split(' '),
);

interface Phrase {
  readonly printed: string;
  readonly folded: readonly string[];
  times: number;
  /** Occurrences inside a longer candidate. */
  inside: number;
  readonly longer: Set<string>;
  readonly first: { readonly block: number; readonly at: number };
}

/** C-value (Frantzi et al. 2000) within the document alone, so that adding another changes nothing. */
export function extractTerms(reading: Reading, say: Statements): void {
  const phrases = new Map<string, Phrase>();
  for (const { block } of reading.prose) {
    if (block.kind === 'footnote') continue;
    for (const run of runsOf(block.text)) collect(run, block.order, phrases);
  }
  const frequent = [...phrases].filter(([, { times, folded }]) => times >= LEAST_TIMES && !folded.every(isNoSubject));
  const kept = new Map(frequent);
  for (const [id, phrase] of frequent)
    for (const part of partsOf(id)) {
      const inner = kept.get(part);
      if (!inner) continue;
      inner.inside += phrase.times;
      inner.longer.add(id);
    }
  const best = frequent
    .map(([id, phrase]) => {
      const { times, inside, longer } = phrase;
      const alone = longer.size === 0 ? times : times - inside / longer.size;
      return { id, phrase, weight: Math.log2(id.split(' ').length + 0.5) * alone };
    })
    .filter(({ weight }) => weight > 1)
    .sort((a, b) => b.weight - a.weight || (a.id < b.id ? -1 : 1))
    .slice(0, MOST_TERMS);
  for (const { id, phrase, weight } of best) {
    const sentence = reading.sentenceAt(phrase.first.block, phrase.first.at);
    if (!sentence) continue;
    const target = say.node('term', `text:${id}`, phrase.printed);
    const detail = { times: phrase.times, weight: Math.round(weight * 100) / 100 };
    say.edge({ kind: 'about', target }, sentence, METHOD, detail);
  }
}

interface Word {
  readonly text: string;
  readonly folded: string;
  readonly at: number;
}

/** Runs of words without stop words, numbers or punctuation between them. */
function runsOf(text: string): Word[][] {
  const runs: Word[][] = [];
  let run: Word[] = [];
  let end = 0;
  for (const match of text.matchAll(/[\p{L}][\p{L}\p{N}'’-]*/gu)) {
    const folded = foldCase(match[0]);
    const gap = text.slice(end, match.index);
    // "D. kotschyi oil": without its genus the epithet begins no term.
    const isEpithet = /(?<!\p{L})\p{Lu}\. $/u.test(text.slice(Math.max(0, match.index - 4), match.index));
    if (gap !== ' ') run = [];
    end = match.index + match[0].length;
    if (STOP_WORDS.has(folded) || SKIPPED.test(folded) || match[0].length < 3 || folded.endsWith('ly') || isEpithet) {
      run = [];
      continue;
    }
    if (run.length === 0) runs.push(run);
    run.push({ text: match[0], folded, at: match.index });
  }
  return runs;
}

function isNoSubject(word: string): boolean {
  return NO_SUBJECT.has(word.replaceAll("'", '’'));
}

function collect(run: readonly Word[], block: number, phrases: Map<string, Phrase>): void {
  for (let from = 0; from < run.length; from += 1)
    for (let to = from + 2; to <= Math.min(run.length, from + LONGEST_WORDS); to += 1) {
      const words = run.slice(from, to);
      // "breast cancer diagnosed" goes on.
      if (/[^e]ed$/.test(words.at(-1)?.folded ?? '')) continue;
      const id = termId(words.map(({ folded }) => folded).join(' '));
      const known = phrases.get(id);
      if (known) known.times += 1;
      else
        phrases.set(id, {
          printed: words.map(({ text }) => text).join(' '),
          folded: words.map(({ folded }) => folded),
          times: 1,
          inside: 0,
          longer: new Set(),
          first: { block, at: words[0]?.at ?? 0 },
        });
    }
}

function* partsOf(id: string): Generator<string> {
  const words = id.split(' ');
  for (let from = 0; from < words.length; from += 1)
    for (let to = from + 2; to <= words.length; to += 1)
      if (to - from < words.length) yield words.slice(from, to).join(' ');
}
