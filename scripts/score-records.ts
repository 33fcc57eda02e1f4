import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { parseMarkup } from '../src/parse/doctags/parse-markup.ts';
import { parsePdf } from '../src/parse/doctags/pdf.ts';
import type { Metadata } from '../src/parse/document.ts';
import { checkOptions } from '../test/support/options.ts';
import { nothingMeasured, OPEN_PAPERS } from './score/data.ts';
import type { PublisherHalf } from './score/halves.ts';
import { halfOfPublisher, publishersOf } from './score/halves.ts';
import { sharedWords } from './score/words.ts';

// npm run score:records [-- --data DIR] [--only REGEXP] [--half work|opened|aside] [--show]
// Compares what a PDF says of itself (title, authors, DOI) with the JATS file beside it (ID.jats.xml or ID.xml). Papers of one publisher stay in one
// group: rules are made on `work` and `opened` and judged by `aside`.
const options = checkOptions({ data: '', only: '', half: ['', 'work', 'opened', 'aside'], show: false });
const folders =
  options.data === '' ? ['pmc', 'publishers'].map((set) => join(OPEN_PAPERS, set)) : options.data.split(',');

interface RecordScore {
  readonly id: string;
  readonly half: PublisherHalf;
  /** All authors, in order. */
  readonly authors: boolean;
  /** Authors of the paper that were found, and how many it has. */
  readonly found: number;
  readonly named: number;
  readonly invented: readonly string[];
  readonly missing: readonly string[];
  readonly title: boolean;
  readonly doi: 'right' | 'wrong' | 'none';
  /** The share of words that both abstracts have; undefined if the paper has none. */
  readonly abstract: number | undefined;
}

const scores: RecordScore[] = [];
for (const folder of folders) {
  if (!existsSync(folder)) continue;
  const publishers = publishersOf(folder);
  for (const pdf of globSync('*.pdf', { cwd: folder }).sort()) {
    const id = basename(pdf, '.pdf');
    const half = halfOfPublisher(publishers.get(id) ?? id, basename(folder));
    const jats = ['.jats.xml', '.xml'].map((end) => join(folder, id + end)).find((file) => existsSync(file));
    if (jats === undefined || !new RegExp(options.only).test(id)) continue;
    if (options.half !== '' && options.half !== half) continue;
    const truth = parseMarkup(readFileSync(jats), { kind: 'jats' }).metadata;
    // A paper without named authors (an erratum, an editorial) says nothing about finding them.
    if (truth.authors.length === 0) continue;
    const { metadata } = await parsePdf(readFileSync(join(folder, pdf)));
    const score = compare(id, half, metadata, truth);
    scores.push(score);
    if (options.show && !(score.authors && score.title && score.doi === 'right')) show(score, metadata, truth);
  }
}
if (scores.length === 0) nothingMeasured(`no PDF with a JATS file beside it in ${folders.join(', ')}`);
for (const half of ['work', 'opened', 'aside', 'all'] as const) {
  const row = summary(half);
  if (row) console.log(half.padEnd(6), JSON.stringify(row));
}

function compare(id: string, half: PublisherHalf, ours: Metadata, truth: Metadata): RecordScore {
  const missing = truth.authors.filter((name) => !ours.authors.some((each) => isSameName(each, name)));
  return {
    id,
    half,
    authors:
      ours.authors.length === truth.authors.length &&
      ours.authors.every((name, at) => isSameName(name, truth.authors[at] ?? '')),
    found: truth.authors.length - missing.length,
    named: truth.authors.length,
    invented: ours.authors.filter((name) => !truth.authors.some((each) => isSameName(name, each))),
    missing,
    title: letters(ours.title ?? '') === letters(truth.title ?? ''),
    doi: ours.doi === undefined ? 'none' : ours.doi.toLowerCase() === truth.doi?.toLowerCase() ? 'right' : 'wrong',
    abstract: truth.abstract === undefined ? undefined : likeness(ours.abstract ?? '', truth.abstract),
  };
}

function summary(half: PublisherHalf | 'all'): object | undefined {
  const chosen = scores.filter((score) => half === 'all' || score.half === half);
  if (chosen.length === 0) return undefined;
  const share = (test: (score: RecordScore) => boolean): number =>
    Number((chosen.filter(test).length / chosen.length).toFixed(3));
  const sum = (count: (score: RecordScore) => number): number => chosen.reduce((total, each) => total + count(each), 0);
  return {
    papers: chosen.length,
    authors_exact: share((score) => score.authors),
    authors_found: Number((sum(({ found }) => found) / sum(({ named }) => named)).toFixed(3)),
    authors_left_out: share(({ found, invented }) => found === 0 && invented.length === 0),
    invented: sum(({ invented }) => invented.length),
    papers_with_invented: chosen.filter(({ invented }) => invented.length > 0).length,
    title: share((score) => score.title),
    doi: share(({ doi }) => doi === 'right'),
    doi_wrong: chosen.filter(({ doi }) => doi === 'wrong').length,
    abstracts: chosen.filter(({ abstract }) => abstract !== undefined).length,
    abstracts_right: chosen.filter(({ abstract = 0 }) => abstract >= 0.9).length,
  };
}

/** F1 of the words of two texts. */
function likeness(one: string, other: string): number {
  const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const [ours, theirs] = [wordsOf(one), wordsOf(other)];
  return (2 * sharedWords(ours, theirs).shared) / (ours.length + theirs.length);
}

function show(score: RecordScore, ours: Metadata, truth: Metadata): void {
  console.log(`${score.id} (${score.half})`);
  if (!score.title) console.log(`  title    ${JSON.stringify(ours.title)}\n  is       ${JSON.stringify(truth.title)}`);
  if (score.doi !== 'right') console.log(`  doi      ${ours.doi} is ${truth.doi}`);
  if (score.invented.length > 0) console.log(`  invented ${score.invented.join('; ')}`);
  if (score.missing.length > 0) console.log(`  missing  ${score.missing.join('; ')}`);
  if (!score.authors && score.invented.length + score.missing.length === 0)
    console.log(`  order    ${ours.authors.join('; ')}`);
}

/** The same family name, and given names with the same initials: papers and their JATS abbreviate differently. */
function isSameName(a: string, b: string): boolean {
  if (letters(a) === letters(b)) return true;
  const [one, other] = [tokens(a), tokens(b)];
  // Some JATS files have "Stone AB" as the given name Stone of the family AB.
  if (
    isInitials(tokens(b, false).at(-1) ?? '') &&
    letters([...other.slice(-1), ...other.slice(0, -1)].join('')) === letters(a)
  )
    return true;
  if (one.at(-1) === undefined || one.at(-1) !== other.at(-1)) return false;
  const initials = (names: readonly string[]): string =>
    names
      .slice(0, -1)
      .map((name) => (isInitials(name) ? name : name.slice(0, 1)))
      .join('')
      .toLowerCase();
  const [short = '', long = ''] = [initials(one), initials(other)].sort((x, y) => x.length - y.length);
  return short !== '' && long.startsWith(short.slice(0, 1)) && (short.length < 2 || long.includes(short.slice(1)));
}

function isInitials(name: string): boolean {
  return name.length <= 3 && name === name.toUpperCase();
}

function tokens(name: string, isLowered = true): string[] {
  return plain(name)
    .split(/[^\p{L}]+/u)
    .filter((part) => part !== '')
    .map((part, at, all) => (isLowered && at === all.length - 1 ? part.toLowerCase() : part));
}

function letters(text: string): string {
  return plain(text)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '');
}

function plain(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}+/gu, '');
}
