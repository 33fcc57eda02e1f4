import type { Account } from '../../../ask/index.ts';
import type { Corpus, CorpusStageName, RunAccount } from '../../../corpus/index.ts';
import { recordText } from '../../record-text.ts';
import type { Session } from '../../session.ts';
import { wrapped } from '../../passage-text.ts';
import type { Terminal } from '../../terminal.ts';
import { count, duration, plain } from '../../terminal.ts';

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
  const { works, index, stopped } = account;
  if (works) {
    printWorks(works, terminal);
    terminal.print('');
  }
  const details = recordText(detailsOf(account), session.clock.now(), (text) => terminal.style('bold', text, 'stdout'));
  if (details !== '') terminal.print(`${details}\n`);
  if (account.scans > 0)
    printLabelled(terminal, 'Scans', `${count(account.scans)} without text (needs-ocr): see docs/guides/doctags.md`);
  if (account.partial > 0)
    printLabelled(
      terminal,
      'Partial',
      `${count(account.partial)} documents were parsed in part: pages need OCR, or words are missing`,
    );
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

/** The user's files, the stages and the failures: the first of each list. */
function detailsOf({ passed_over: skipped, own_papers: own, stages, failures }: RunAccount): object {
  const rows = WORDS.flatMap(([name, documents]) => {
    const { wall_ms: _wall, ...counts } = stages[name] ?? { done: 0, kept: 0, failed: 0, left: 0, wall_ms: 0 };
    return counts.done + counts.kept + counts.failed + counts.left > 0 ? [{ documents, ...counts }] : [];
  });
  return {
    [`${count(skipped.length)} of your files were skipped`]: skipped.slice(0, NAMED),
    your_papers: own && {
      identified_by_an_id_in_the_file: own.checked || null,
      with_a_DOI_that_was_not_verified: own.unchecked || null,
      identified_by_title_only: own.unnamed || null,
      'not looked up because a service failed; run the same command to retry': own.unanswered || null,
      DOIs_of_other_works_that_were_ignored: own.refused.slice(0, NAMED),
    },
    stages: rows,
    [`${count(failures.length)} documents failed`]: failures.slice(0, NAMED),
  };
}

/** Formats counts as `openalex 24, arxiv 6`, largest first; a name and its number are not wrapped apart. */
export function countsLine(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .sort((a, b) => b[1] - a[1])
    .map(([name, works]) => `${name}\u00A0${count(works)}`)
    .join(', ');
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
