import { existsSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';

import { Command, Option } from 'commander';

import { AppError } from '../../base/index.ts';
import { entryRows, ManifestFolder } from '../../harvest/index.ts';
import type { Candidate, Choice, Phase, ReviewStatus } from '../../screen/index.ts';
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
import { listFormatOf } from '../../works/index.ts';
import { corpusOf, runArgument, requireFolder } from '../run-argument.ts';
import type { Session } from '../session.ts';
import { openSession, settingOptions, shared } from '../session.ts';
import { count, plain } from '../terminal.ts';

interface ScreenFlags {
  readonly by?: string;
  readonly status?: boolean;
  readonly sample?: boolean;
  readonly tty?: boolean;
  readonly phase: Phase;
  readonly reviewers?: string;
  readonly question?: string;
  readonly criteria?: string;
  readonly reasons?: string[];
  readonly highlight?: string[];
}

/** `screen RUN`: decide which works count, in the browser or the terminal. */
export function screenCommand() {
  const command = runArgument(settingOptions(shared(new Command('screen')), ['serve']))
    .description('decide which works of a run are included, the most likely first')
    // Options after a subcommand belong to the subcommand.
    .enablePositionalOptions()
    .addOption(byOption())
    .option('--status', 'only print the progress, the recall that can be promised, and where reviewers differ')
    .option('--sample', 'begin a random sample of the undecided works, which shows when to stop')
    .option('--tty', 'screen in the terminal instead of the browser')
    .addOption(new Option('--phase <phase>', 'what is screened').choices(PHASES).default('title-abstract'))
    .option('--reviewers <number>', 'how many reviewers decide about each work, blind to each other')
    .option('--question <text>', 'the question of the review: the ranking begins with it')
    .option('--criteria <text|file>', 'criteria to show beside each work')
    .option('--reasons <reason...>', 'reasons to exclude a work')
    .option('--highlight <word...>', 'words to mark in titles and abstracts')
    .addHelpText(
      'after',
      `
Prints a link to the page on which to screen. Keys: i include, e exclude, m maybe, u undo, n note.

Examples:
  docstokg screen runs/corals --question 'do corals recover from bleaching?'
  docstokg screen runs/corals --tty --by ada
  docstokg screen runs/corals --reviewers 2 --criteria criteria.md --reasons 'wrong population' 'no full text'
  docstokg screen runs/corals --status
`,
    )
    .action(async (run, flags, self) => {
      const session = openSession(self);
      await using corpus = await corpusOf(session, run);
      {
        using screening = openScreening(corpus.folder, corpus.config);
        setProtocol(screening, flags);
        if (flags.sample === true) screening.sample(whoIs(flags.by));
        if (flags.status === true || flags.sample === true) {
          printStatus(screening, session);
          return;
        }
        if (flags.tty === true) {
          await screenInTerminal(screening, flags, session);
          return;
        }
      }
      const query = new URLSearchParams({ by: whoIs(flags.by) }).toString();
      const { serveRuns } = await import('./serve.ts');
      await serveRuns([corpus.folder], { allowControl: true }, self, `screen?${query}`);
    });
  return command.addCommand(importCommand());
}

const byOption = () => new Option('--by <name>', 'who decides; default: the user of this computer');

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
  else if (isTimeToSample) lines.push('hardly anything relevant is found now: docstokg screen --sample begins a random sample of the rest, which shows when to stop'); // prettier-ignore
  return lines;
}

interface ImportFlags {
  readonly add?: boolean;
  readonly as?: string;
  readonly by: string;
  readonly phase?: Phase;
}

function importCommand() {
  return shared(new Command('import'))
    .description('read the decisions of a screening tool and apply them, or add the works of reference lists')
    .argument('<run>', 'run folder; --add creates it if it does not exist')
    .argument('<files...>', 'CSV or RIS with ids, DOIs or titles and decisions; with --add or --as any list of works')
    .option(
      '--add',
      'add the works of these lists (RIS, BibTeX, nbib, CSL-JSON, CSV …), to screen them before anything is downloaded',
    )
    .addOption(
      new Option(
        '--as <decision>',
        'decision about every work of a file that has none: RIS, BibTeX, CSL, ids …',
      ).choices([...CHOICES, 'included', 'excluded']),
    )
    .addOption(new Option('--by <name>', 'reviewer, if the file names none').default('import'))
    .addOption(new Option('--phase <phase>', 'what was screened, if the file does not say').choices(PHASES))
    .addHelpText(
      'after',
      `
Reads what ASReview, Rayyan and Covidence write.

Examples:
  docstokg screen import runs/review pubmed.nbib embase.ris --add
  docstokg screen import runs/corals screened.csv
  docstokg screen import runs/corals excluded.csv --as exclude --phase full-text --by covidence
`,
    )
    .action(async (run, files, flags, self) => {
      const session = openSession(self);
      if (flags.add) return await addWorks(run, files, session);
      await using corpus = await corpusOf(session, run);
      using screening = openScreening(run, corpus.config);
      if (screening.works.length === 0)
        throw new AppError('CORPUS_NO_WORKS', `there are no works in ${run}`, {
          hint: 'gather some first: docstokg run, or docstokg screen import --add',
        });
      for (const file of files) await readDecisions(screening, file, flags, session);
    });
}

async function addWorks(run: string, files: readonly string[], session: Session): Promise<void> {
  if (existsSync(run)) requireFolder(run);
  // A run folder is created only for lists that can be read.
  for (const file of files) {
    requireFile(file);
    listFormatOf(file);
  }
  using screening = Screening.open(run);
  const now = new Date(session.clock.now()).toISOString();
  const { entries, unreadable } = await addRecords(screening, files, now);
  if (unreadable.length > 0) {
    // The flow diagram counts them among the records that were identified.
    await using manifest = await ManifestFolder.open({ folder: run, runId: `screen-${now}`, clock: session.clock });
    const rows = entryRows(manifest, screening.records, `screen-${now}`, session.clock);
    for (const entry of unreadable) await rows.unreadable(entry);
  }
  const works = screening.works.length;
  session.print({ entries, works, unreadable }, `${count(entries)} entries read, ${count(works)} works to screen`);
  for (const { file, line, reason } of unreadable) session.warn(`${file}, line ${line}: ${reason}`);
}

async function readDecisions(screening: Screening, file: string, flags: ImportFlags, session: Session): Promise<void> {
  const as = flags.as?.replace(/d$/, '') as Choice | undefined;
  const read = await importDecisions(screening, file, { as, by: flags.by, phase: flags.phase });
  const { unknown, repeated, contradicting, ...counts } = read;
  session.print({ ...counts, unknown_lines: unknown, repeated_lines: repeated, contradicting_lines: contradicting });
  if (contradicting.length > 0)
    session.warn(`${file}: of lines that contradict each other about a work, the last one counts`);
  if (unknown.length > 0) session.warn(`${file}: some lines name no work of this run`);
}

const KEYS: Readonly<Record<string, Choice>> = { i: 'include', e: 'exclude', m: 'maybe' };

/** One work after the other; each line is an answer of one letter. */
async function screenInTerminal(screening: Screening, flags: ScreenFlags, session: Session): Promise<void> {
  const { createInterface } = await import('node:readline/promises');
  const by = whoIs(flags.by);
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const answers = lines[Symbol.asyncIterator]();
  const { reasons, criteria } = screening.protocol;
  if (criteria !== '') session.terminal.print(plain(criteria));
  let note: string | undefined;
  try {
    for (;;) {
      const [work] = screening.next(by, { phase: flags.phase });
      if (!work) break;
      for (const line of shown(work)) session.terminal.print(plain(line));
      process.stderr.write('i include, e exclude, m maybe, n note, u undo, s sample, t status, q quit: ');
      const { value, done } = await answers.next();
      const [key = '', ...rest] = done === true ? ['q'] : value.trim().split(/\s+/);
      const decision = KEYS[key];
      const said = rest.join(' ');
      if (key === 'q') break;
      if (key === 'n') note = said;
      else if (key === 'u') screening.undo(by, flags.phase);
      else if (key === 's') screening.sample(by);
      else if (key === 't') for (const line of statusLines(screening.status())) session.terminal.print(line);
      else if (decision) {
        const reason = reasons[Number(said) - 1] ?? said;
        if (decision === 'exclude' && flags.phase === 'full-text' && reason === '') {
          session.terminal.note(`e REASON, or e NUMBER: ${reasons.map((each, at) => `${at + 1} ${each}`).join(', ')}`);
          continue;
        }
        screening.decide({ work: work.work, phase: flags.phase, decision, by, reason: decision === 'exclude' ? reason : undefined, note }); // prettier-ignore
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
