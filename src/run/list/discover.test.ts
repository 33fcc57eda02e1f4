import assert from 'node:assert/strict';
import { readFileSync, truncateSync, writeFileSync, mkdirSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { DuckDBInstance } from '@duckdb/node-api';

import { discoveryQuery, discoverWorks, readDiscoveryQuery } from './discover.ts';

const folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-discover-test-'));
test.after(() => folder.remove());
const at = (...names: string[]): string => join(folder.path, ...names);
const duckdb = await (await DuckDBInstance.create()).connect();
const ROWS = 20_000;
const WORDS = [
  'coral',
  'corals',
  'bleaching',
  'bleached',
  'heat',
  'stress',
  'kelp',
  'reef',
  'model',
  'Señales',
  'of',
  'the',
];

// Works of random words in the schema of OpenAlex, as Parquet (two files, several row groups) and as JSON lines.
await duckdb.run(`
  select setseed(0.42);
  create macro word() as list_extract(${JSON.stringify(WORDS).replaceAll('"', "'")}, 1 + floor(random() * ${WORDS.length})::int);
  create table work as select 'https://openalex.org/W' || (1000 + (i * 7919) % 1000003) as id, i,
      word() || ' ' || word() || ' ' || word() as title,
      [word(), word(), word(), word(), word(), word()] as words,
      1990 + (i % 36)::int as publication_year,
      case when i % 3 = 0 then 'review' else 'article' end as type, case when i % 5 = 0 then 'de' else 'en' end as language,
      {'is_oa': i % 2 = 0, 'oa_status': 'gold'} as open_access, i % 50 = 0 as is_retracted,
      'https://doi.org/10.5555/' || i as doi, '2026-06-' || lpad((1 + i % 28)::varchar, 2, '0') as updated_date
    from range(${ROWS}) t(i);
  create view stored as select * exclude (words, i),
      case when i % 11 = 0 then null else to_json(map_from_entries(list_transform(list_distinct(words),
        w -> {'k': w, 'v': list_filter(range(len(words)), p -> words[p + 1] = w)})))::varchar end as abstract_inverted_index
    from work;`);
mkdirSync(at('parquet', 'updated_date=2026-06-24'), { recursive: true });
mkdirSync(at('jsonl'));
await duckdb.run(`
  copy (select * from stored where ends_with(doi, '1')) to '${at('parquet', 'part_0000.parquet')}' (row_group_size 2048, codec 'snappy');
  copy (select * from stored where not ends_with(doi, '1')) to '${at('parquet', 'updated_date=2026-06-24', 'part_0001.parquet')}' (row_group_size 4096, codec 'zstd');
  copy (select * replace (abstract_inverted_index::json as abstract_inverted_index) from stored)
    to '${at('jsonl', 'part_0000.gz')}' (format json, compression gzip);`);

/** The ids that DuckDB finds with a condition over `title` and `abstract` (words in their order). */
async function expected(condition: string): Promise<string[]> {
  const rows = await duckdb.runAndReadAll(`select replace(id, 'https://openalex.org/', '') as id from
    (select *, case when i % 11 = 0 then '' else array_to_string(words, ' ') end as abstract from work)
    where ${condition} order by replace(id, 'https://openalex.org/W', '')::int`);
  return rows.getRowObjectsJson().map(({ id }) => id as string);
}

async function discovered(
  query: object,
  snapshot = at('parquet'),
): Promise<{ ids: string[]; hash: string; rows: number }> {
  const account = await discoverWorks({ snapshot, query: discoveryQuery.parse(query), out: at('works.jsonl') });
  const lines = readFileSync(at('works.jsonl'), 'utf8').split('\n').filter(Boolean);
  return {
    ids: lines.map((line) => (JSON.parse(line) as { openalex: string }).openalex),
    hash: account.ids_sha256,
    rows: account.rows,
  };
}

for (const [query, condition] of [
  [
    { query: 'coral* AND (bleach* OR "heat stress") NOT title:kelp', from: 2010, to: 2020 },
    `regexp_matches(title || ' | ' || abstract, '\\bcoral') and (regexp_matches(title || ' | ' || abstract, '\\bbleach')
      or contains(title, 'heat stress') or contains(abstract, 'heat stress')) and not regexp_matches(title, '\\bkelp\\b')
      and publication_year between 2010 and 2020`,
  ],
  [
    { query: 'title:senales', type: ['review'], language: ['de'] },
    `contains(title, 'Señales') and type = 'review' and language = 'de'`,
  ],
  [
    { query: 'abstract:(reef NEAR/2 model)', open_access: true, retracted: 'exclude' },
    `regexp_matches(abstract, '\\b(reef( \\S+)? model|model( \\S+)? reef)\\b') and open_access.is_oa and not is_retracted`,
  ],
  [
    { query: 'NOT the NOT of NOT coral*' },
    `not regexp_matches(title || ' ' || abstract, '\\b(the|of|coral|corals)\\b')`,
  ],
] as const) {
  test(`${query.query} finds the works that DuckDB finds, in Parquet and in JSON lines`, async () => {
    const ids = await expected(condition);
    assert.ok(ids.length > 20 && ids.length < ROWS / 2, `${ids.length} works`);
    const [parquet, json] = [await discovered(query), await discovered(query, at('jsonl'))];
    assert.deepEqual(parquet.ids, ids);
    assert.deepEqual([json.ids.length, json.hash, json.rows], [ids.length, parquet.hash, ROWS]);
  });
}

test('a line has what run, screen and reference managers read', async () => {
  await discovered({ query: 'coral AND kelp' });
  const [line = ''] = readFileSync(at('works.jsonl'), 'utf8').split('\n');
  const { openalex, doi, title, year, abstract } = JSON.parse(line) as Record<string, unknown>;
  assert.match(String(openalex), /^W\d+$/);
  assert.match(String(doi), /^10\.5555\/\d+$/);
  assert.ok(String(title).split(' ').length === 3 && typeof year === 'number' && typeof abstract === 'string');
});

test('a work in two files counts once, as it was updated last', async () => {
  mkdirSync(at('twice'));
  const row = (updated: string, title: string): string =>
    JSON.stringify({ id: 'https://openalex.org/W5', title, updated_date: updated, publication_year: 2020 });
  writeFileSync(at('twice', 'a.jsonl'), `${row('2026-02-01', 'coral new')}\nnot json\n`);
  writeFileSync(at('twice', 'b.jsonl'), `${row('2026-01-01', 'coral old')}\n`);
  const account = await discoverWorks({
    snapshot: at('twice'),
    query: discoveryQuery.parse({ query: 'coral' }),
    out: at('two.jsonl'),
  });
  assert.deepEqual([account.rows, account.unreadable, account.works], [2, 1, 1]);
  assert.match(readFileSync(at('two.jsonl'), 'utf8'), /coral new/);
});

test('an account is a query file; faulty query files and snapshots are refused with what is wrong', async () => {
  await discovered({ query: 'coral', note: 'for the review' });
  assert.equal((await readDiscoveryQuery(at('works.account.json'))).note, 'for the review');
  writeFileSync(at('bad.yaml'), 'query: coral\nyears: [2010]\n');
  await assert.rejects(readDiscoveryQuery(at('bad.yaml')), { code: 'USAGE_QUERY', message: /years/ });
  mkdirSync(at('empty'));
  await assert.rejects(discovered({ query: 'coral' }, at('empty')), { code: 'USAGE_SNAPSHOT' });
  await assert.rejects(discovered({ query: 'coral' }, at('nowhere')), { code: 'USAGE_SNAPSHOT' });
  await assert.rejects(discovered({ query: 'coral bleaching' }), { code: 'USAGE_QUERY' });
  mkdirSync(at('torn'));
  writeFileSync(at('torn', 'part.gz'), readFileSync(at('jsonl', 'part_0000.gz')));
  truncateSync(at('torn', 'part.gz'), 5_000);
  await assert.rejects(discovered({ query: 'coral' }, at('torn')), { code: 'FILE_UNREADABLE' });
  writeFileSync(at('torn', 'part.gz'), '');
  writeFileSync(at('torn', 'part.parquet'), 'PAR1 nonsense PAR1');
  await assert.rejects(discovered({ query: 'coral' }, at('torn')), { code: 'FILE_UNREADABLE' });
});
