import type { ManifestRow } from '../download/index.ts';
import { lostSources } from '../download/index.ts';
import type { CorpusStore } from '../store/index.ts';
import { sentenceOf } from './works/work-table.ts';

const MOST_LOST = 30;

/** The sources of full texts, and what failed. */
export interface Sources {
  /** Works with an outcome, and the bytes of their files. */
  readonly works: number;
  readonly bytes: number;
  readonly resolvers: readonly {
    readonly name: string;
    /** Works for which it was asked, and works for which it answered. */
    readonly asked: number;
    readonly answered: number;
    readonly saved: number;
    readonly attempts: number;
  }[];
  readonly attempt_reasons: readonly {
    readonly reason: string;
    readonly attempts: number;
    readonly sentence: string | null;
  }[];
  /** Hosts that did not deliver, with the number of works. */
  readonly lost: Readonly<Record<string, number>>;
  readonly kinds: Readonly<Record<string, number>>;
}

/** An attempt at a URL, reduced to its host. */
export interface AttemptAtHost {
  readonly url: string;
  readonly status: number | null;
  readonly bytes: number;
  readonly started_at: string;
}

const LAST = 'works join outcomes on outcomes.sequence = works.sequence';

/** Counts sources from the last row of every work. */
export function sourcesOf(store: CorpusStore): Sources {
  const counts = (sql: string): Map<string, number> =>
    new Map(store.all<{ name: string; n: number }>(sql).map(({ name, n }) => [name, n]));
  const total = store.get<{ works: number; bytes: number }>(
    `select count(*) as works, coalesce(sum(outcomes.bytes), 0) as bytes from ${LAST}`,
  ) ?? { works: 0, bytes: 0 };
  const saved = counts(
    "select coalesce(resolver, 'unknown') as name, count(*) as n from works where outcome = 'saved' group by 1 order by 2 desc, 1",
  );
  const attempts = counts(
    `select attempts.resolver as name, count(*) as n from works join attempts on attempts.sequence = works.sequence
     group by 1 order by 2 desc, 1`,
  );
  const asked = counts(
    `select asked.value as name, count(distinct works.row) as n from ${LAST}, json_each(outcomes.row, '$.asked') as asked
     group by 1 order by 2 desc, 1`,
  );
  const silent = counts(
    `select problem.value ->> '$.resolver' as name, count(distinct works.row) as n
     from ${LAST}, json_each(outcomes.row, '$.problems') as problem
     where problem.value ->> '$.resolver' in (select value from json_each(outcomes.row, '$.asked')) group by 1`,
  );
  const lost = new Map<string, number>();
  for (const { row } of store.iterate<{ row: string }>(
    `select outcomes.row from ${LAST} where works.outcome not in ('saved', 'own') and outcomes.row ->> '$.attempts' <> '[]'`,
  ))
    for (const host of lostSources(JSON.parse(row) as ManifestRow).keys()) lost.set(host, (lost.get(host) ?? 0) + 1);
  const names = new Set([...saved.keys(), ...attempts.keys(), ...asked.keys()]);
  return {
    ...total,
    resolvers: [...names].map((name) => ({
      name,
      asked: asked.get(name) ?? 0,
      answered: (asked.get(name) ?? 0) - (silent.get(name) ?? 0),
      saved: saved.get(name) ?? 0,
      attempts: attempts.get(name) ?? 0,
    })),
    attempt_reasons: store
      .all<{ reason: string; attempts: number }>(
        `select attempts.reason, count(*) as attempts from works join attempts on attempts.sequence = works.sequence
         where attempts.reason <> 'success' group by 1 order by 2 desc, 1`,
      )
      .map((line) => ({ ...line, sentence: sentenceOf(line.reason) })),
    lost: Object.fromEntries([...lost].toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, MOST_LOST)),
    kinds: Object.fromEntries(
      counts(
        `select coalesce(outcomes.kind, 'unknown') as name, count(*) as n from ${LAST} where works.outcome = 'saved'
         group by 1 order by 2 desc, 1`,
      ),
    ),
  };
}

/** Every attempt of the last row of every work. */
export function attemptsAtHosts(store: CorpusStore): IterableIterator<AttemptAtHost> {
  return store.iterate<AttemptAtHost>(
    `select url, status, attempts.bytes, started_at from works join attempts on attempts.sequence = works.sequence`,
  );
}
