import { existsSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';

import { Command, Option } from 'commander';

import { AppError } from '../../base/index.ts';
import type { Config } from '../../config/index.ts';
import type { DenseEngine } from '../../parse/index.ts';
import type { Hit, SearchIndex, SearchMode } from '../../search/index.ts';
import { openIndex, readManifest, refreshIndex } from '../../search/index.ts';
import { documentLinks, findSearchPlace, openQueryEngine } from '../../corpus/index.ts';
import { passageText } from '../passage-text.ts';
import { count, duration } from '../progress.ts';
import type { SearchPlace } from '../../corpus/index.ts';
import type { Session } from '../session.ts';
import { openSession, shared } from '../session.ts';
import { stopSignal } from '../stop-signal.ts';
import { plain } from '../terminal.ts';
import { wholeNumber } from '../whole-number.ts';

interface SearchFlags {
  readonly run?: string;
  readonly top: number;
  readonly hybrid?: boolean;
  readonly dense?: boolean;
  readonly lexical?: boolean;
  readonly full?: boolean;
}

/** `search "question"`. */
export function searchCommand(): Command {
  return shared(new Command('search'))
    .description('find the passages that answer a question')
    .argument('[question...]', 'what to look for; without one, questions are read from the input, one per line')
    .option('-r, --run <folder>', 'run folder to search; default: the newest run')
    .option('-n, --top <n>', 'passages to show', wholeNumber(1), 5)
    .addOption(new Option('--hybrid', 'by words and meaning (default)').conflicts(['dense', 'lexical']))
    .addOption(new Option('--dense', 'by meaning alone').conflicts(['hybrid', 'lexical']))
    .addOption(new Option('--lexical', 'by words alone').conflicts(['hybrid', 'dense']))
    .option('--full', 'show whole passages')
    .addHelpText(
      'after',
      '\nExamples:\n  docstokg search "does vitamin D prevent fractures?"\n  docstokg search --run runs/corals --top 3 --json "bleaching after heat waves"\n',
    )
    .action(async (words: string[], flags: SearchFlags, self: Command) => {
      const session = openSession(self);
      using stop = stopSignal();
      const { config } = session.load();
      const place = findSearchPlace(config, flags.run);
      await bringUpToDate(place, session, stop.signal);
      const wanted = flags.lexical ? 'lexical' : flags.dense ? 'dense' : flags.hybrid ? 'hybrid' : undefined;
      await using engine = await queryEngine(place, config, wanted, session);
      using index = await openIndex(place.index, engine);
      const mode = wanted ?? (index.modes.includes('hybrid') ? 'hybrid' : 'lexical');
      const search: Search = { session, place, index, mode, flags, signal: stop.signal };
      if (words.length > 0) await answer(words.join(' '), search);
      else await answerAll(search);
    });
}

interface Search {
  readonly session: Session;
  readonly place: SearchPlace;
  readonly index: SearchIndex;
  readonly mode: SearchMode;
  readonly flags: SearchFlags;
  readonly signal: AbortSignal;
}

async function bringUpToDate(place: SearchPlace, session: Session, signal: AbortSignal): Promise<void> {
  const { folder, dataRoot, index, format } = place;
  // An index may have been carried away from what it was made of.
  if (!format) return;
  const { terminal } = session;
  const wordsOnly = new Map<string, number>();
  const startedAt = session.clock.monotonic();
  await refreshIndex({
    dataRoot,
    folder: index,
    format,
    linkOf: documentLinks(folder, dataRoot),
    signal,
    report: (event) => {
      if (event.kind === 'index-started') {
        const what = event.kept === undefined ? 'building the index' : 'passages have changed, renewing the index';
        session.log('info', `${what} of ${count(event.documents)} documents in ${index}`);
      } else if (event.kind === 'index-progress') {
        if (terminal.live)
          terminal.status(
            `index: ${count(event.documents)} of ${count(event.of)} documents, ${count(event.passages)} passages`,
          );
      } else if (event.kind === 'index-words-only') {
        wordsOnly.set(event.reason, (wordsOnly.get(event.reason) ?? 0) + 1);
      } else {
        const took = duration(session.clock.monotonic() - startedAt);
        session.log('info', `${count(event.passages)} passages indexed in ${took}`);
      }
    },
  });
  for (const [reason, documents] of wordsOnly)
    session.log('warn', `${count(documents)} documents are found by their words alone: ${reason}`);
}

/** The model of the index, unless words are enough or all there is; asked for by name, it has to be there. */
async function queryEngine(
  { index }: SearchPlace,
  config: Config,
  wanted: SearchMode | undefined,
  session: Session,
): Promise<DenseEngine | undefined> {
  const { dense } = await readManifest(index);
  if (wanted === 'lexical') return undefined;
  const opened = dense
    ? await openQueryEngine(config, dense.model)
    : {
        kind: 'missing' as const,
        reason: new AppError('INDEX_NOT_DENSE', 'the passages have no dense vectors', {
          hint: 'search with --lexical, or make vectors with docparse embed',
        }),
      };
  if (opened.kind === 'engine') return opened.engine;
  if (wanted !== undefined) throw opened.reason;
  session.log('warn', `${opened.reason.message}: searching by words alone`);
  return undefined;
}

async function answer(question: string, search: Search): Promise<void> {
  const { session, place, index, mode, flags, signal } = search;
  const { terminal, clock } = session;
  const startedAt = clock.monotonic();
  const hits = await index.search(question, { mode, top: flags.top }, signal);
  const tookMs = clock.monotonic() - startedAt;
  const links = new Map(hits.map(({ passage }) => [passage.file, linkTo(passage.file, place.folder)]));
  if (session.json) {
    const passages = hits.map((hit) => ({ ...record(hit), file: links.get(hit.passage.file) ?? null }));
    const head = { question, mode, run: place.folder, passages: index.manifest.passages, took_ms: Math.round(tookMs) };
    terminal.print(JSON.stringify({ ...head, hits: passages }));
    return;
  }
  const how = { hybrid: 'words and meaning', dense: 'meaning', lexical: 'words' }[mode];
  session.log(
    'info',
    `${count(index.manifest.passages)} passages in ${place.folder} searched by ${how} in ${duration(tookMs)}`,
  );
  if (hits.length === 0) terminal.print(`nothing found for “${plain(question)}”`);
  const views = hits.map((hit) =>
    passageText(hit, { query: question, full: flags.full ?? false, link: links.get(hit.passage.file) }, terminal),
  );
  terminal.print(views.join('\n\n'));
}

function record({ rank, score, passage }: Hit): object {
  const { id, document, title, headings, page, text } = passage;
  return { rank, score, id, document, title, section: headings, page: page ?? null, text };
}

/** One question per line: the model and the index are opened once. */
async function answerAll(search: Search): Promise<void> {
  const { terminal } = search.session;
  const person = process.stdin.isTTY && !search.session.json;
  const lines = createInterface({ input: process.stdin, ...(person && { output: process.stderr }) });
  search.signal.addEventListener('abort', () => lines.close(), { once: true });
  if (person) {
    terminal.note('one question per line; Ctrl-D ends');
    lines.setPrompt('? ');
    lines.prompt();
  }
  let answered = 0;
  for await (const line of lines) {
    if (line.trim() !== '') {
      if (answered > 0 && !search.session.json) terminal.print('');
      await answer(line.trim(), search);
      answered += 1;
    }
    if (person) lines.prompt();
  }
}

/** A run's files are named relative to it; a person is told them as seen from here. */
function linkTo(file: string | undefined, folder: string): string | undefined {
  if (file === undefined) return undefined;
  const inRun = join(folder, file);
  const path = isAbsolute(file) || !existsSync(inRun) ? file : inRun;
  const near = relative('.', resolve(path));
  return near.startsWith('..') ? resolve(path) : near;
}
