import { existsSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';

import { Command, Option } from 'commander';

import { duration } from '../../base/index.ts';
import { SEARCHED_BY } from '../../search/index.ts';
import { corpusOf, splitQuestion } from '../run-argument.ts';
import { passageText } from '../passage-text.ts';
import type { CitedHit, SearchSession } from '../../corpus/index.ts';
import type { Session } from '../session.ts';
import { openSession, shared, stopSignal, databaseOptions } from '../session.ts';
import { counted, plain } from '../terminal.ts';
import { filterOptions, filtersOf } from '../filter-options.ts';
import { decimalNumber, wholeNumber } from '../options.ts';

export function searchCommand() {
  return filterOptions(databaseOptions(shared(new Command('search'))))
    .description('search for passages that answer a question')
    .argument(
      '[words...]',
      '[run] question; default run: the newest. Without a question, questions are read from stdin, one per line',
    )
    .usage('[options] [run] [question]')
    .option('-n, --top <n>', 'passages to show', wholeNumber(1), 5)
    .addOption(new Option('--hybrid', 'by words and by meaning (default)').conflicts(['dense', 'lexical']))
    .addOption(new Option('--dense', 'by meaning only').conflicts(['hybrid', 'lexical']))
    .addOption(new Option('--lexical', 'by words only').conflicts(['hybrid', 'dense']))
    .option('--by-paper', 'show the best passage of each paper; --top counts papers')
    .option('--full', 'show passages in full')
    .option('--related', 'also show passages of works linked to the hits by citations (needs docstokg graph build)')
    .option(
      '--min-fit <n>',
      'minimum fit of a passage, 0 to 1 (default 0.2); 0 always shows the nearest passages',
      decimalNumber,
    )
    .addHelpText(
      'after',
      `
Examples:
  docstokg search "does vitamin D prevent fractures?"
  docstokg search runs/corals --top 3 --json "bleaching after heat waves"
`,
    )
    .action(async (given, flags, self) => {
      const session = openSession(self);
      const { run: named, words } = splitQuestion(given);
      using stop = stopSignal();
      await using corpus = await corpusOf(session, named);
      const mode = flags.lexical ? 'lexical' : flags.dense ? 'dense' : flags.hybrid ? 'hybrid' : undefined;
      await using opened = await corpus.openSearch({ mode, tell: session.tell }, stop.signal);
      const filters = filtersOf(corpus, flags);
      const { top: most, byPaper = false, related: hasRelated = false, minFit, full = false } = flags;
      const chosen = filters.works !== undefined;
      const request = { ...filters, ...(minFit !== undefined && { minFit }) };
      const search = async (question: string): Promise<void> => {
        const startedAt = session.clock.monotonic();
        const searched = (top: number, related: boolean): Promise<CitedHit[]> =>
          opened.search(question, { ...request, top, related }, stop.signal);
        const hits = byPaper
          ? await papersOf(searched, most, hasRelated)
          : (await searched(most, hasRelated)).map((best) => ({ best }));
        const found = {
          question,
          hits,
          tookMs: session.clock.monotonic() - startedAt,
          folder: corpus.folder,
          opened,
          chosen,
        };
        if (session.json) session.terminal.print(JSON.stringify(jsonOf(found)));
        else printHits(found, full, session);
      };
      if (words.length > 0) await search(words.join(' '));
      else await answerAll(search, session, stop.signal);
    });
}

/** How many passages are searched at first for each paper that is wanted, and how many at most. */
const PASSAGES_PER_PAPER = 10;
const MOST_PASSAGES = 10_000;

/** A passage; by paper also the others that were found in the paper. */
interface FoundHit {
  readonly best: CitedHit;
  readonly others?: readonly CitedHit[];
}

/** The best passage of each of the first papers, and after them of those that citations link to the first passages. */
async function papersOf(
  search: (top: number, related: boolean) => Promise<CitedHit[]>,
  most: number,
  hasRelated: boolean,
): Promise<FoundHit[]> {
  let papers: CitedHit[][] = [];
  for (let top = Math.min(most * PASSAGES_PER_PAPER, MOST_PASSAGES); ; top *= 4) {
    const hits = await search(top, false);
    papers = [...Map.groupBy(hits, ({ passage }) => passage.document).values()].slice(0, most);
    if (papers.length === most || hits.length < top || top >= MOST_PASSAGES) break;
  }
  const shown = new Set(papers.map(([best]) => best?.passage.document));
  const linked = hasRelated ? (await search(most, true)).filter(({ related }) => related) : [];
  const others = Map.groupBy(linked, ({ passage }) => passage.document).values();
  return [...papers, ...others.filter(([best]) => !shown.has(best?.passage.document))].flatMap(([best, ...more], at) =>
    best ? [{ best: { ...best, rank: at + 1 }, others: more }] : [],
  );
}

interface Found {
  readonly question: string;
  readonly hits: readonly FoundHit[];
  readonly tookMs: number;
  readonly folder: string;
  readonly opened: SearchSession;
  /** Whether works were named to be searched. */
  readonly chosen: boolean;
}

function printHits(found: Found, full: boolean, session: Session): void {
  const { question, hits, tookMs, folder, opened, chosen } = found;
  const { mode } = opened;
  session.info(
    `${counted(opened.passages, 'passage')} in ${folder} searched by ${SEARCHED_BY[mode]} in ${duration(tookMs)}`,
  );
  if (opened.worksScreenedOut > 0 && !chosen)
    session.info(
      `without ${counted(opened.worksScreenedOut, 'work')} that screening excluded; --works excluded searches them`,
    );
  if (hits.length === 0) return session.terminal.print(`no results for “${plain(question)}”`);
  const views = hits.map(({ best, ...others }) =>
    passageText(best, { query: question, full, link: linkTo(best.passage.file, folder), ...others }, session.terminal),
  );
  session.terminal.print(views.join('\n\n'));
}

function jsonOf({ question, hits, tookMs, folder, opened }: Found): object {
  const { mode, passages } = opened;
  const shown = hits.map(({ best: { passage, work, link, related, ...found }, others }) => {
    const { id, document, title, headings, section, page, boxes, text } = passage;
    const file = linkTo(passage.file, folder);
    const fragment = link === null ? '' : link.slice(passage.file?.length ?? 0);
    return {
      ...found,
      id,
      document,
      title: work?.title ?? title,
      section: headings,
      part: section,
      page: page ?? null,
      boxes: boxes.map(({ page: on, box }) => ({ page: on, ...box })),
      text,
      file: file ?? null,
      link: file === undefined ? null : file + fragment,
      work,
      ...(related && { related }),
      ...(others && { more: others.length }),
    };
  });
  return { question, mode, run: folder, passages, took_ms: Math.round(tookMs), hits: shown };
}

/** Reads one question per line, so that the model and index are opened only once. */
async function answerAll(
  search: (question: string) => Promise<void>,
  { terminal, json }: Session,
  signal: AbortSignal,
): Promise<void> {
  const person = process.stdin.isTTY && !json;
  const lines = createInterface({ input: process.stdin, ...(person && { output: process.stderr }) });
  signal.addEventListener('abort', () => lines.close(), { once: true });
  if (person) {
    terminal.note('one question per line; Ctrl-D ends');
    lines.setPrompt('? ');
    lines.prompt();
  }
  let answered = 0;
  for await (const line of lines) {
    if (line.trim() !== '') {
      if (answered > 0 && !json) terminal.print('');
      await search(line.trim());
      answered += 1;
    }
    if (person) lines.prompt();
  }
}

function linkTo(file: string | undefined, folder: string): string | undefined {
  if (file === undefined) return undefined;
  const inRun = join(folder, file);
  const path = isAbsolute(file) || !existsSync(inRun) ? file : inRun;
  const near = relative('.', resolve(path));
  return near.startsWith('..') ? resolve(path) : near;
}
