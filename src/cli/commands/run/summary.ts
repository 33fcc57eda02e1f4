import { duration } from '../../../base/index.ts';
import type { Account, RunCounts } from '../../../library/index.ts';
import type { Config } from '../../../config/index.ts';
import { withoutPasswords } from '../../../config/index.ts';
import type { Corpus, CorpusEvent, CorpusStageName, RunAccount } from '../../../corpus/index.ts';
import { fleetDatabase } from '../../../corpus/index.ts';
import type { Session } from '../../session.ts';
import { wrapped } from '../../passage-text.ts';
import type { Terminal } from '../../terminal.ts';
import { count, counted, nonZero, plain, quoted } from '../../terminal.ts';

export interface RunEnd {
  readonly account: RunAccount;
  readonly downloaded: Extract<CorpusEvent, { kind: 'downloaded' }> | undefined;
}

type StageAccount = NonNullable<RunAccount['stages'][CorpusStageName]>;

/** A line of the summary; a line without text is not printed. */
type Line = readonly [label: string, text: string];

const STAGES: readonly (readonly [CorpusStageName, label: string])[] = [
  ['doctags', 'Parsed'],
  ['chunk', 'Chunked'],
  ['embed', 'Embedded'],
];
/** Files and documents listed by name; the rest are only counted. */
const NAMED = 10;
/** Widths of the label column and of a line. */
const LABEL = 13;
const WIDEST = 100;

export function printRun(end: RunEnd, { folder, config }: Corpus, session: Session): void {
  const { account } = end;
  if (session.json) return session.terminal.print(JSON.stringify({ out: folder, ...account }));
  const isElsewhere = config.queue.fleet && account.index === null && account.documents > 0;
  printAccount(end, session, isElsewhere ? 'Another machine of the fleet built the search index' : undefined);
  printLines(session.terminal, nextSteps(account, folder, config));
}

export function printAccount(
  { account, downloaded }: RunEnd,
  session: Session,
  unsearchable = 'Nothing to search yet',
) {
  const { works, index, stopped } = account;
  const stopText = stopped === 'asked to stop' ? '' : ` (${plain(stopped ?? '')})`;
  const notSearchable = stopped === null ? unsearchable : `Stopped early${stopText}`;
  const ending = index ? `${counted(index.passages, 'passage')} searchable by ${index.searched_by}` : notSearchable;
  printLines(session.terminal, [
    ...(works ? worksLines(works) : []),
    ...(downloaded ? runLines(downloaded.run, downloaded.summary.crashed) : []),
    ...documentLines(account),
  ]);
  session.terminal.print(`\n${ending}, after ${duration(account.seconds * 1000)}.`);
  for (const message of downloaded?.run.given_up ?? []) session.warn(plain(message));
}

export function printLines(terminal: Terminal, lines: readonly Line[]): void {
  const width = Math.max(30, Math.min(terminal.columns, WIDEST)) - LABEL;
  for (const [label, text] of lines.filter(([, each]) => each !== ''))
    for (const [at, line] of wrapped(text, width).entries())
      terminal.print(`${terminal.style('bold', (at === 0 ? label : '').padEnd(LABEL), 'stdout')}${line}`);
}

function worksLines(works: Account): Line[] {
  const others = {
    local: works.local,
    unavailable: works.unavailable,
    deferred: works.deferred,
    'failed, retryable': works.failed,
    'not tried yet': works.waiting,
    'known by their title only': works.unidentified,
    'unreadable entries': works.unreadable_entries,
    'repeated entries': works.repeated_entries,
    'other versions of listed works': works.other_versions,
    retracted: works.retracted,
    included: works.included,
    excluded: works.excluded,
  };
  const downloaded = `${count(works.downloaded)} downloaded (${count(works.downloaded_this_run)} of them now)`;
  const files = Object.keys(works.listed_by_file).length;
  return [
    ['Works', [`${count(works.listed)} listed`, downloaded, ...nonZero(others)].join(', ')],
    ['By source', countsLine(works.by_resolver)],
    ['Missing', countsLine(works.by_reason)],
    ['By file', files > 1 ? countsLine(works.listed_by_file) : ''],
    ['Repeated', files > 1 ? countsLine(works.repeated_by_file) : ''],
    ['Unreadable', countsLine(works.unreadable_by_file)],
  ];
}

function runLines({ earlier_by_reason: earlier, deferred }: RunCounts, crashed: number): Line[] {
  return [
    ['Not retried', countsLine(earlier)],
    ['Crashed', crashed > 0 ? `${count(crashed)} of the failed works` : ''],
    ...named('Deferred', deferred.first.map(plain), deferred.works),
  ];
}

function documentLines(account: RunAccount): Line[] {
  const { own_papers: own, skipped_files: skipped, stages, failures, scans, partial } = account;
  const papers = own && {
    'identified by an id in the file': own.checked,
    'with a DOI that no service confirmed': own.unchecked,
    'known only by their title': own.unnamed,
    'not looked up, because a service failed: run the same command to retry': own.unanswered,
  };
  const refused = own?.refused ?? [];
  const others = refused.map(({ document, doi, title }) => `${document}: ${doi}${title === null ? '' : ` (${title})`}`);
  const unreadable = skipped.map(({ file, detail }) => `${file}: ${detail}`);
  const failed = failures.map(({ stage, document, code, message }) => `${document}: ${stage}: ${code} ${message}`);
  return [
    ['Your papers', papers ? nonZero(papers).join(', ') : ''],
    ...named('Other works', others, others.length, 'DOIs in your papers belong to other works and were ignored'),
    ...named('Skipped', unreadable, unreadable.length, 'of your files were not used'),
    ...STAGES.map(([name, label]): Line => [label, stageText(stages[name])]),
    ['Scans', scans > 0 ? `${count(scans)} without text (needs-ocr): see docs/guides/doctags.md` : ''],
    [
      'Partial',
      partial > 0 ? `${counted(partial, 'document')} parsed in part: pages need OCR, or words are missing` : '',
    ],
    ...named('Failed', failed, failed.length, failed.length === 1 ? 'document' : 'documents'),
  ];
}

/** `ahead`: a stage that does the work of this one earlier. */
function stageText(stage: StageAccount | undefined): string {
  if (!stage || stage.done + stage.kept + stage.failed + stage.left === 0) return '';
  const { done, kept, failed, left, p50_ms: p50, p95_ms: p95 } = stage;
  const others = { 'of them by earlier runs': kept, failed, 'left for the next run': left };
  const time = done > 0 ? `; p50 ${duration(p50)}, p95 ${duration(p95)}` : '';
  return [counted(done + kept, 'document'), ...nonZero(others)].join(', ') + time;
}

/** The number of some things, then the first of them, one per line. Without `what` the number is not shown. */
function named(label: string, texts: readonly string[], all: number, what?: string): Line[] {
  const shown = texts.slice(0, NAMED).map(plain);
  const more = all > shown.length ? [`and ${count(all - shown.length)} more`] : [];
  const lines = [...(what === undefined ? [] : [`${count(all)} ${what}`]), ...shown, ...more];
  return all === 0 ? [] : lines.map((text, at): Line => [at === 0 ? label : '', text]);
}

/** Formats counts as `openalex 24, arxiv 6`, largest first; a name and its number are not wrapped apart. */
function countsLine(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .sort((a, b) => b[1] - a[1])
    .map(([name, works]) => `${name}\u00A0${count(works)}`)
    .join(', ');
}

export function nextSteps(
  { index, documents, works, stopped, failures }: RunAccount,
  folder: string,
  config: Config,
): Line[] {
  const run = quoted(folder);
  const { backend, url, path } = config.queue;
  const queue = quoted(backend === 'postgres' ? withoutPasswords(url) : path);
  const deferred = 'some works were deferred; run the same command later to retry them';
  const retry = `contentdownload queue retry-failed --queue ${queue}, then the same command`;
  const why = `docstokg stage-log --stage doctags --status failure --data-root ${run}/Data`;
  // The folder of a machine of a fleet may have a part of the documents.
  const corpus = config.queue.fleet ? `--database ${quoted(fleetDatabase(folder) ?? withoutPasswords(url))}` : run;
  const hasIndex = index !== null || (config.queue.fleet && documents > 0 && stopped === null);
  return [
    ['Ask', hasIndex ? `docstokg ask ${corpus} "…"` : ''],
    ['Look', index ? `${run}/report.html` : ''],
    ['Resume', stopped === null ? '' : 'run the same command'],
    ['Later', (works?.deferred ?? 0) > 0 ? deferred : ''],
    ['Retry', (works?.failed ?? 0) > 0 ? retry : ''],
    ['Why', failures.length > 0 ? why : ''],
  ];
}
