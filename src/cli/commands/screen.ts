import { existsSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';

import { Command, Option } from 'commander';

import { AppError } from '../../base/index.ts';
import { corpusLayer } from '../../corpus/index.ts';
import { askRecords, entryRows, ManifestFolder, openAsking, simulatedLayer } from '../../run/index.ts';
import type { AskRecord, Candidate, Choice, ReviewStatus } from '../../screen/index.ts';
import {
  addRecords,
  agreementText,
  CHOICES,
  countsText,
  importDecisions,
  openScreening,
  PHASES,
  promiseText,
  requireFile,
  Screening,
} from '../../screen/index.ts';
import type { WorkIds } from '../../works/index.ts';
import { listFormatOf } from '../../works/index.ts';
import type { FlagsOf } from '../options.ts';
import { webOptions } from '../options.ts';
import { corpusOf, runArgument, requireFolder } from '../run-argument.ts';
import type { Session } from '../session.ts';
import { openSession, settingOptions, shared, databaseOptions } from '../session.ts';
import { webTimeOf } from '../simulation.ts';
import { counted, plain } from '../terminal.ts';

const FIRST_PHASE = 'title-abstract';

function screenOptions() {
  return webOptions(runArgument(settingOptions(databaseOptions(shared(new Command('screen'))), ['serve'])))
    .description('decide which works of a run are included, the most likely first')
    .option('--by <name>', 'who decides; default: the user of this computer; with --import: import')
    .option('--status', 'only print the progress, the recall that can be promised, and where reviewers differ')
    .option('--sample', 'begin a random sample of the undecided works, which shows when to stop')
    .option('--tty', 'screen in the terminal instead of the browser')
    .addOption(new Option('--phase <phase>', `what is screened; default: ${FIRST_PHASE}`).choices(PHASES))
    .option('--reviewers <number>', 'how many reviewers decide about each work, blind to each other')
    .option('--question <text>', 'the question of the review: the ranking begins with it')
    .option('--criteria <text|file>', 'criteria to show beside each work')
    .option('--reasons <reason...>', 'reasons to exclude a work')
    .option('--highlight <word...>', 'words to mark in titles and abstracts')
    .option(
      '--add <file...>',
      'add the works of reference lists (RIS, BibTeX, nbib, CSL-JSON, CSV …), to screen them before anything is downloaded; creates the run folder',
    )
    .option('--import <file...>', 'read decisions: CSV or RIS with ids, DOIs or titles; with --as any list of works')
    .addOption(
      new Option('--as <decision>', 'decision about every work of an imported file that has none').choices([
        ...CHOICES,
        'included',
        'excluded',
      ]),
    )
    .addHelpText(
      'after',
      `
Prints a link to the page on which to screen. Keys: i include, e exclude, m maybe, u undo, n note. --import reads what
ASReview, Rayyan and Covidence write.

Examples:
  docstokg screen runs/review --add pubmed.nbib embase.ris
  docstokg screen runs/corals --question 'do corals recover from bleaching?'
  docstokg screen runs/corals --tty --by ada
  docstokg screen runs/corals --reviewers 2 --criteria criteria.md --reasons 'wrong population' 'no full text'
  docstokg screen runs/corals --status
  docstokg screen runs/corals --import screened.csv
  docstokg screen runs/corals --import excluded.ris --as exclude --phase full-text --by covidence
`,
    );
}

type ScreenFlags = FlagsOf<typeof screenOptions>;

export function screenCommand() {
  return screenOptions().action(async (run, flags, self) => {
    const session = openSession(self);
    if (flags.add) return await addWorks(run, flags, session);
    await using corpus = await corpusOf(session, run);
    {
      using screening = openScreening(corpus);
      if (flags.import) return await importAll(screening, flags.import, flags, session);
      setProtocol(screening, flags);
      if (flags.sample) screening.sample(whoIs(flags.by));
      await screening.settle();
      if (flags.status || flags.sample) return printStatus(screening, session);
      if (flags.tty) return await screenInTerminal(screening, flags, session);
    }
    const query = new URLSearchParams({ by: whoIs(flags.by) }).toString();
    const { serveRuns } = await import('./serve.ts');
    await serveRuns(
      corpus.shared && run === undefined ? [] : [corpus.folder],
      { allowControl: true },
      self,
      `screen?${query}`,
    );
  });
}

function whoIs(name: string | undefined): string {
  return name ?? userInfo().username;
}

function setProtocol(screening: Screening, flags: ScreenFlags): void {
  const { reviewers, question, criteria, reasons, highlight } = flags;
  const change = {
    reviewers: reviewers === undefined ? undefined : Number(reviewers),
    question,
    criteria: criteria !== undefined && existsSync(criteria) ? readFileSync(criteria, 'utf8') : criteria,
    reasons,
    highlight,
  };
  screening.setProtocol(change, whoIs(flags.by));
}

function printStatus(screening: Screening, session: Session): void {
  const status = screening.status();
  const conflicts = PHASES.flatMap((phase) => screening.conflicts(phase));
  const differ = conflicts.map(
    ({ work, decisions }) =>
      `conflict: ${work}: ${decisions.map(({ by, decision }) => `${by} ${decision}`).join(', ')}`,
  );
  session.print({ ...status, conflicts }, [...statusLines(status), ...differ].join('\n'));
}

function statusLines({ phases, sample, isTimeToSample, agreement }: ReviewStatus): string[] {
  const lines = PHASES.filter((phase) => phases[phase].works > 0).map(
    (phase) => `${phase}: ${countsText(phases[phase])}`,
  );
  if (agreement) lines.push(agreementText(agreement));
  if (sample) lines.push(promiseText(sample, phases['title-abstract'].conflicts));
  else if (isTimeToSample)
    lines.push(
      'hardly anything relevant is found now: docstokg screen --sample begins a random sample of the rest, which shows when to stop',
    );
  return lines;
}

async function addWorks(run: string | undefined, flags: ScreenFlags, session: Session): Promise<void> {
  const { add: files = [] } = flags;
  if (run === undefined)
    throw new AppError('USAGE_ARGUMENTS', 'expected a run folder', { hint: 'docstokg screen RUN --add FILE' });
  if (existsSync(run)) requireFolder(run);
  // A run folder is created only for lists that can be read.
  for (const file of files) {
    requireFile(file);
    listFormatOf(file);
  }
  using screening = Screening.open(run);
  const now = new Date(session.clock.now()).toISOString();
  await using services = await openLookup(run, flags, session);
  const { entries, unreadable } = await addRecords(screening, files, { now, ask: services.ask });
  if (unreadable.length > 0) {
    // The flow diagram counts them among the records that were identified.
    await using manifest = await ManifestFolder.open({ folder: run, runId: `screen-${now}`, clock: session.clock });
    const rows = entryRows(manifest, screening.records, `screen-${now}`, session.clock);
    for (const entry of unreadable) await rows.unreadable(entry);
  }
  const works = screening.works.length;
  session.print(
    { entries, works, unreadable },
    `${counted(entries, 'entry', 'entries')} read, ${counted(works, 'work')} to screen`,
  );
  for (const message of services.problems()) session.warn(message);
  for (const { file, line, reason } of unreadable) session.warn(`${file}, line ${line}: ${reason}`);
}

/** Looks works up by their ids, if there is a contact address; otherwise they stay without a title. */
async function openLookup(folder: string, flags: ScreenFlags, session: Session) {
  const layer = flags.sim === undefined && flags.mailto === undefined ? [] : await simulatedLayer(flags);
  const { config } = session.load([...corpusLayer(folder, 'argument RUN'), ...layer]);
  const runtime = { ...session, web: await webTimeOf(flags.sim) };
  const asking = config.http.contact === '' ? undefined : openAsking(config, runtime);
  let [unasked, unanswered] = [0, 0];
  const ask: AskRecord = async ({ ids }) => {
    const name = askedName(ids);
    if (!asking || name === null) {
      unasked += 1;
      return undefined;
    }
    const now = session.clock.now();
    const signal = new AbortController().signal;
    const { records, isAway } = await askRecords({ openalex: name, doi: ids.doi }, asking, { now, signal });
    if (records.length === 0 && isAway) unanswered += 1;
    return records[0];
  };
  return {
    ask,
    problems: () => [
      ...(unasked > 0
        ? [`${counted(unasked, 'work')} without a title: --mailto ADDRESS looks them up by their ids`]
        : []),
      ...(unanswered > 0 ? [`${counted(unanswered, 'work')} could not be looked up: add the list again to retry`] : []),
    ],
    [Symbol.asyncDispose]: async () => asking?.[Symbol.asyncDispose](),
  };
}

/** An id that OpenAlex accepts. */
function askedName({ openalex, doi, pmid, pmcid, arxiv }: WorkIds): string | null {
  if (openalex !== null) return openalex;
  if (doi !== null) return `doi:${doi}`;
  if (pmid !== null) return `pmid:${pmid}`;
  if (pmcid !== null) return `pmcid:${pmcid}`;
  return arxiv ? `doi:10.48550/arxiv.${arxiv.id}` : null;
}

async function importAll(
  screening: Screening,
  files: readonly string[],
  { by = 'import', phase, as }: ScreenFlags,
  session: Session,
): Promise<void> {
  if (screening.works.length === 0)
    throw new AppError('CORPUS_NO_WORKS', 'there are no works in the run', {
      hint: 'get some first: docstokg run, or docstokg screen --add',
    });
  const decision = as?.replace(/d$/, '') as Choice | undefined;
  for (const file of files) {
    const read = await importDecisions(screening, file, { as: decision, by, phase });
    const { unknown, repeated, contradicting, ...counts } = read;
    session.print({ ...counts, unknown_lines: unknown, repeated_lines: repeated, contradicting_lines: contradicting });
    if (contradicting.length > 0)
      session.warn(`${file}: of lines that contradict each other about a work, the last one counts`);
    if (unknown.length > 0) session.warn(`${file}: some lines name no work of this run`);
  }
}

const KEYS: Readonly<Record<string, Choice>> = { i: 'include', e: 'exclude', m: 'maybe' };

/** One work after the other; each line is an answer of one letter. */
async function screenInTerminal(screening: Screening, flags: ScreenFlags, session: Session): Promise<void> {
  const { createInterface } = await import('node:readline/promises');
  const by = whoIs(flags.by);
  const { phase = FIRST_PHASE } = flags;
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const answers = lines[Symbol.asyncIterator]();
  const { reasons, criteria } = screening.protocol;
  if (criteria !== '') session.terminal.print(plain(criteria));
  let note: string | undefined;
  try {
    for (;;) {
      await screening.settle();
      const [work] = screening.next(by, { phase });
      if (!work) break;
      for (const line of shown(work)) session.terminal.print(plain(line));
      process.stderr.write('i include, e exclude, m maybe, n note, u undo, s sample, t status, q quit: ');
      const { value, done } = await answers.next();
      const [key = '', ...rest] = done === true ? ['q'] : value.trim().split(/\s+/);
      const decision = KEYS[key];
      const said = rest.join(' ');
      if (key === 'q') break;
      if (key === 'n') note = said;
      else if (key === 'u') screening.undo(by, phase);
      else if (key === 's') screening.sample(by);
      else if (key === 't') for (const line of statusLines(screening.status())) session.terminal.print(line);
      else if (decision) {
        const reason = reasons[Number(said) - 1] ?? said;
        if (decision === 'exclude' && phase === 'full-text' && reason === '') {
          session.terminal.note(`e REASON, or e NUMBER: ${reasons.map((each, at) => `${at + 1} ${each}`).join(', ')}`);
          continue;
        }
        screening.decide({
          work: work.work,
          phase,
          decision,
          by,
          reason: decision === 'exclude' ? reason : undefined,
          note,
        });
        note = undefined;
      }
    }
  } finally {
    lines.close();
  }
  for (const line of statusLines(screening.status())) session.terminal.print(line);
}

function shown({ work, rank, is_sampled: isSampled, title, authors, year, venue, abstract }: Candidate): string[] {
  const ranked = rank > 0 ? `rank ${rank}` : 'not ranked';
  const about = [authors.slice(0, 3).join(', '), year, venue].filter(Boolean).join(' · ');
  const place = isSampled ? 'from the random sample' : ranked;
  return ['', title ?? 'Without a title', `${about} (${work}, ${place})`, abstract || 'no abstract'];
}
