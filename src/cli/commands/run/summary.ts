import type { Account } from '../../../ask/index.ts';
import type { Corpus, CorpusStageName, RunAccount } from '../../../corpus/index.ts';
import type { Session } from '../../session.ts';
import { wrapped } from '../../passage-text.ts';
import type { Terminal } from '../../terminal.ts';
import { count, duration, plain, table } from '../../terminal.ts';

const WORDS: readonly (readonly [CorpusStageName, string])[] = [
  ['doctags', 'parsed'],
  ['chunk', 'chunked'],
  ['dense', 'vectors'],
  ['embed', 'embedded'],
];
/** Failed documents listed by name; the rest are only counted. */
const NAMED = 10;
/** Widths of the label column and of a line. */
const LABEL = 12;
const WIDEST = 100;

export function printRun(account: RunAccount, { folder, config }: Corpus, session: Session): void {
  if (session.json) {
    session.terminal.print(JSON.stringify({ out: folder, ...account }));
    return;
  }
  const isElsewhere = config.queue.fleet && account.index === null && account.documents > 0;
  printAccount(account, session, isElsewhere ? 'Another machine of the fleet built the search index' : undefined);
  printNextSteps(account, folder, session);
  if (isElsewhere && account.stopped === null)
    printLabelled(
      session.terminal,
      'Search here',
      `docstokg store pull ${quoted(folder)} --fleet postgres://… --store ${config.store.url} brings it to this machine`,
    );
}

/** Prints works by resolver and reason, stage results and failed documents. */
export function printAccount(account: RunAccount, session: Session, unsearchable = 'Nothing to search yet'): void {
  const { terminal } = session;
  const { works, index, stopped, failures } = account;
  if (works) {
    printWorks(works, terminal);
    terminal.print('');
  }
  if (account.passed_over.length > 0) {
    printLabelled(terminal, 'Skipped', passedOverLine(account.passed_over));
    for (const { file, reason, detail } of account.passed_over.slice(0, NAMED))
      printLabelled(terminal, '', `${plain(file)}: ${reason}, ${plain(detail)}`);
    terminal.print('');
  }
  if (account.own_papers) {
    printLabelled(terminal, 'Your papers', ownPapersLine(account.own_papers));
    for (const { document, doi, title } of account.own_papers.refused.slice(0, NAMED))
      printLabelled(terminal, '', `${plain(document)}: the DOI ${plain(doi)} in it ${whose(title)}`);
    terminal.print('');
  }
  if (account.documents > 0) terminal.print(`${stagesTable(account)}\n`);
  if (account.scans > 0)
    printLabelled(terminal, 'Scans', `${count(account.scans)} without text (needs-ocr): see docs/guides/doctags.md`);
  if (account.partial > 0)
    printLabelled(
      terminal,
      'Partial',
      `${count(account.partial)} documents were parsed in part: pages need OCR, or words are missing`,
    );
  if (failures.length > 0) printFailures(account, terminal);
  const ending = index
    ? `${count(index.passages)} ${index.passages === 1 ? 'passage' : 'passages'} searchable by ${index.searched_by}`
    : stopped === null
      ? unsearchable
      : `Stopped early${stopped === 'asked to stop' ? '' : ` (${plain(stopped)})`}`;
  terminal.print(`${ending}, after ${duration(account.seconds * 1000)}.`);
}

/** Prints the works of a run: by outcome, source, reason and file. */
export function printWorks(works: Account, terminal: Terminal): void {
  printLabelled(terminal, 'Works', worksLine(works));
  printLabelled(terminal, 'By source', countsLine(works.by_resolver));
  printLabelled(terminal, 'Missing', countsLine(works.by_reason));
  if (Object.keys(works.listed_by_file).length > 1)
    printLabelled(terminal, 'By file', countsLine(works.listed_by_file));
  printLabelled(terminal, 'Unreadable', countsLine(works.unreadable_by_file));
}

export function printNextSteps(account: RunAccount, folder: string, session: Session): void {
  const { terminal } = session;
  for (const [word, what] of nextSteps(account, folder)) printLabelled(terminal, word, what);
}

/** Prints a bold label and wraps the text next to it; prints nothing for an empty text. */
export function printLabelled(terminal: Terminal, label: string, text: string): void {
  if (text === '') return;
  const lines = wrapped(text, Math.max(30, Math.min(terminal.columns, WIDEST)) - LABEL);
  for (const [at, line] of lines.entries())
    terminal.print(`${terminal.style('bold', (at === 0 ? label : '').padEnd(LABEL), 'stdout')}${line}`);
}

function worksLine(works: Account): string {
  const parts: readonly (readonly [number, string])[] = [
    [works.local, 'local'],
    [works.unavailable, 'unavailable'],
    [works.deferred, 'deferred'],
    [works.failed, 'failed, retryable'],
    [works.waiting, 'not tried yet'],
    [works.unreadable_entries, 'unreadable entries'],
    [works.repeated_entries, 'repeated entries'],
    [works.other_versions, 'other versions of listed works'],
    [works.retracted, 'retracted'],
    [works.included, 'included'],
    [works.excluded, 'excluded'],
  ];
  return [
    `${count(works.listed)} listed`,
    `${count(works.downloaded)} downloaded (${count(works.downloaded_this_run)} by this run)`,
    ...parts.filter(([works]) => works > 0).map(([works, word]) => `${count(works)} ${word}`),
  ].join(', ');
}

function ownPapersLine({ checked, unchecked, unnamed, unanswered }: NonNullable<RunAccount['own_papers']>): string {
  return [
    ...(checked > 0 ? [`${count(checked)} identified by an id in the file`] : []),
    ...(unchecked > 0 ? [`${count(unchecked)} with a DOI that was not verified`] : []),
    ...(unnamed > 0 ? [`${count(unnamed)} identified by title only`] : []),
    ...(unanswered > 0
      ? [`${count(unanswered)} not looked up because a service failed; run the same command to retry`]
      : []),
  ].join(', ');
}

function whose(title: string | null): string {
  return title === null ? 'is unknown and was ignored' : `belongs to “${plain(title).slice(0, 100)}” and was ignored`;
}

function passedOverLine(files: RunAccount['passed_over']): string {
  const reasons: Record<string, number> = {};
  for (const { reason } of files) reasons[reason] = (reasons[reason] ?? 0) + 1;
  return `${count(files.length)} of your files: ${countsLine(reasons)}${files.length > NAMED ? `; the first ${NAMED}:` : ':'}`;
}

/** Formats counts as `openalex 24, arxiv 6`, largest first; a name and its number are not wrapped apart. */
export function countsLine(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .sort((a, b) => b[1] - a[1])
    .map(([name, works]) => `${name}\u00A0${count(works)}`)
    .join(', ');
}

function stagesTable({ stages }: RunAccount): string {
  const shown = WORDS.flatMap(([name, word]) => {
    const stage = stages[name];
    return stage && stage.done + stage.kept + stage.failed + stage.left > 0 ? [[word, stage] as const] : [];
  });
  const isLeft = shown.some(([, { left }]) => left > 0);
  return table(
    shown.map(([word, { done, kept, failed, left, p50_ms: p50, p95_ms: p95 }]) => [
      word.padEnd(LABEL - 2),
      done,
      kept,
      failed,
      ...(isLeft ? [left] : []),
      done > 0 ? duration(p50) : '',
      done > 0 ? duration(p95) : '',
    ]),
    ['Documents', 'this run', 'already done', 'failed', ...(isLeft ? ['left'] : []), 'median', 'p95'],
  );
}

/** Lists failed documents with stage and error, wrapped to the terminal. */
function printFailures({ failures }: RunAccount, terminal: Terminal): void {
  for (const [at, { stage, document, code, message }] of failures.slice(0, NAMED).entries()) {
    const when = WORDS.find(([name]) => name === stage)?.[1].replace(/ed$/, 'ing') ?? stage;
    const why = plain(message).replaceAll(/\s+/g, ' ').slice(0, 200);
    printLabelled(terminal, at === 0 ? 'Failed' : '', `${plain(document).slice(0, 80)}, ${when}: ${code}, ${why}`);
  }
  const more = failures.length - NAMED;
  if (more > 0) printLabelled(terminal, '', `and ${count(more)} more`);
  terminal.print('');
}

function quoted(folder: string): string {
  return /\s/.test(folder) ? JSON.stringify(folder) : folder;
}

function nextSteps({ index, works, stopped, failures }: RunAccount, folder: string): (readonly [string, string])[] {
  const run = quoted(folder);
  return [
    [index !== null, 'Ask', `docstokg ask ${run} "…"`],
    [index !== null, 'Look', `${run}/report.html`],
    [stopped !== null, 'Resume', 'run the same command'],
    [
      (works?.deferred ?? 0) > 0,
      'Later',
      'some works were deferred by rate limits; run the same command later to retry them',
    ],
    [
      (works?.failed ?? 0) > 0,
      'Retry',
      `contentdownload queue retry-failed --queue ${run}/state/workqueue.sqlite, then the same command`,
    ],
    [failures.length > 0, 'Why', `docstokg stage-log --stage doctags --status failure --data-root ${run}/Data`],
  ].flatMap(([fits, word, what]) => (fits === true ? [[String(word), String(what)] as const] : []));
}
