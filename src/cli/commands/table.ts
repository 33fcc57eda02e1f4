import { readFileSync } from 'node:fs';

import { Command, Option } from 'commander';

import type { Column, FilledTable, TableFormat } from '../../table/index.ts';
import { openWriter } from '../../ask/index.ts';
import {
  checkedColumns,
  estimateTable,
  fillTable,
  parseColumn,
  parseColumns,
  TABLE_FORMATS,
  tableText,
  writeTableFile,
} from '../../table/index.ts';
import { AppError, writeFileAtomic } from '../../base/index.ts';
import { settingsLayer } from '../../config/index.ts';
import { corpusOf, runArgument, splitRun } from '../run-argument.ts';
import type { Session } from '../session.ts';
import { openSession, settingOptions, shared, stopSignal, databaseOptions } from '../session.ts';
import { endStage, showStage } from './docparse/stage-options.ts';
import type { FlagsOf } from '../options.ts';
import { collect, decimalNumber, worksOption } from '../options.ts';
import { count, counted } from '../terminal.ts';

const HELP = `
A column is a question that is put to every paper: NAME, NAME:TYPE or NAME:number:UNIT, or in a file

  columns:
    - year
    - name: sample size
      question: How many participants were randomised?
      type: number
    - name: design
      type: choice
      choices: [randomised trial, cohort, case series]

Types are text, number, yes/no, choice and list. title, authors, year, venue, doi, type and licence come from the record.
Each cell has quotes, pages and where it is from: record, statement (funding, country), graph (software), quantity,
model, extractive, corrected;
or it is empty and says why. Killed or stopped, the same command resumes.

Examples:
  docstokg table runs/corals --column year --column "sample size:number" --out table.csv
  docstokg table runs/corals --columns columns.yaml --works included --format markdown
  docstokg table runs/corals --columns columns.yaml --model-url http://127.0.0.1:11434/v1 --model qwen3:8b --estimate
  docstokg table runs/corals --correct W2741809807 "sample size" 48
  docstokg table runs/corals --correct W2741809807 "sample size" --undo
`;

function tableOptions() {
  return worksOption(runArgument(settingOptions(databaseOptions(shared(new Command('table'))), ['table'])))
    .description('ask the same questions of every paper: one row per paper, each cell with its quote')
    .option('--columns <file>', 'YAML file with the columns')
    .option('--column <column>', 'a column, repeatable: NAME, NAME:TYPE, NAME:number:UNIT', collect)
    .addOption(
      new Option('-f, --format <format>', 'output format; default: from the name of --out').choices(TABLE_FORMATS),
    )
    .option('--out <file>', 'output file; default: stdout')
    .option('--max-cost <usd>', 'spending limit for the model in this run, in US dollars', decimalNumber)
    .option('--estimate', 'only print about how many requests and tokens a model would need, and their cost')
    .option('--force', 'fill in all rows again; cached model answers are free')
    .option('--correct <word...>', 'correct a cell instead, WORK COLUMN [VALUE]; later runs keep it')
    .option('--undo', 'with --correct: back to what was found')
    .addHelpText('after', HELP);
}

type TableFlags = FlagsOf<typeof tableOptions>;

export function tableCommand() {
  return tableOptions().action(async (run, flags, self) => {
    const session = openSession(self);
    if (flags.correct) return await correct([...(run === undefined ? [] : [run]), ...flags.correct], flags, session);
    using stop = stopSignal();
    const columns = columnsOf(flags);
    const format = flags.format ?? formatOf(flags.out);
    if (format === 'parquet' && flags.out === undefined)
      throw new AppError('USAGE_TABLE', 'Parquet output needs a file', { hint: 'give it with --out FILE' });
    const budget = settingsLayer({ model: { budget_usd: flags.maxCost } }, 'option --max-cost');
    await using corpus = await corpusOf(session, run, budget);
    await using opened = new AsyncDisposableStack();
    const search = opened.use(await corpus.openSearch({ tell: session.tell }, stop.signal));
    const writer = openWriter(corpus, opened);
    const chosen = { columns, search: { works: corpus.chooseWorks(flags.works) }, writer };
    if (flags.estimate) {
      if (!writer)
        throw new AppError('USAGE_TABLE', 'without a model a table costs nothing', {
          hint: 'name one with --model-url and --model',
        });
      const estimate = await estimateTable(corpus, search, chosen, stop.signal);
      const { papers, known, requests, inputTokens, mostOutputTokens: output, mostUsd } = estimate;
      const money =
        mostUsd === null
          ? 'prices are not set'
          : `about ${mostUsd.toFixed(2)} US dollars if all answers are as long as allowed`;
      session.print(
        estimate,
        `${counted(papers, 'paper')}, ${count(known)} of them free; ${counted(requests, 'request')}, about ${count(inputTokens)} tokens sent, at most ${count(output)} answered; ${money}`,
      );
      return;
    }
    const table = await fillTable(
      corpus,
      search,
      {
        ...chosen,
        call: flags.force ? { force: true } : {},
        report: showStage(session),
      },
      stop.signal,
    );
    endStage(table.outcome, session);
    await write(table, format, flags.out, session);
    if (table.screenedOut > 0)
      session.info(
        `without ${counted(table.screenedOut, 'work')} that screening excluded; --works excluded makes their rows`,
      );
    if (table.overBudget > 0) {
      process.exitCode ??= 1;
      session.warn(
        `over budget, not filled in: ${counted(table.overBudget, 'paper')}; raise the budget and run the same command`,
      );
    }
    const used = writer?.budget;
    if (used && used.inputTokens > 0)
      session.info(`used: ${count(used.inputTokens)} tokens sent, ${count(used.outputTokens)} answered`);
  });
}

function columnsOf({ columns, column = [] }: TableFlags): Column[] {
  const listed = columns === undefined ? [] : parseColumns(readColumns(columns), columns);
  const all = checkedColumns([...listed, ...column.map(parseColumn)], '--column');
  if (all.length > 0) return all;
  throw new AppError('USAGE_TABLE', 'no columns given', { hint: 'give columns with --column or --columns FILE' });
}

function readColumns(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new AppError('USAGE_TABLE', `${path} cannot be read`, { hint: 'a YAML file with columns', cause });
  }
}

function formatOf(out: string | undefined): TableFormat {
  if (out === undefined) return 'markdown';
  const ending = /\.([a-z]+)$/i.exec(out)?.[1]?.toLowerCase() ?? '';
  return ({ csv: 'csv', md: 'markdown', json: 'json', parquet: 'parquet' } as const)[ending] ?? 'csv';
}

async function write(
  table: FilledTable,
  format: TableFormat,
  out: string | undefined,
  session: Session,
): Promise<void> {
  const { id: _id, outcome: _outcome, overBudget: _overBudget, screenedOut: _screenedOut, ...plain } = table;
  if (out === undefined) {
    const text = tableText(plain, session.json ? 'json' : format === 'parquet' ? 'csv' : format);
    session.terminal.print(text.trimEnd());
    return;
  }
  if (format === 'parquet') await writeTableFile(out, plain);
  else await writeFileAtomic(out, tableText(plain, format));
  const cells = table.rows.flatMap((row) => row.cells);
  const filled = cells.filter(({ kind }) => kind === 'value').length;
  session.print(
    { path: out, rows: table.rows.length, columns: table.columns.length, filled },
    `${out}: ${counted(table.rows.length, 'paper')}, ${count(filled)} of ${count(cells.length)} cells filled`,
  );
}

async function correct(words: readonly string[], flags: TableFlags, session: Session): Promise<void> {
  const { run, words: given } = splitRun(words, ['work', 'column', '[value]']);
  const [work = '', column = '', value = ''] = given;
  await using corpus = await corpusOf(session, run);
  await corpus.correct(work, column, flags.undo ? null : value);
  session.info(`${flags.undo ? 'restored' : 'corrected'}: ${work}, ${column}`);
}
