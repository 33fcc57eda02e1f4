import { foldCase } from '../base/index.ts';
import type { ManifestRow } from '../download/index.ts';
import { isTransient, namesNoWork, slug } from '../download/index.ts';
import type { WorkRecord } from '../works/index.ts';
import { bestFirst, retractionOf } from '../works/index.ts';
import type { CorpusSql } from './corpus-sql.ts';

/** Longer titles and names are cut: lists show no more. */
const LONGEST_TEXT = 1_000;
const SORTED_LENGTH = 200;
/** Most names and versions of one work; more indicate damage. */
const MOST_NAMES = 100;

const FIELDS = [
  'tried', 'sequence', 'at', 'outcome', 'reason', 'resolver', 'bytes', 'document', 'name', 'title', 'authors', 'year',
  'venue', 'type', 'doi', 'licence', 'version', 'citations', 'retracted', 'label', 'other_version', 'sort_title',
  'sort_venue',
] as const; // prettier-ignore
const LIST = FIELDS.join(', ');
const EXCLUDED = FIELDS.map((field) => `excluded.${field}`).join(', ');

/** Where a name leads. A work that a person split off (`apart`) is not found by a shared id. */
const NEXT = `
  with decision as (select of, apart from decided_works where id = ?1)
  select (select of from decision) as decided, (select apart from decision) as apart,
    (select of from same_works where id = ?1) as same, exists (select 1 from records where id = ?1) as isRecord,
    (select work from work_ids where id = ?1 and work <> coalesce((select of from decision), '')
       and work not in (select work from work_ids where id = coalesce((select of from decision), ''))
       and not exists (select 1 from decided_works as split where split.id = work and split.of = ?1 and split.apart = 1)
     order by work limit 1) as other`;
/** Without decisions and duplicates. */
const NEXT_RECORD = `
  select null as decided, null as apart, null as same, exists (select 1 from records where id = ?1) as isRecord,
    (select min(work) from work_ids where id = ?1) as other`;
const NAMES = 'select id from work_ids where work = ?1';
const ALL_NAMES = `${NAMES} union select id from same_works where of = ?1
  union select id from decided_works where of = ?1 and apart = 0`;

/** Which tables have rows: most corpora have no versions, labels or papers of the user. */
type Has = Readonly<Record<'works' | 'versions' | 'own' | 'labels' | 'lists' | 'decisions' | 'same', 0 | 1>>;
const HAS_ALL: Has = { works: 1, versions: 1, own: 1, labels: 1, lists: 1, decisions: 1, same: 1 };

type Shown = 'work' | 'at' | 'outcome' | 'reason' | 'resolver' | 'path' | 'bytes' | 'title' | 'doi' | 'version';
type LastOutcome = Pick<ManifestRow, Shown> & { readonly sequence: number; readonly licence: string | null };

/**
 * Maintains the table `works`: one row per work. A row depends only on the current contents of the other tables, so
 * increments give the same rows as a rebuild.
 */
export class WorkRows {
  readonly #sql: CorpusSql;
  readonly #changed = new Set<string>();
  #has = HAS_ALL;
  /** By name, while rows are written. */
  #workOf: Map<string, string> | undefined;

  constructor(sql: CorpusSql) {
    this.#sql = sql;
  }

  /** Marks a name as changed: the id of a record, an alias, or the id under which a work was tried. */
  changed(name: string): void {
    this.#changed.add(name);
  }

  /** Changed names whose rows are not yet written. */
  get size(): number {
    return this.#changed.size;
  }

  /** Writes the rows of all changed names, and of the other versions of those works. */
  settle(): void {
    if (this.#changed.size === 0) return;
    // Which names belong to one work does not change while rows are written.
    this.#workOf = new Map();
    try {
      this.#settle();
    } finally {
      this.#workOf = undefined;
      this.#has = HAS_ALL;
    }
  }

  #settle(): void {
    this.#has =
      this.#sql.get<Has>(
        `select exists (select 1 from works) as works, exists (select 1 from versions) as versions, exists (select 1 from own_papers) as own,
           exists (select 1 from labels) as labels, exists (select 1 from listed_in) as lists,
           exists (select 1 from decided_works) as decisions, exists (select 1 from same_works) as same`,
      ) ?? HAS_ALL;
    const works = new Set<string>();
    for (const name of this.#changed) {
      works.add(name).add(this.workOf(name));
      for (const { work } of this.#sql.all<{ work: string }>('select work from work_ids where id = ?', name))
        works.add(work).add(this.workOf(work));
    }
    this.#changed.clear();
    if (this.#has.versions) for (const work of works) for (const other of this.#versionsOf(work)) works.add(other);
    // Words are written together: otherwise the text index is flushed to disk for every row.
    const rows = JSON.stringify([...works].flatMap((work) => this.#make(work) ?? []));
    if (this.#has.works) this.#sql.run('delete from words where rowid in (select value from json_each(?))', rows);
    this.#sql.run(
      `insert into words (rowid, body) select row, concat_ws(' ', title, authors, venue, doi, work) from works
       where row in (select value from json_each(?))`,
      rows,
    );
  }

  /** The work it was merged into, otherwise its record by any id, otherwise the name itself. */
  workOf(name: string): string {
    const known = this.#workOf?.get(name);
    if (known !== undefined) return known;
    const way = [name];
    for (;;) {
      const next = this.#next(way.at(-1) ?? name);
      // Two works merged into each other are one, under the name that sorts first.
      const isCircle = next !== undefined && way.includes(next);
      const end = next === undefined ? way.at(-1) : this.#workOf?.get(next);
      if (next !== undefined && end === undefined && !isCircle) {
        way.push(next);
        continue;
      }
      const work = end ?? way.slice(way.indexOf(next ?? name)).sort()[0] ?? name;
      this.#workOf?.set(name, work);
      return work;
    }
  }

  #next(name: string): string | undefined {
    const row = this.#sql.get<{
      decided: string | null;
      apart: 0 | 1 | null;
      same: string | null;
      isRecord: 0 | 1;
      other: string | null;
    }>(this.#has.decisions || this.#has.same ? NEXT : NEXT_RECORD, name);
    if (!row) return undefined;
    const { decided, apart, same, isRecord, other } = row;
    if (decided !== null && apart === 0) return decided;
    if (decided === null && same !== null) return same;
    return isRecord === 1 ? undefined : (other ?? undefined);
  }

  /** Its id, the ids of its records, and the ids merged into it. */
  #namesOf(work: string): string[] {
    const names = new Set([work]);
    const sql = this.#has.decisions || this.#has.same ? ALL_NAMES : NAMES;
    for (const name of names) {
      if (names.size > MOST_NAMES) break;
      for (const { id } of this.#sql.all<{ id: string }>(sql, name)) if (this.workOf(id) === work) names.add(id);
    }
    return [...names];
  }

  /** With `undone`, undone merges count too. */
  #versionsOf(work: string, undone = false): string[] {
    const group = new Set([work]);
    for (const each of group) {
      if (group.size > MOST_NAMES) break;
      for (const name of this.#namesOf(each))
        for (const link of this.#sql.all<{ work: string; of: string }>(
          'select work, of from versions where (work = ?1 or of = ?1) and undone <= ?2',
          name,
          undone ? 1 : 0,
        ))
          group.add(this.workOf(link.work)).add(this.workOf(link.of));
    }
    return [...group];
  }

  /** After a merge or a split any version may be the best one. */
  versionsChanged(work: string): void {
    for (const each of this.#versionsOf(this.workOf(work), true)) this.changed(each);
  }

  #isOtherVersion(work: string): boolean {
    const group = this.#has.versions ? this.#versionsOf(work) : [];
    if (group.length < 2) return false;
    const records = group.flatMap((id) => {
      const record = this.#recordOf(this.#namesOf(id));
      return record ? [{ ...record, id }] : [];
    });
    return records.some(({ id }) => id === work) && bestFirst(records, (id) => this.#hasFile(id))[0]?.id !== work;
  }

  #hasFile(work: string): boolean {
    const names = this.#namesOf(work);
    const last = this.#lastOutcome(names);
    return last ? last.outcome === 'saved' : this.#ownDocument(names) !== undefined;
  }

  /** The document of a paper of the user's own. */
  #ownDocument(names: readonly string[]): string | undefined {
    if (!this.#has.own) return undefined;
    const sql = 'select min(document) as document from own_papers where work in (select value from json_each(?))';
    return this.#sql.get<{ document: string | null }>(sql, JSON.stringify(names))?.document ?? undefined;
  }

  #recordOf(names: readonly string[]): WorkRecord | undefined {
    for (const name of names) {
      const kept = this.#sql.get<{ record: string }>('select record from records where id = ?', name);
      if (kept) return this.#sql.parse<WorkRecord>(kept.record);
    }
    return undefined;
  }

  /** Writes or deletes the row of a work; returns its number if it changed. */
  #make(work: string): number | undefined {
    const sql = this.#sql;
    const isItself = this.workOf(work) === work;
    const names = isItself ? this.#namesOf(work) : [];
    const record = this.#recordOf(names);
    if (this.#has.lists)
      for (const name of names) sql.run('update listed_in set work = ? where id = ? and work <> ?', work, name, work);
    const last = this.#lastOutcome(names);
    const isApart =
      this.#has.decisions === 1 &&
      sql.get('select 1 from decided_works where id = ? and apart = 1', work) !== undefined;
    // The work found for an entry without an id has a row itself.
    if (!isItself || (!record && !last && !isApart) || last?.reason === 'entry-identified') {
      if (!this.#has.works) return undefined;
      return sql.get<{ row: number }>('delete from works where work = ? returning row', work)?.row;
    }
    const own = last ? undefined : this.#ownDocument(names);
    const isOwn = own !== undefined;
    const title = cut(record?.title ?? last?.title);
    const venue = cut(record?.venue);
    const [first] = record?.authors ?? [];
    const authors = first ? first.name.slice(0, 200) + ((record?.authors.length ?? 0) > 1 ? ' et al.' : '') : null;
    const doi = record?.ids.doi ?? cut(last?.doi);
    const name = own ?? slug(last?.work ?? work);
    const year = record?.date === undefined || record.date === null ? 0 : Number(record.date.slice(0, 4)) || 0;
    return sql.get<{ row: number }>(
      `insert into works (work, ${LIST}) values (?, ${FIELDS.map(() => '?').join(', ')})
       on conflict (work) do update set (${LIST}) = (${EXCLUDED}) where (${LIST}) is not (${EXCLUDED}) returning row`,
      work,
      last?.work ?? null,
      last?.sequence ?? 0,
      last?.at ?? '',
      last ? outcomeOf(last, title !== null) : isOwn ? 'local' : 'waiting',
      // Only a work without a text has a reason.
      last?.outcome === 'saved' ? '' : (last?.reason ?? (isApart ? 'split' : '')),
      last?.resolver ?? null,
      last?.bytes ?? null,
      isOwn || (last?.outcome === 'saved' && last.path !== null) ? name : '',
      name,
      title,
      authors,
      year,
      venue,
      record?.type ?? '',
      doi,
      cut(last?.licence) ?? record?.license ?? '',
      cut(last?.version) ?? record?.version ?? '',
      record?.citedBy ?? -1,
      record && retractionOf(record) ? 1 : 0,
      this.#labelOf(names),
      this.#isOtherVersion(work) ? 1 : 0,
      foldCase(title ?? '').slice(0, SORTED_LENGTH),
      foldCase(venue ?? '').slice(0, SORTED_LENGTH),
    )?.row;
  }

  #labelOf(names: readonly string[]): string {
    if (!this.#has.labels) return '';
    const found = this.#sql.get<{ label: string }>(
      'select label from labels where work in (select value from json_each(?)) order by rowid desc limit 1',
      JSON.stringify(names),
    );
    return found?.label ?? '';
  }

  /** The outcome with a file, otherwise the latest. */
  #lastOutcome(names: readonly string[]): LastOutcome | undefined {
    let last: LastOutcome | undefined;
    for (const name of names) {
      // The outcome of an entry is not that of its work.
      if (name !== names[0] && name.startsWith('entry:')) continue;
      const found = this.#sql.get<LastOutcome>(
        `select sequence, work, at, outcome, reason, resolver, path, bytes, title, doi, licence, version from outcomes
         where work = ? and reason <> 'duplicate' order by sequence desc limit 1`,
        name,
      );
      if (found && (!last || rankOf(found) > rankOf(last))) last = found;
    }
    return last;
  }
}

/** A file outranks a later attempt under another id. */
function rankOf({ outcome, sequence }: LastOutcome): number {
  return sequence + (outcome === 'saved' ? 2 ** 40 : 0);
}

/** The outcome shown for a work: a failure that is not retryable counts as unavailable. A title is enough to screen. */
function outcomeOf({ outcome, reason }: LastOutcome, hasTitle: boolean): string {
  if (namesNoWork(reason) && !hasTitle) return 'unreadable';
  return outcome === 'failed' && !isTransient(reason) ? 'skipped' : outcome;
}

function cut(text: unknown): string | null {
  return typeof text === 'string' ? text.slice(0, LONGEST_TEXT) : null;
}
