import type { CorpusStore } from './corpus-store.ts';
import type { Phase, Protocol, ScreeningDecision } from './decisions.ts';

/** A decision and its place in the order of all. */
type Screened = ScreeningDecision & { readonly sequence: number };

const ABOUT = 'and (work = ?1 or work in (select id from work_ids where work_ids.work = ?1))';

/** Decisions that were not undone, in their order: all, or those about one work under any of its ids. */
export function screenedRows<C extends keyof Screened>(
  store: CorpusStore,
  columns: readonly C[],
  work?: string,
): IterableIterator<Pick<Screened, C>> {
  const sql = `select ${columns.join(', ')} from screened where undone = 0 ${work === undefined ? '' : ABOUT} order by sequence`;
  return store.iterate<Pick<Screened, C>>(sql, ...(work === undefined ? [] : [work]));
}

/** The last decision of a reviewer. */
export function lastScreened(
  store: CorpusStore,
  by: string,
  phase: Phase | undefined,
): Pick<Screened, 'id' | 'work'> | undefined {
  return store.get(
    'select id, work from screened where by = ?1 and undone = 0 and (?2 is null or phase = ?2) order by sequence desc limit 1',
    by,
    phase ?? null,
  );
}

/** The protocol in force. */
export function lastProtocol(store: CorpusStore): Protocol | undefined {
  const row = store.get<Protocol & { reasons: string; highlight: string }>(
    'select version, reviewers, question, criteria, reasons, highlight from protocols order by version desc limit 1',
  );
  return (
    row && {
      ...row,
      reasons: JSON.parse(row.reasons) as string[],
      highlight: JSON.parse(row.highlight) as string[],
    }
  );
}

export function lastSample(store: CorpusStore): { readonly seed: string; readonly after: number } | undefined {
  return store.get('select seed, after from samples order by sequence desc limit 1');
}

/** Works that can be screened, in the order of their rows. */
export function screenableWorks(store: CorpusStore): string[] {
  return store
    .all<{ work: string }>("select work from works where other_version = 0 and outcome <> 'unreadable' order by row")
    .map(({ work }) => work);
}

export function titleOf(store: CorpusStore, work: string): string | null {
  return store.get<{ title: string | null }>('select title from works where work = ?', work)?.title ?? null;
}

/** The work that an id turned out to name. */
export function sameWork(store: CorpusStore, id: string): string | undefined {
  return store.get<{ of: string }>('select of from same_works where id = ?', id)?.of;
}
