import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

import type { ScoredCandidate, TitleFinding } from '../../resolve/index.ts';
import type { CitedWork, ListedWork, Work, WorkRecord } from '../../works/index.ts';
import { namedWork, NO_IDS, normalizeDoi, readTable, separatorIn } from '../../works/index.ts';
import { csvLine } from '../../base/index.ts';

interface Searching {
  readonly byTitle: (cited: CitedWork, signal: AbortSignal) => Promise<TitleFinding>;
  readonly review?: ReviewFile;
  readonly signal: AbortSignal;
}

export type Cited = Extract<ListedWork, { kind: 'cited' }> & { readonly name?: string };
type Searched =
  | Extract<ListedWork, { kind: 'work' }>
  | (Extract<ListedWork, { kind: 'bad' }> & Pick<UnreadableEntry, 'word'>);

/** By a person's decision, else by a search at Crossref. */
export async function searched(file: string, entry: Cited, parts: Searching, counts: TitleCounts): Promise<Searched> {
  const { line, cited } = entry;
  const name = entry.name ?? entryName({ file, line });
  const bad = (word: UnreadableEntry['word'], reason: string): Searched => ({ kind: 'bad', line, word, reason });
  const decision = parts.review?.decision(name);
  if (decision?.kind === 'chosen') return found(entry, decision.doi, name);
  if (decision?.kind === 'refused') return bad('title-unknown', 'review.csv says that it is none of the works found');
  const finding = await parts.byTitle(cited, parts.signal);
  counts[finding.kind] += 1;
  if (finding.kind === 'accepted') return found(entry, finding.candidate.doi, name);
  const [url] = entry.urls;
  // Crossref does not know the title, but the list has a URL.
  if (url !== undefined) return listed(entry, namedWork(`url:${url}`, NO_IDS, knownOf(entry)), name);
  const shown = JSON.stringify((cited.title ?? cited.text).slice(0, 100));
  switch (finding.kind) {
    case 'doubtful': {
      parts.review?.add(name, cited, finding.why, finding.candidates);
      const dois = finding.candidates.map(({ doi }) => doi);
      return bad('title-doubtful', `${shown} may be ${dois.join(' or ')}: ${finding.why}`);
    }
    case 'none':
      return bad('title-unknown', `${shown} has no id, and Crossref knows no such work`);
    case 'away':
      return bad('lookup-failed', `${shown} could not be searched for: ${finding.message}`);
  }
}

function found(entry: Cited, doi: string, name: string): Searched {
  return listed(entry, namedWork(`doi:${doi}`, { ...NO_IDS, doi }, knownOf(entry)), name);
}

function listed({ line, record }: Cited, work: Work, name: string): Searched {
  return { kind: 'work', line, work, decides: name, record: { ...record, id: work.id, ids: work.ids } };
}

function knownOf({ cited: { title, year, authors }, urls }: Cited) {
  return { title, year, authors, urls };
}

export type TitleCounts = Record<TitleFinding['kind'], number>;

export function titlesInWords({ accepted, doubtful, none, away }: TitleCounts): string | undefined {
  const all = accepted + doubtful + none + away;
  if (all === 0) return undefined;
  const asked = away === 0 ? '' : `, ${away} not searched because a service failed: run the same command to retry`;
  const open = doubtful === 0 ? '' : ' (decide about them in review.csv)';
  return `${all} entries without an id: ${accepted} found by title, ${doubtful} doubtful${open}, ${none} unknown${asked}`;
}

export interface UnreadableEntry {
  readonly file: string;
  readonly line: number;
  readonly word: 'unreadable-entry' | 'title-doubtful' | 'title-unknown' | 'lookup-failed';
  readonly reason: string;
  readonly record?: WorkRecord;
}

export function entryName({ file, line }: Pick<UnreadableEntry, 'file' | 'line'>): string {
  return `${basename(file)}#${line}`;
}

const CANDIDATES = 3;
const HEADER = [
  ...'entry title authors year reason accept chosen_doi'.split(' '),
  ...Array.from({ length: CANDIDATES }, (_, at) => ['candidate', 'score', 'found'].map((name) => `${name}_${at + 1}`)),
].flat();

type Decision = { readonly kind: 'chosen'; readonly doi: string } | { readonly kind: 'refused' | 'open' };

const YES = /^(?:y|yes|x|true|ok|accept)$/i;
const NO = /^(?:n|no|none|false|0|refuse)$/i;

/** A DOI the person entered, else the number of a candidate; "yes" is the first. */
function decisionIn(value: (name: string) => string): Decision {
  const accept = value('accept');
  const number = YES.test(accept) ? '1' : accept;
  const doi = normalizeDoi(value('chosen_doi')) ?? normalizeDoi(value(`candidate_${number}`));
  if (doi !== undefined) return { kind: 'chosen', doi };
  return { kind: NO.test(accept) ? 'refused' : 'open' };
}

export interface ReviewFile {
  /** Undefined if the entry is not in the file. */
  readonly decision: (entry: string) => Decision | undefined;
  add(entry: string, cited: CitedWork, why: string, candidates: readonly ScoredCandidate[]): void;
}

/** `review.csv`: a line is written once and never changed, so that a person's decisions in it stay. */
export async function openReviewFile(path: string): Promise<ReviewFile> {
  const decisions = new Map<string, Decision>();
  // A person's spreadsheet may have saved the file in another form: lines are added in that form.
  let columns = HEADER;
  let separator = ',';
  let encoding: 'utf8' | 'utf16le' = 'utf8';
  if (existsSync(path)) {
    for await (const { names, value } of readTable(path)) {
      columns = [...names];
      if (value('entry') !== '') decisions.set(value('entry'), decisionIn(value));
    }
    const bytes = readFileSync(path);
    if (bytes[0] === 0xff && bytes[1] === 0xfe) encoding = 'utf16le';
    const text = bytes.toString(encoding);
    separator = separatorIn(text);
    // An editor may have left the last line without its end.
    if (!/[\r\n]$/.test(text)) appendFileSync(path, '\r\n', encoding);
  }
  return {
    decision: (entry: string) => decisions.get(entry),

    add(entry: string, cited: CitedWork, why: string, candidates: readonly ScoredCandidate[]): void {
      if (decisions.has(entry)) return;
      const shown = Array.from({ length: CANDIDATES }, (_, at) => candidates[at]).flatMap((each) =>
        each ? [each.doi, each.score.toFixed(3), inWords(each)] : ['', '', ''],
      );
      const { title, text, authors, year } = cited;
      const values = [entry, title ?? text, authors.join('; '), year, why, '', '', ...shown];
      const cells = columns.map((name) => values[HEADER.indexOf(name)] ?? '');
      const line = csvLine(cells, separator);
      appendFileSync(path, existsSync(path) ? line : csvLine(HEADER) + line, encoding);
      decisions.set(entry, { kind: 'open' });
    },
  };
}

function inWords({ title, authors, year, venue }: ScoredCandidate): string {
  const by = authors.length === 0 ? '' : `${authors.slice(0, 3).join(', ')}${authors.length > 3 ? ' et al.' : ''}. `;
  return `${by}${title}${venue === null ? '' : `. ${venue}`}${year === null ? '' : ` (${year})`}`;
}
