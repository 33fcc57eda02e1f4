import type { Config } from '../../../config/index.ts';
import type { Account, RunCounts } from '../../../ask/index.ts';
import type { CorpusEvent, Gathering } from '../../../corpus/index.ts';
import type { DownloadSummary } from '../../../download/index.ts';
import { count, duration, showProgress } from '../../progress.ts';
import type { Session } from '../../session.ts';
import { plain, table } from '../../terminal.ts';

/** Collects the events of a download: counts for the progress line, and the summary at the end. */
export class DownloadProgress {
  readonly byResolver = new Map<string, number>();
  readonly #session: Session;
  readonly #gathering: Gathering;
  readonly #startedAt: number;
  #bytes = 0;

  constructor(session: Session, gathering: Gathering) {
    this.#session = session;
    this.#gathering = gathering;
    this.#startedAt = session.clock.monotonic();
  }

  get elapsedMs(): number {
    return this.#session.clock.monotonic() - this.#startedAt;
  }

  see(told: CorpusEvent): void {
    if (told.kind === 'message') this.#session.log(told.level, told.message);
    if (told.kind !== 'download') return;
    const { event } = told;
    if (event.kind === 'worker-crashed') this.#session.log('error', `${event.work}: ${event.code} ${event.message}`);
    if (event.kind !== 'work-ended') return;
    const { row } = event;
    if (row.resolver !== null) raise(this.byResolver, row.resolver);
    this.#bytes += row.attempts.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  show(): Disposable {
    return showProgress(this.#session.terminal, this.#session.clock, () => {
      const {
        saved = 0,
        skipped = 0,
        failed = 0,
        parked = 0,
        found = 0,
        waitingFor = [],
      } = this.#gathering.progress ?? {};
      const ended = saved + skipped + failed + parked;
      const perSecond = ended / (this.elapsedMs / 1000);
      const left = found - ended;
      const top = [...this.byResolver]
        .sort((a, b) => b[1] - a[1])
        .slice(0, 3)
        .map(([name, works]) => `${name} ${works}`);
      const held = waitingFor.slice(0, 2).map(plain);
      return [
        `${count(ended)}/${count(found)} works`,
        `${count(saved)} downloaded`,
        ...(skipped > 0 ? [`${count(skipped)} unavailable`] : []),
        ...(failed > 0 ? [`${count(failed)} failed`] : []),
        `${(this.#bytes / 1e6).toFixed(1)} MB`,
        `${perSecond.toFixed(1)}/s`,
        ...(perSecond > 0 && left > 0 ? [`about ${duration((left / perSecond) * 1000)} left`] : []),
        ...(top.length > 0 ? [top.join(' ')] : []),
        ...(held.length > 0 ? [`waiting for ${held.join(', ')}`] : []),
      ].join('  ');
    });
  }
}

/** Prints the summary of the run and the next steps. */
export function printAccount(
  { summary, counts, run }: { readonly summary: DownloadSummary; readonly counts: Account; readonly run: RunCounts },
  progress: DownloadProgress,
  session: Session,
  config: Config,
): void {
  const { terminal } = session;
  const { found, crashed, bytes, reason } = summary;
  if (session.json) {
    const { by_resolver, by_reason, earlier_by_reason, given_up, deferred } = run;
    const how = { by_resolver, by_reason, ended_before: earlier_by_reason, given_up, waiting: deferred.works };
    const ended = { ...run.outcomes, kept_before: summary.keptBefore, crashed, bytes, reason };
    terminal.print(JSON.stringify({ found, ...ended, ...how, counts, out: config.download.out }));
    return;
  }
  const bold = (text: string): string => terminal.style('bold', text, 'stdout');
  const some = (label: string, works: number): [string, number][] => (works > 0 ? [[label, works]] : []);
  terminal.print(
    table([
      ['works listed', counts.listed],
      ['downloaded this run', counts.downloaded_this_run],
      ['already downloaded', counts.downloaded_earlier],
      ['unavailable', counts.unavailable],
      ['deferred', counts.deferred],
      ['failed, retryable', counts.failed],
      ...some('of these, crashed', crashed),
      ...some('not tried yet', counts.waiting),
      ...some('unreadable entries', counts.unreadable_entries),
      ...some('repeated entries', counts.repeated_entries),
    ]),
  );
  const print = (title: string, rows: Readonly<Record<string, number>>): void => {
    const entries = Object.entries(rows);
    if (entries.length > 0) terminal.print(`\n${bold(title)}\n${table(entries)}`);
  };
  print('Downloaded by resolver', run.by_resolver);
  print('Not downloaded, by reason', run.by_reason);
  print('Not retried, by earlier reason', run.earlier_by_reason);
  if (Object.keys(counts.listed_by_file).length > 1) print('Works by input file', counts.listed_by_file);
  print('Unreadable entries by file', counts.unreadable_by_file);
  const { works, first } = run.deferred;
  if (works > 0) {
    const more = works - first.length;
    const named = first.map(plain).join('\n  ');
    terminal.print(`\n${bold(`${works} works deferred`)}\n  ${named}${more > 0 ? `\n  and ${more} more` : ''}`);
  }
  for (const message of run.given_up) session.log('warn', plain(message));
  terminal.print(`\nfiles and manifests in ${config.download.out}  (${duration(progress.elapsedMs)})`);
  for (const hint of hints(summary, config)) session.log('info', hint);
}

function hints(summary: DownloadSummary, config: Config): string[] {
  const queue = `--queue ${config.queue.backend === 'postgres' ? 'postgres://…' : config.queue.path}`;
  return [
    ...(summary.reason === 'stopped' ? ['stopped early; resume: run the same command'] : []),
    ...(summary.parked > 0 ? ['some works were deferred or failed; run the same command later to retry them'] : []),
    ...(summary.failed > 0
      ? [`see failures: contentdownload queue stats ${queue}; retry: contentdownload queue retry-failed ${queue}`]
      : []),
    ...(config.keys.openalex === '' ? ['an OpenAlex key (DOCSTOKG_KEYS__OPENALEX) raises the daily budget'] : []),
    ...(config.keys.core === '' ? ['a CORE key (DOCSTOKG_KEYS__CORE) enables one more source'] : []),
  ];
}

function raise(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
