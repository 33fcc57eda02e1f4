import { createReadStream } from 'node:fs';

import { AppError } from '../../base/index.ts';
import { normalizeDoi } from '../ids/doi.ts';
import { readCsv } from '../lists/csv-records.ts';
import { noticeKind } from './crossref-record.ts';
import type { NoticeAbout } from './record.ts';

/** Reads `retraction_watch.csv` as Crossref publishes it, row by row. */
export async function* readRetractionWatch(path: string): AsyncGenerator<NoticeAbout> {
  let header: readonly string[] | undefined;
  for await (const { fields } of readCsv(createReadStream(path), { separator: ',' })) {
    if (!fields) continue;
    if (!header) {
      header = fields.map((name) => name.replace(/^\uFEFF/, '').trim());
      if (header.includes('OriginalPaperDOI') && header.includes('RetractionNature')) continue;
      throw new AppError('USAGE_RETRACTION_WATCH', `${path} has no columns OriginalPaperDOI and RetractionNature`, {
        hint: 'download retraction_watch.csv from gitlab.com/crossref/retraction-watch-data',
      });
    }
    const names = header;
    const value = (name: string): string => fields[names.indexOf(name)]?.trim() ?? '';
    const doi = normalizeDoi(value('OriginalPaperDOI')) ?? null;
    const pmid = /^[1-9]\d{0,8}$/.test(value('OriginalPaperPubMedID')) ? value('OriginalPaperPubMedID') : null;
    if (doi === null && pmid === null) continue;
    yield {
      doi,
      pmid,
      notice: {
        kind: noticeKind(value('RetractionNature')),
        doi: normalizeDoi(value('RetractionDOI')) ?? null,
        date: dateIn(value('RetractionDate')),
        source: 'retraction-watch',
      },
    };
  }
}

/** `1/31/2024 0:00` → `2024-01-31`. */
function dateIn(text: string): string | null {
  const [, month, day, year] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})\b/.exec(text) ?? [];
  if (year === undefined || month === undefined || day === undefined)
    return /^\d{4}-\d{2}-\d{2}/.exec(text)?.[0] ?? null;
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
}
