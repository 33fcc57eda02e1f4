import { appendFileSync, createReadStream, existsSync } from 'node:fs';

import type { ScoredCandidate } from '../resolve/index.ts';
import type { CitedWork } from '../works/index.ts';
import { readCsv, reviewedEntry } from '../works/index.ts';
import { csvLine } from './ledger/csv.ts';

const CANDIDATES = 3;
const HEADER = [
  'entry',
  'title',
  'authors',
  'year',
  'reason',
  'accept',
  'chosen_doi',
  ...Array.from({ length: CANDIDATES }, (_, at) => [
    `candidate_${at + 1}`,
    `score_${at + 1}`,
    `found_${at + 1}`,
  ]).flat(),
];

/** A person's decision about an entry: a DOI, none of the candidates, or nothing yet. */
export type Decision =
  | { readonly kind: 'chosen'; readonly doi: string }
  | { readonly kind: 'refused' }
  | { readonly kind: 'open' };

/**
 * Uncertain matches of list entries for a person to decide: `review.csv` in the run folder. A line is written once and
 * never changed, so that decisions written into it stay; the next run reads them.
 */
export class ReviewFile {
  readonly #path: string;
  readonly #decisions: Map<string, Decision>;

  private constructor(path: string, decisions: Map<string, Decision>) {
    this.#path = path;
    this.#decisions = decisions;
  }

  static async open(path: string): Promise<ReviewFile> {
    const decisions = new Map<string, Decision>();
    if (existsSync(path)) {
      let header: readonly string[] | undefined;
      for await (const { fields } of readCsv(createReadStream(path), { separator: ',' })) {
        if (!fields) continue;
        if (!header) header = fields.map((name) => name.replace(/^\uFEFF/, '').trim());
        else {
          const row = reviewedEntry(new Map(header.map((name, at) => [name, fields[at] ?? ''])));
          if (row.entry !== '') decisions.set(row.entry, row.decision);
        }
      }
    }
    return new ReviewFile(path, decisions);
  }

  /** The decision about an entry; undefined if it is not in the file. */
  decision(entry: string): Decision | undefined {
    return this.#decisions.get(entry);
  }

  /** Adds an entry with its candidates. */
  add(entry: string, cited: CitedWork, why: string, candidates: readonly ScoredCandidate[]): void {
    if (this.#decisions.has(entry)) return;
    const shown = Array.from({ length: CANDIDATES }, (_, at) => candidates[at]).flatMap((each) =>
      each ? [each.doi, each.score.toFixed(3), inWords(each)] : ['', '', ''],
    );
    const { title, text, authors, year } = cited;
    const line = csvLine([entry, title ?? text, authors.join('; '), year, why, '', '', ...shown]);
    appendFileSync(this.#path, existsSync(this.#path) ? line : csvLine(HEADER) + line);
    this.#decisions.set(entry, { kind: 'open' });
  }
}

function inWords({ title, authors, year, venue }: ScoredCandidate): string {
  const by = authors.length === 0 ? '' : `${authors.slice(0, 3).join(', ')}${authors.length > 3 ? ' et al.' : ''}. `;
  return `${by}${title}${venue === null ? '' : `. ${venue}`}${year === null ? '' : ` (${year})`}`;
}
