import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import type { Corpus } from '../corpus/index.ts';
import { openCorpus } from '../corpus/index.ts';
import { chunkItem, chunkOutput, openRowReader, openTokenizer } from '../parse/index.ts';
import { Records } from '../database/index.ts';
import { openLoopback } from '../testing/index.ts';
import { emptyRecord } from '../works/index.ts';
import { openWriter } from '../ask/index.ts';
import type { Cell, Table } from './cell.ts';
import { checkedColumns, columnsFrom, parseColumns } from './columns.ts';
import { extractedCell } from './fill-cells.ts';
import type { FilledTable, TableEstimate } from './fill-table.ts';
import { estimateTable, fillTable } from './fill-table.ts';
import { tableText, writeTableFile } from './write-table.ts';

const folder = mkdtempSync(join(tmpdir(), 'docstokg-table-'));

after(() => rmSync(folder, { recursive: true }));

const PAPERS: Readonly<Record<string, string>> = {
  W1: 'We ran a randomised trial in two hospitals. The sample size was 48 patients in all. The dose was 20 mg of the drug each day. Blinding was kept until the end of the study.',
  W2: 'This cohort study followed everybody for years. The sample size was 1,200 patients from ten towns. Nothing was given to them besides advice by mail.',
  W3: 'The reef was looked at by divers in every summer, and corals bleached when it was hot for long.',
};

before(async () => {
  {
    using records = Records.open(folder);
    records.add(
      ['W1', 'W2'].map((id) => ({
        ...emptyRecord(id, { openalex: id, doi: `10.1000/${id.toLowerCase()}` }),
        title: `Paper ${id}`,
        date: id === 'W1' ? '2019' : '2021',
      })),
    );
    for (const id of ['W1', 'W2'])
      records.fileOwn({ document: id, sha256: id, checked: true }, [emptyRecord(id, { openalex: id })]);
  }
  const tokenizer = await openTokenizer('cl100k');
  const quality = { unmappedGlyphs: 0, columns: 1, confidence: 1 };
  for (const [id, text] of Object.entries(PAPERS)) {
    const output = chunkOutput(join(folder, 'Data'), id, 'jsonl');
    mkdirSync(join(output, '..'), { recursive: true });
    const document = {
      blocks: [
        {
          order: 0,
          kind: 'text' as const,
          text,
          regions: [{ page: 2, box: { left: 0, top: 0, right: 9, bottom: 9 } }],
        },
      ],
      metadata: { authors: [], needsOcr: [], quality },
    };
    await chunkItem({ id, document, output, tokenizer, options: { maxTokens: 128, minTokens: 8, overlapTokens: 0 } });
  }
});

const COLUMNS = checkedColumns(
  parseColumns(
    `columns:
  - year
  - name: sample size
    type: number
  - {name: dose, type: number, unit: mg}
  - {name: study design, question: "Was it a randomised trial or a cohort study?", type: choice, choices: [randomised trial, cohort study]}
  - {name: blinding, type: yes/no}
  - {name: corals, question: "What happened to the corals in the study?"}`,
    'test',
  ),
  'test',
);

const open = (model: object = {}): Promise<Corpus> =>
  openCorpus(folder, { settings: { parse: { format: 'jsonl', data_root: join(folder, 'Data') }, model } as never });

async function table(corpus: Corpus, works?: string): Promise<FilledTable> {
  await using opened = new AsyncDisposableStack();
  const session = opened.use(await corpus.openSearch({ mode: 'lexical' }));
  const writer = openWriter(corpus, opened);
  const search = works === undefined ? {} : { works: corpus.chooseWorks(works) };
  return await fillTable(corpus, session, {
    columns: COLUMNS,
    search,
    writer,
  });
}

const shown = ({ rows }: Table): Record<string, (string | null)[]> =>
  Object.fromEntries(
    rows.map(({ document, cells }) => [document, cells.map((cell) => (cell.kind === 'value' ? cell.value : null))]),
  );

const cellOf = ({ rows, columns }: Table, document: string, column: string): Cell | undefined =>
  rows.find((row) => row.document === document)?.cells[columns.findIndex(({ name }) => name === column)];

test('without a model each cell is a value with its quote and page, or empty with a reason', async () => {
  await using corpus = await open();
  const made = await table(corpus);
  assert.deepEqual(shown(made), {
    W1: ['2019', '48', '20 mg', 'randomised trial', null, null],
    W2: ['2021', '1,200', null, 'cohort study', null, null],
    W3: [null, null, null, null, null, null],
  });
  const size = cellOf(made, 'W1', 'sample size');
  const [quote, ...others] = size?.quotes ?? [];
  assert.deepEqual([quote?.text, quote?.page, others], ['The sample size was 48 patients in all.', 2, []]);
  assert.equal(size?.kind === 'value' && size.from, 'statement');
  const corals = cellOf(made, 'W3', 'corals');
  assert.deepEqual([corals?.kind === 'empty' && corals.reason, corals?.quotes[0]?.text], ['not-sure', PAPERS['W3']]);
  const { start = 0, end = 0 } = quote?.passage ?? {};
  assert.ok(PAPERS['W1']?.slice(start, end).includes('48 patients'));
  const reasons = made.rows.flatMap(({ cells }) =>
    cells.flatMap((cell) => (cell.kind === 'empty' ? [cell.reason] : [])),
  );
  assert.deepEqual([...new Set(reasons)].sort(), [
    'needs-reading',
    'no-passage',
    'no-sentence',
    'not-in-record',
    'not-sure',
  ]);
  const again = await table(corpus);
  assert.equal(again.outcome.skipped, 3, 'a second run reads no paper again');
  assert.deepEqual(again.rows, made.rows);
});

test('a choice is filled in only if the best sentence names it without a negation and no sentence names another', () => {
  const [column] = columnsFrom([
    { name: 'weight', type: 'choice', choices: ['no difference', 'increased', 'decreased'] },
  ]);
  assert.ok(column);
  const chosen = (...texts: string[]): string | null => {
    const sentences = texts.map((text) => {
      const quote = {
        text,
        sentence: text,
        passage: 'd#1',
        document: 'd',
        page: 1,
        start: 0,
        end: 9,
        work: null,
        title: null,
        citation: null,
        link: null,
        row: null,
        cites: null,
        unread: 0,
      };
      return { text, fit: 0.9, quotes: [quote] };
    });
    const cell = extractedCell(column, sentences, []);
    return cell.kind === 'value' ? cell.value : null;
  };
  assert.equal(chosen('Weight increased in both.', 'It was measured.'), 'increased');
  assert.equal(chosen('There was no difference in weight.'), 'no difference');
  for (const texts of [
    ['Weight was not increased.'],
    ['Weight increased.', 'Weight decreased.'],
    ['Weight was measured.', 'Weight increased.'],
    ['Weight increased, but height did not.'],
  ])
    assert.equal(chosen(...texts), null, texts.join(' '));
});

test('corrections and selected works survive later runs; undoing a correction restores the extracted value', async () => {
  await using corpus = await open();
  await corpus.correct('10.1000/W1', 'sample size', '50');
  await corpus.correct('W1', 'dose', '');
  const made = await table(corpus, 'W1');
  assert.deepEqual(shown(made), { W1: ['2019', '50', null, 'randomised trial', null, null] });
  assert.deepEqual(cellOf(made, 'W1', 'dose'), {
    kind: 'empty',
    reason: 'corrected',
    sentence: 'a person left it empty',
    quotes: [],
  });
  await corpus.correct('W1', 'sample size', null);
  await corpus.correct('W1', 'dose', null);
  assert.equal(shown(await table(corpus, 'W1'))['W1']?.[1], '48');
  assert.equal(await corpus.saveSet('old', { filter: 'year:-2020' }), 1);
  assert.deepEqual(Object.keys(shown(await table(corpus, 'old'))), ['W1']);
});

test('a table is exported as CSV without formulas, as Markdown with quotes, and as Parquet', async () => {
  await using corpus = await open();
  await corpus.correct('W2', 'corals', '=HYPERLINK("x")');
  const made = await table(corpus);
  const csv = tableText(made, 'csv');
  assert.match(csv, /^work,document,title,citation,year,year \(quote\)/);
  assert.match(csv, /"'=HYPERLINK\(""x""\)"/);
  assert.equal(csv.trim().split('\r\n').length, 4);
  assert.match(
    tableText(made, 'markdown'),
    /48 \[1\][^]*1\. Paper W1, page 2: “The sample size was 48 patients in all\.” \(statement\)/,
  );
  const path = join(folder, 'table.parquet');
  await writeTableFile(path, made);
  const rows = await Array.fromAsync((await openRowReader(path)).rows());
  assert.equal(rows[0]?.['sample size'], '48');
  await corpus.correct('W2', 'corals', null);
});

/** A model with given answers, which counts its requests; every value is supported unless `verdicts` says otherwise. */
async function openModel(
  write: (prompt: string) => object[],
  verdicts: (prompt: string) => object[] = () => [],
): Promise<AsyncDisposable & { readonly url: string; asked: number; checked: number; readonly prompts: string[] }> {
  const server = await openLoopback((seen, response) => {
    const { messages } = JSON.parse(seen.body) as { messages: { content: string }[] };
    const prompt = messages[1]?.content ?? '';
    const isCheck = prompt.includes('<case ');
    if (isCheck) model.checked += 1;
    else model.asked += 1;
    model.prompts.push(prompt);
    const all = [...prompt.matchAll(/<case number="(\d+)"/g)].map(([, number]) => ({
      case: Number(number),
      verdict: 'supports',
      why: 'it does',
    }));
    const content = JSON.stringify(isCheck ? { verdicts: [...verdicts(prompt), ...all] } : { cells: write(prompt) });
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({ choices: [{ message: { content } }], usage: { prompt_tokens: 900, completion_tokens: 100 } }),
    );
  });
  const model = {
    url: `http://127.0.0.1:${server.port}/v1`,
    asked: 0,
    checked: 0,
    prompts: [] as string[],
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
  return model;
}

const given = (column: number, value: string, ...quotes: string[]): object => ({
  column,
  value,
  quotes: quotes.map((quote) => ({ passage: 1, quote })),
});

test('cells filled in by a model are checked one by one, and paid for once', async () => {
  await using model = await openModel(
    (prompt) =>
      prompt.includes('48 patients')
        ? [
            given(1, '48', 'The sample size was 48 patients', 'We ran a randomised trial in two hospitals'),
            given(2, '25 mg', 'The dose was 20 mg of the drug'),
            given(3, 'survey', 'We ran a randomised trial in two hospitals'),
            given(4, 'Yes, it was', 'Blinding was kept until the end'),
            given(5, 'red corals', 'Red corals were used in the study'),
            given(99, 'x', 'x'),
          ]
        : [],
    (prompt) => {
      const at = /<case number="(\d+)">\nQuestion: blinding \(yes or no\)\nSentence: blinding: yes/.exec(prompt)?.[1];
      return at === undefined ? [] : [{ case: Number(at), verdict: 'unrelated', why: 'of something else' }];
    },
  );
  const settings = { url: model.url, name: 'm', per_second: 1000, retries: 0 };
  await using corpus = await open(settings);
  const made = await table(corpus);
  assert.equal(made.model, 'm');
  assert.deepEqual(shown(made)['W1'], ['2019', '48', null, null, null, null]);
  assert.equal(cellOf(made, 'W1', 'sample size')?.quotes.length, 2);
  const reasonOf = (column: string): string | undefined => {
    const cell = cellOf(made, 'W1', column);
    return cell?.kind === 'empty' ? cell.reason : undefined;
  };
  assert.deepEqual(['dose', 'study design', 'blinding', 'corals'].map(reasonOf), [
    'number-not-in-quote',
    'not-a-choice',
    'not-supported',
    'quote-not-in-paper',
  ]);
  assert.deepEqual([model.asked, model.checked], [3, 1], 'one check for all cells of a paper');
  rmSync(join(folder, 'Data', 'Tables'), { recursive: true });
  assert.deepEqual(shown(await table(corpus)), shown(made));
  assert.deepEqual([model.asked, model.checked], [3, 1], 'answers are stored');
});

test('an estimate asks nothing, and stored answers cost nothing', async () => {
  await using model = await openModel(() => []);
  const prices = { usd_per_million_input: 1, usd_per_million_output: 2, max_tokens: 100 };
  await using corpus = await open({ url: model.url, name: 'priced', per_second: 1000, retries: 0, ...prices });
  const estimate = async (): Promise<TableEstimate> => {
    await using opened = new AsyncDisposableStack();
    const session = opened.use(await corpus.openSearch({ mode: 'lexical' }));
    return await estimateTable(corpus, session, { columns: COLUMNS, writer: openWriter(corpus, opened) });
  };
  const { inputTokens, mostUsd, ...rest } = await estimate();
  assert.deepEqual(rest, { papers: 3, known: 0, requests: 6, mostOutputTokens: 600 });
  assert.ok(inputTokens > 3_000 && inputTokens < 9_000, String(inputTokens));
  assert.equal(mostUsd, (inputTokens + 2 * 600) / 1e6);
  assert.equal(model.asked, 0);
  await table(corpus);
  assert.deepEqual(await estimate(), {
    ...rest,
    known: 3,
    requests: 0,
    mostOutputTokens: 0,
    inputTokens: 0,
    mostUsd: 0,
  });
});

test('papers beyond the budget are left out and reported, and filled in once it is raised', async () => {
  await using model = await openModel(() => []);
  const settings = { url: model.url, name: 'dear', per_second: 1000, retries: 0 };
  await using poor = await open({ ...settings, budget_tokens: 4_000 });
  const made = await table(poor);
  assert.equal(made.overBudget + made.rows.length, 3);
  assert.ok(made.overBudget > 0);
  await using rich = await open(settings);
  assert.equal((await table(rich)).rows.length, 3);
  assert.equal(model.asked, 3);
});
