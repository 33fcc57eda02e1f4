import { Command, Option } from 'commander';

import type { Answer } from '../../ask/index.ts';
import { askCorpus, askSettings, citedWorks, isAnswered, openWriter } from '../../ask/index.ts';
import { rowSentence } from '../../ask/row-sentence/index.ts';
import { AppError } from '../../base/index.ts';
import { corpusOf, splitQuestion } from '../run-argument.ts';
import type { Session } from '../session.ts';
import { openSession, settingOptions, shared, stopSignal, databaseOptions } from '../session.ts';
import { count, counted, plain } from '../terminal.ts';
import { filterOptions, filtersOf } from '../filter-options.ts';
import { decimalNumber, wholeNumber } from '../options.ts';

const LONGEST_NEAREST = 200;

export function askCommand() {
  return filterOptions(settingOptions(databaseOptions(shared(new Command('ask'))), ['ask']))
    .description('answer a question from the papers of a run; every sentence has a verified quote')
    .argument('<question...>', '[run] question; default run: the newest')
    .usage('[options] [run] <question>')
    .addOption(
      new Option('-f, --format <format>', 'output format').choices(['text', 'markdown', 'bibtex']).default('text'),
    )
    .option(
      '--passages <n>',
      'passages listed with the answer (default 10), or given to a model (default 24); at least 48 are read',
      wholeNumber(1),
    )
    .option('--sentences <n>', 'maximum number of sentences in an answer without a model', wholeNumber(1), 3)
    .option(
      '--min-score <n>',
      'minimum score of the best sentence of an answer without a model, 0 to 1 (default 0.5, with --reader rules 0.6)',
      decimalNumber,
    )
    .addHelpText(
      'after',
      `
Without a model, the answer consists of the best matching sentences of the papers. With a model (model.url, model.name)
only sentences whose quotes occur verbatim in the papers and support them are shown; the others are dropped and counted.

Examples:
  docstokg ask runs/corals "which symbionts tolerate heat?"
  docstokg ask "which symbionts tolerate heat?" --model-url http://127.0.0.1:11434/v1 --model qwen3:8b --format markdown
`,
    )
    .action(async (given, flags, self) => {
      const session = openSession(self);
      const { terminal } = session;
      using stop = stopSignal();
      const { run, words } = splitQuestion(given);
      const question = words.join(' ');
      if (question === '') throw new AppError('USAGE_ARGUMENTS', 'expected [run] question', { hint: 'see --help' });
      await using corpus = await corpusOf(session, run);
      await using opened = new AsyncDisposableStack();
      const search = opened.use(await corpus.openSearch({ tell: session.tell }, stop.signal));
      const { passages, sentences, minScore } = flags;
      const writer = openWriter(corpus, opened);
      const answer = await askCorpus(
        search,
        question,
        {
          ...askSettings(corpus.config),
          passages,
          sentences,
          ...(minScore !== undefined && { least: minScore }),
          ...filtersOf(corpus, flags),
          writer,
          // Sentences that passed the gate, while the model still writes.
          report: (event) => {
            if (event.kind === 'sentence' && terminal.live) terminal.status(plain(event.sentence.text));
          },
        },
        stop.signal,
      );
      terminal.clear();
      if (!isAnswered(answer) || answer.failure) process.exitCode ??= 1;
      printAnswer(answer, flags.format, session);
      const used = writer?.budget;
      if (used && used.inputTokens > 0)
        session.info(`used: ${count(used.inputTokens)} tokens sent, ${count(used.outputTokens)} answered`);
    });
}

export function printAnswer(answer: Answer, format: 'text' | 'markdown' | 'bibtex', session: Session): void {
  const { terminal } = session;
  if (session.json) return session.print(answer);
  const { failure } = answer;
  if (failure) session.warn(`${failure.code}: ${failure.message}; sentences of the papers are shown instead`);
  if (answer.cut) session.warn('the answer of the model was cut off: raise model.max_tokens for the rest');
  if (answer.searches.length > 0) session.info(`the model also searched for: ${answer.searches.map(plain).join('; ')}`);
  if (answer.note !== null) session.warn(answer.note);
  const dropped = Object.entries(answer.dropped);
  if (dropped.length > 0)
    session.warn(`dropped: ${dropped.map(([why, number]) => `${count(number)} ${why}`).join(', ')}`);
  if (!isAnswered(answer)) {
    terminal.print('no answer was found in these papers');
    for (const { text, quotes } of answer.nearest.slice(0, 3))
      for (const { title, document, page } of quotes.slice(0, 1))
        session.info(
          `nearest: ${plain(title || document)}${place(page)}: “${plain(text.replaceAll(/\s+/g, ' ').slice(0, LONGEST_NEAREST))}”`,
        );
    return;
  }
  session.info(
    answer.model === null
      ? `${failure ? '' : 'no model was used; '}these sentences are quoted from the papers`
      : `written by ${answer.model}${answer.support === null ? '; the quotes were found, but not checked for support' : ''}`,
  );
  const works = citedWorks(answer);
  if (format === 'bibtex') return terminal.print(works.map(({ bibtex }) => bibtex).join('\n\n'));
  const numberOf = (id: string | null): number => works.findIndex((work) => work.id === id) + 1;
  const linesOf = (sentences: Answer['sentences']): string[] =>
    sentences.flatMap(({ text: said, quotes }) => {
      const [first] = quotes;
      const text = answer.model === null && first?.row ? rowSentence({ ...first.row, table: '' }) : said;
      const marks = [...new Set(quotes.map(({ work }) => numberOf(work)))].filter((number) => number > 0);
      // A row has its columns here and its table below.
      const isWords = answer.model !== null || quotes.some(({ row }) => row !== null);
      const head = `${isWords ? plain(text) : `“${plain(text)}”`}${marks.map((number) => ` [${number}]`).join('')}`;
      const below = quotes.map(({ text: words, title, document, page, link, row, cites, unread }, at) => {
        const table = row && row.table !== '' ? `, ${plain(row.table)}` : '';
        const from = `${plain(title || document)}${place(page)}${table}${cites === null ? '' : `, cites ${plain(cites)}`}${unreadNote(unread)}`;
        const shown = row ? rowSentence({ ...row, table: '' }) : `“${plain(words)}”`;
        const quote = answer.model === null && at === 0 ? '' : `${plain(shown)} `;
        if (format === 'markdown') return `> ${quote}${link === null ? from : `[${from}](${link})`}`;
        return `    ${quote}${terminal.style('dim', from, 'stdout')}`;
      });
      return [head, ...(format === 'markdown' ? ['', ...below, ''] : below)];
    });
  const titled = (title: string, sentences: Answer['sentences']): string[] =>
    sentences.length === 0 ? [] : ['', format === 'markdown' ? `## ${title}\n` : `${title}:`, ...linesOf(sentences)];
  const lines = [
    ...linesOf(answer.sentences),
    ...titled('The papers disagree', answer.disagreements),
    ...titled('Uncertain', answer.uncertain),
  ];
  const references = works.map(({ apa }, at) => `[${at + 1}] ${plain(apa)}`);
  terminal.print([...lines, ...(format === 'markdown' ? ['', '## References', ''] : ['']), ...references].join('\n'));
}

/** A quote with U+FFFD is not what the paper prints. */
function unreadNote(unread: number): string {
  return unread === 0 ? '' : ` (${counted(unread, 'sign')} of the quote could not be read)`;
}

function place(page: number | null): string {
  return page === null ? '' : `, page ${page}`;
}
