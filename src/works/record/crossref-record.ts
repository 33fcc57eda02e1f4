import * as z from 'zod';

import { AppError, meaningsOf, normalizeDoi } from '../../base/index.ts';
import { NO_IDS, orcidIn } from '../ids.ts';
import { parseLicense } from '../license.ts';
import { readTable } from '../lists/records.ts';
import { lenient, objects } from '../lookup.ts';
import type { Author, Notice, NoticeAbout, NoticeKind, Relation, WorkRecord } from './record.ts';
import { withProvenance, plainText, emptyRecord } from './record.ts';
import { authorFromCsl, dateFromCsl } from './cite.ts';

const said = lenient(z.string());
const list = <S extends z.ZodRawShape>(shape: S) => lenient(objects(shape));
const texts = lenient(z.array(z.string()));
const cslDate = lenient(z.unknown());
const update = { DOI: said, type: said, source: said, updated: cslDate };

/** The fields we read; one of a wrong type counts as missing. */
const crossrefMessage = z.object({
  DOI: z.string(),
  type: said,
  title: texts,
  subtitle: texts,
  author: list({ given: said, family: said, name: said, ORCID: said, affiliation: list({ name: said }) }),
  issued: cslDate,
  'container-title': texts,
  institution: list({ name: said }),
  publisher: said,
  ISSN: texts,
  volume: said,
  issue: said,
  page: said,
  'article-number': said,
  language: said,
  abstract: said,
  license: list({ URL: z.string(), 'content-version': said }),
  funder: list({ name: said, award: texts }),
  reference: list({ DOI: said }),
  relation: lenient(z.record(z.string(), z.unknown())),
  'updated-by': list(update),
  'update-to': list(update),
  URL: said,
});

type Message = z.output<typeof crossrefMessage>;

const MOST_AUTHORS = 500;
const MOST_REFERENCES = 5000;

/** Where Crossref and OpenAlex differ. */
const TYPES = meaningsOf({
  article: 'journal-article proceedings-article',
  preprint: 'posted-content',
  book: 'monograph edited-book',
});

/** Undefined for another shape. `at` is when it was read. */
export function parseCrossrefRecord(value: unknown, at: string): WorkRecord | undefined {
  const parsed = crossrefMessage.safeParse(value);
  const doi = parsed.success ? normalizeDoi(parsed.data.DOI) : undefined;
  if (!parsed.success || doi === undefined) return undefined;
  const { data } = parsed;
  const usable = (data.license ?? []).filter(({ 'content-version': version }) => version !== 'tdm');
  const license = parseLicense((usable.find(({ 'content-version': version }) => version === 'vor') ?? usable[0])?.URL);
  const record: WorkRecord = {
    ...emptyRecord(`doi:${doi}`, { ...NO_IDS, doi }),
    type: data.type === null ? null : (TYPES.get(data.type) ?? data.type),
    title: titleOf(data),
    authors: (data.author ?? []).slice(0, MOST_AUTHORS).flatMap(authorOf),
    date: dateFromCsl(data.issued),
    venue: plainText(data['container-title']?.[0]) ?? data.institution?.[0]?.name ?? null,
    publisher: data.publisher,
    issn: data.ISSN ?? [],
    volume: data.volume,
    issue: data.issue,
    pages: data.page ?? data['article-number'],
    language: data.language,
    abstract: plainText(data.abstract)?.replace(/^abstract[\s:.]+(?=\S)/i, '') ?? null,
    funders: (data.funder ?? []).flatMap(({ name, award }) =>
      name === null ? [] : [{ name, ror: null, awards: award ?? [] }],
    ),
    references: (data.reference ?? []).slice(0, MOST_REFERENCES).flatMap(({ DOI }) => {
      const cited = normalizeDoi(DOI ?? '');
      return cited === undefined ? [] : [`doi:${cited}`];
    }),
    license: license?.slug ?? null,
    notices: (data['updated-by'] ?? []).flatMap(noticeOf),
    relations: relationsOf(data.relation),
    url: data.URL,
  };
  return withProvenance(record, 'crossref', at);
}

/** The works a notice is about (Crossref's `update-to`). */
export function noticesGiven(value: unknown): readonly NoticeAbout[] {
  const parsed = crossrefMessage.safeParse(value);
  if (!parsed.success) return [];
  const own = normalizeDoi(parsed.data.DOI) ?? null;
  return (parsed.data['update-to'] ?? []).flatMap((each) => {
    const doi = normalizeDoi(each.DOI ?? '');
    const [notice] = noticeOf(each);
    return doi === undefined || !notice ? [] : [{ doi, notice: { ...notice, doi: own } }];
  });
}

function titleOf({ title, subtitle }: Message): string | null {
  const main = plainText(title?.[0]);
  const more = plainText(subtitle?.[0]);
  return main === null || more === null || main.includes(more) ? main : `${main}: ${more}`;
}

function authorOf({ name, ORCID, affiliation, ...parts }: NonNullable<Message['author']>[number]): Author[] {
  const institutions = (affiliation ?? []).flatMap(({ name: at }) => (at === null ? [] : [{ name: at, ror: null }]));
  const [author] = authorFromCsl(name === null ? parts : { literal: name });
  return author ? [{ ...author, orcid: orcidIn(ORCID), institutions }] : [];
}

const NOTICES = meaningsOf({
  retraction: 'retraction withdrawal',
  removal: 'removal',
  'partial-retraction': 'partial-retraction',
  'expression-of-concern': 'expression-of-concern concern',
  correction: 'correction corrigendum erratum',
  reinstatement: 'reinstatement',
});

/** The kind of a notice, in the words of Crossref and Retraction Watch; a partial retraction is not one. */
function noticeKind(text: string): NoticeKind {
  const word = text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_]+/g, '-');
  return NOTICES.get(word) ?? 'other';
}

function noticeOf({ DOI, type, source, updated }: NonNullable<Message['update-to']>[number]): Notice[] {
  if (type === null) return [];
  return [
    {
      kind: noticeKind(type),
      doi: normalizeDoi(DOI ?? '') ?? null,
      date: dateFromCsl(updated),
      source: source ?? 'publisher',
    },
  ];
}

const RELATIONS = new Set(['is-preprint-of', 'has-preprint', 'is-version-of', 'has-version']);

function relationsOf(relation: Message['relation']): Relation[] {
  return Object.entries(relation ?? {}).flatMap(([kind, targets]) => {
    if (!RELATIONS.has(kind) || !Array.isArray(targets)) return [];
    return targets.flatMap((target: unknown) => {
      const { id, 'id-type': type } = (target ?? {}) as { readonly id?: unknown; readonly 'id-type'?: unknown };
      const doi = type === 'doi' && typeof id === 'string' ? normalizeDoi(id) : undefined;
      return doi === undefined ? [] : [{ kind: kind as Relation['kind'], doi }];
    });
  });
}

/** Reads `retraction_watch.csv` as Crossref publishes it, row by row. */
export async function* readRetractionWatch(path: string): AsyncGenerator<NoticeAbout> {
  let isEmpty = true;
  for await (const { names, value } of readTable(path)) {
    isEmpty = false;
    if (!names.includes('OriginalPaperDOI') || !names.includes('RetractionNature')) throw notRetractionWatch(path);
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
  if (isEmpty) throw notRetractionWatch(path);
}

function notRetractionWatch(path: string): AppError {
  const message = `${path} has no rows with columns OriginalPaperDOI and RetractionNature`;
  return new AppError('USAGE_RETRACTION_WATCH', message, {
    hint: 'download retraction_watch.csv from gitlab.com/crossref/retraction-watch-data',
  });
}

/** `1/31/2024 0:00` → `2024-01-31`. */
function dateIn(text: string): string | null {
  const [, month, day, year] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})\b/.exec(text) ?? [];
  if (year === undefined || month === undefined || day === undefined)
    return /^\d{4}-\d{2}-\d{2}/.exec(text)?.[0] ?? null;
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
}
