import { slug } from '../download/index.ts';
import type { ManifestRow } from '../download/index.ts';
import type { WorkRecord } from '../works/index.ts';
import { folded } from './folded.ts';
import type { Rows } from './rows.ts';

/** Longer titles and names are cut: a list shows no more. */
const LONGEST_TEXT = 1_000;
const SORTED_LENGTH = 200;

const FIELDS = [
  'tried', 'sequence', 'at', 'outcome', 'reason', 'resolver', 'bytes', 'document', 'name', 'title', 'authors', 'year', 'venue', 'type', 'doi',
  'licence', 'version', 'citations', 'retracted', 'sort_title', 'sort_venue',
] as const; // prettier-ignore
const LIST = FIELDS.join(', ');
const EXCLUDED = FIELDS.map((field) => `excluded.${field}`).join(', ');

/**
 * Keeps the table `works`: a row per work, made of its record, its last outcome and its document. A row depends on what the
 * other tables say now and not on the order in which they were filled, so that increments come to the same as a rebuild.
 */
export class WorkRows {
  readonly #store: Rows;
  readonly #changed = new Set<string>();

  constructor(store: Rows) {
    this.#store = store;
  }

  /** Notes that something is known about a name: the id of a record, another id of it, or the id that a work was tried by. */
  changed(name: string): void {
    this.#changed.add(name);
  }

  /** How many names were noted and have no row yet. */
  get size(): number {
    return this.#changed.size;
  }

  /** Makes the rows of all names that were noted. */
  settle(): void {
    const works = new Set<string>();
    for (const name of this.#changed) {
      works.add(name);
      for (const { work } of this.#store.all<{ work: string }>('select work from work_ids where id = ?', name))
        works.add(work);
      works.add(this.workOf(name));
    }
    this.#changed.clear();
    for (const work of works) this.#make(work);
  }

  /** The work that a name stands for: its record, by its id or another one of its ids, else itself. */
  workOf(name: string): string {
    const record = this.#store.get<{ id: string }>('select id from records where id = ?', name);
    if (record) return record.id;
    const other = this.#store.get<{ work: string }>('select min(work) as work from work_ids where id = ?', name);
    return other?.work ?? name;
  }

  #make(work: string): void {
    const store = this.#store;
    const kept = store.get<{ record: string }>('select record from records where id = ?', work);
    const record = kept && (JSON.parse(kept.record) as WorkRecord);
    const last = this.#lastOutcome(work, record !== undefined);
    const own = store.get<{ document: string }>(
      'select min(document) as document from own_papers where work = ?',
      work,
    );
    if (!record && (!last || this.workOf(work) !== work)) {
      const row = store.get<{ row: number }>('select row from works where work = ?', work);
      if (row) {
        store.run('delete from words where rowid = ?', row.row);
        store.run('delete from works where work = ?', work);
      }
      return;
    }
    const row = last && (JSON.parse(last.row) as ManifestRow);
    const isOwn = !last && typeof own?.document === 'string';
    const title = cut(record?.title ?? row?.title);
    const venue = cut(record?.venue);
    const [first] = record?.authors ?? [];
    const authors = first ? first.name.slice(0, 200) + ((record?.authors.length ?? 0) > 1 ? ' et al.' : '') : null;
    const doi = record?.ids.doi ?? cut(row?.doi);
    const name = isOwn ? own.document : slug(last?.work ?? work);
    const year = record?.date === undefined || record.date === null ? 0 : Number(record.date.slice(0, 4)) || 0;
    const retracted =
      store.get<{ retracted: number }>('select retracted from records where id = ?', work)?.retracted ?? 0;
    const changed = store.get<{ row: number }>(
      `insert into works (work, ${LIST}) values (?, ${FIELDS.map(() => '?').join(', ')})
       on conflict (work) do update set (${LIST}) = (${EXCLUDED}) where (${LIST}) is not (${EXCLUDED}) returning row`,
      work,
      last?.work ?? null,
      last?.sequence ?? 0,
      last?.at ?? '',
      last?.outcome ?? (isOwn ? 'own' : 'waiting'),
      last?.reason ?? (isOwn ? 'success' : ''),
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
      cut(row?.license) ?? record?.license ?? '',
      cut(row?.version) ?? record?.version ?? '',
      record?.citedBy ?? -1,
      retracted,
      folded(title ?? '').slice(0, SORTED_LENGTH),
      folded(venue ?? '').slice(0, SORTED_LENGTH),
    );
    if (changed)
      store.run(
        'insert or replace into words (rowid, body) values (?, ?)',
        changed.row,
        [title, authors, venue, doi, work].map((each) => each ?? '').join(' '),
      );
  }

  /** The last outcome of a work, by whichever of its ids it was tried. */
  #lastOutcome(
    work: string,
    hasRecord: boolean,
  ):
    | {
        sequence: number;
        work: string;
        at: string;
        outcome: string;
        reason: string;
        resolver: string | null;
        path: string | null;
        bytes: number | null;
        row: string;
      }
    | undefined {
    const ids = hasRecord
      ? this.#store.all<{ id: string }>('select id from work_ids where work = ?', work).map(({ id }) => id)
      : [];
    let last: ReturnType<WorkRows['last']>;
    for (const name of [work, ...ids]) {
      const found = this.last(name);
      if (!found || (last && last.sequence > found.sequence)) continue;
      if (name === work || this.workOf(name) === work) last = found;
    }
    return last;
  }

  /** The last outcome under one id. */
  last(name: string) {
    return this.#store.get<{
      sequence: number;
      work: string;
      at: string;
      outcome: string;
      reason: string;
      resolver: string | null;
      path: string | null;
      bytes: number | null;
      row: string;
    }>('select * from outcomes where work = ? order by sequence desc limit 1', name);
  }
}

function cut(text: unknown): string | null {
  return typeof text === 'string' ? text.slice(0, LONGEST_TEXT) : null;
}
