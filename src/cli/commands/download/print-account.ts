import type { Config } from '../../../config/index.ts';
import type { CorpusEvent, Gathering } from '../../../corpus/index.ts';
import type { DownloadSummary } from '../../../download/index.ts';
import type { LatestRow } from '../../../harvest/index.ts';
import { count, duration, showProgress } from '../../progress.ts';
import type { Session } from '../../session.ts';
import { plain, table } from '../../terminal.ts';

const MOST_HOSTS_TOLD = 10;
const MOST_WAITING_TOLD = 10;

/** Watches a download for whoever looks on: counts while it runs, the account at its end. */
export class DownloadProgress {
  readonly byResolver = new Map<string, number>();
  readonly byReason = new Map<string, number>();
  /** Works that ended in this run, whatever came of them. */
  readonly ended = new Set<string>();
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
    this.ended.add(row.work);
    raise(row.resolver === null ? this.byReason : this.byResolver, row.resolver ?? row.reason);
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
        `${count(saved)} saved`,
        ...(skipped > 0 ? [`${count(skipped)} not to be had`] : []),
        ...(failed > 0 ? [`${count(failed)} broke`] : []),
        `${(this.#bytes / 1e6).toFixed(1)} MB`,
        `${perSecond.toFixed(1)}/s`,
        ...(perSecond > 0 && left > 0 ? [`about ${duration((left / perSecond) * 1000)} left`] : []),
        ...(top.length > 0 ? [top.join(' ')] : []),
        ...(held.length > 0 ? [`waiting for ${held.join(', ')}`] : []),
      ].join('  ');
    });
  }
}

/** What came of the run, and what to do next. */
export function printAccount(
  summary: DownloadSummary,
  progress: DownloadProgress,
  session: Session,
  config: Config,
  latest: readonly LatestRow[],
): void {
  const { terminal } = session;
  const before = endedBefore(latest, progress.ended);
  if (session.json) {
    const { found, saved, skipped, failed, parked, keptBefore, crashed, bytes, reason } = summary;
    terminal.print(
      JSON.stringify({
        found,
        saved,
        skipped,
        failed,
        parked,
        kept_before: keptBefore,
        crashed,
        bytes,
        reason,
        by_resolver: Object.fromEntries(progress.byResolver),
        by_reason: Object.fromEntries(progress.byReason),
        ended_before: Object.fromEntries(before.byReason),
        given_up: before.givenUp,
        waiting: before.waiting.length,
        out: config.download.out,
      }),
    );
    return;
  }
  const bold = (text: string): string => terminal.style('bold', text, 'stdout');
  terminal.print(
    table([
      ['works found', summary.found],
      ['saved', summary.saved],
      ['kept before', summary.keptBefore],
      ['not to be had', summary.skipped],
      ['to be had later', summary.parked],
      ['broke', summary.failed],
      ...(summary.crashed > 0 ? [['of these, crashed', summary.crashed] as [string, number]] : []),
    ]),
  );
  const rows = (map: ReadonlyMap<string, number>): [string, number][] => [...map].sort((a, b) => b[1] - a[1]);
  if (progress.byResolver.size > 0) terminal.print(`\n${bold('Saved through')}\n${table(rows(progress.byResolver))}`);
  if (progress.byReason.size > 0) terminal.print(`\n${bold('Not saved because')}\n${table(rows(progress.byReason))}`);
  if (before.byReason.size > 0)
    terminal.print(`\n${bold('Not tried again, because earlier')}\n${table(rows(before.byReason))}`);
  if (before.waiting.length > 0) {
    const named = before.waiting.slice(0, MOST_WAITING_TOLD).map(plain).join('\n  ');
    const more = before.waiting.length - MOST_WAITING_TOLD;
    terminal.print(
      `\n${bold(`${before.waiting.length} works wait for their next try`)}\n  ${named}${more > 0 ? `\n  and ${more} more` : ''}`,
    );
  }
  for (const message of before.givenUp) session.log('warn', plain(message));
  terminal.print(`\nfiles and manifests in ${config.download.out}  (${duration(progress.elapsedMs)})`);
  for (const hint of hints(summary, config)) session.log('info', hint);
}

/** Works that earlier runs ended without a file, which this one therefore left alone, and the hosts that want to be. */
function endedBefore(
  latest: readonly LatestRow[],
  ended: ReadonlySet<string>,
): {
  readonly byReason: ReadonlyMap<string, number>;
  readonly givenUp: readonly string[];
  /** Works that are put off and will be tried again, each with its reason and moment. */
  readonly waiting: readonly string[];
} {
  const byReason = new Map<string, number>();
  const givenUp = new Set<string>();
  const waiting: string[] = [];
  for (const row of latest) {
    if (row.outcome === 'saved' || ended.has(row.work)) continue;
    const reason = row.reason;
    raise(byReason, reason);
    if (row.outcome === 'parked')
      waiting.push(`${row.work}: ${reason}${row.retryAt === null ? '' : `, until ${row.retryAt}`}`);
    if (reason === 'host-given-up' && row.detail !== null) givenUp.add(row.detail);
  }
  return { byReason, givenUp: [...givenUp].slice(0, MOST_HOSTS_TOLD), waiting };
}

function hints(summary: DownloadSummary, config: Config): string[] {
  const queue = `--queue ${config.queue.backend === 'postgres' ? 'postgres://…' : config.queue.path}`;
  return [
    ...(summary.reason === 'stopped' ? ['stopped before the end: the same command goes on from here'] : []),
    ...(summary.parked > 0
      ? ['some hosts asked for a longer wait, or something broke: the same command later gets the rest']
      : []),
    ...(summary.failed > 0
      ? [
          `what broke: contentdownload queue stats ${queue}; to try it again: contentdownload queue retry-failed ${queue}`,
        ]
      : []),
    ...(config.keys.openalex === '' ? ['a key of OpenAlex (DOCSTOKG_KEYS__OPENALEX) raises the daily budget'] : []),
    ...(config.keys.core === '' ? ['a key of CORE (DOCSTOKG_KEYS__CORE) opens one more source'] : []),
  ];
}

function raise(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
