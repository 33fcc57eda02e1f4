import { createReadStream } from 'node:fs';

import { AppError } from '../../base/index.ts';
import type { RecordStore } from '../../works/index.ts';
import { identify, keyOf, readCsv } from '../../works/index.ts';

/** What a screening tool has decided, by the work it is about. */
export interface ReadLabels {
  readonly labels: ReadonlyMap<string, 'included' | 'excluded'>;
  /** Lines whose work is not in the corpus. */
  readonly unknown: readonly number[];
  /** Lines without a decision. */
  readonly undecided: number;
}

const DECISIONS = ['included', 'label', 'label_included', 'decision', 'asreview_label', 'status', 'final_included'];
const IDS = ['record_id', 'id', 'work', 'doi', 'pmid', 'openalex'];
const YES = /^(?:1(?:\.0)?|true|yes|y|include[d]?|relevant|accept(?:ed)?)$/i;
const NO = /^(?:0(?:\.0)?|false|no|n|exclude[d]?|irrelevant|reject(?:ed)?)$/i;

/** Reads the labels of a table as ASReview, Rayyan or a person writes them; works are known by their ids, or by their titles. */
export async function readLabels(path: string, records: RecordStore): Promise<ReadLabels> {
  const labels = new Map<string, 'included' | 'excluded'>();
  const unknown: number[] = [];
  let undecided = 0;
  let header: readonly string[] | undefined;
  const titles = new Map([...records.all()].map(({ id, title }) => [folded(title ?? ''), id]));
  const separator = path.toLowerCase().endsWith('.tsv') ? '\t' : ',';
  for await (const { line, fields } of readCsv(createReadStream(path), { separator })) {
    if (!header) {
      header = (fields ?? []).map((name) =>
        name
          .replace(/^\uFEFF/, '')
          .trim()
          .toLowerCase(),
      );
      continue;
    }
    const names = header;
    const value = (name: string): string => fields?.[names.indexOf(name)]?.trim() ?? '';
    const decision = DECISIONS.map(value).find((each) => each !== '') ?? '';
    if (!YES.test(decision) && !NO.test(decision)) {
      undecided += 1;
      continue;
    }
    const work =
      IDS.map((name) => workOf(name === 'pmid' ? `pmid:${value(name)}` : value(name), records)).find(
        (id) => id !== undefined,
      ) ?? titles.get(folded(value('title')));
    if (work === undefined || work === '') unknown.push(line);
    else labels.set(work, YES.test(decision) ? 'included' : 'excluded');
  }
  if (!header?.some((name) => DECISIONS.includes(name))) {
    throw new AppError('USAGE_LABELS', `${path} has no column of decisions`, {
      hint: `one of ${DECISIONS.join(', ')}`,
    });
  }
  return { labels, unknown, undecided };
}

function workOf(text: string, records: RecordStore): string | undefined {
  if (text === '') return undefined;
  const ids = identify(text);
  return records.get(text)?.id ?? (ids ? records.get(keyOf(ids) ?? '')?.id : undefined);
}

function folded(title: string): string {
  return title
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}
