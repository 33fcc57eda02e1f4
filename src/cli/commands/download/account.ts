import type { Config } from '../../../config/index.ts';
import type { DownloadEvent, DownloadSummary } from '../../../download/index.ts';
import { whyNot } from '../../../download/index.ts';
import type { QueueEvent } from '../../../queue/index.ts';
import type { DownloadAssembly } from '../../../harvest/index.ts';
import { count, duration, showProgress } from '../../progress.ts';
import type { Session } from '../../session.ts';
import { plain, table } from '../../terminal.ts';

/** Watches a download for whoever looks on: counts while it runs, the account at its end. */
export class DownloadProgress {
  readonly byResolver = new Map<string, number>();
  readonly byReason = new Map<string, number>();
  readonly #session: Session;
  readonly #startedAt: number;
  #bytes = 0;

  constructor(session: Session) {
    this.#session = session;
    this.#startedAt = session.clock.monotonic();
  }

  get elapsedMs(): number {
    return this.#session.clock.monotonic() - this.#startedAt;
  }

  see(event: DownloadEvent | QueueEvent): void {
    if (event.kind === 'worker-crashed') this.#session.log('error', `${event.work}: ${event.code} ${event.message}`);
    if (event.kind !== 'work-ended') return;
    const { row } = event;
    raise(
      row.resolver === null ? this.byReason : this.byResolver,
      row.resolver ?? whyNot(row.reason, row.attempts.at(-1)?.reason),
    );
    this.#bytes += row.attempts.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  show({ run, client, webClock }: DownloadAssembly): Disposable {
    return showProgress(this.#session.terminal, this.#session.clock, () => {
      const { saved, failed, parked, found } = run.counts;
      const ended = saved + failed + parked;
      const perSecond = ended / (this.elapsedMs / 1000);
      const left = found - ended;
      const top = [...this.byResolver]
        .sort((a, b) => b[1] - a[1])
        .slice(0, 3)
        .map(([name, works]) => `${name} ${works}`);
      const held = [...client.holds()]
        .filter(([, hold]) => hold.at > webClock.now())
        .slice(0, 2)
        .map(([host]) => plain(host));
      return [
        `${count(ended)}/${count(found)} works`,
        `${count(saved)} saved`,
        ...(failed > 0 ? [`${count(failed)} not to be had`] : []),
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
): void {
  const { terminal } = session;
  if (session.json) {
    const { found, saved, failed, parked, keptBefore, crashed, bytes, reason } = summary;
    terminal.print(
      JSON.stringify({
        found,
        saved,
        failed,
        parked,
        kept_before: keptBefore,
        crashed,
        bytes,
        reason,
        by_resolver: Object.fromEntries(progress.byResolver),
        by_reason: Object.fromEntries(progress.byReason),
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
      ['not to be had', summary.failed],
      ['to be had later', summary.parked],
    ]),
  );
  const rows = (map: ReadonlyMap<string, number>): [string, number][] => [...map].sort((a, b) => b[1] - a[1]);
  if (progress.byResolver.size > 0) terminal.print(`\n${bold('Saved through')}\n${table(rows(progress.byResolver))}`);
  if (progress.byReason.size > 0) terminal.print(`\n${bold('Not saved because')}\n${table(rows(progress.byReason))}`);
  terminal.print(`\nfiles and manifests in ${config.download.out}  (${duration(progress.elapsedMs)})`);
  for (const hint of hints(summary, config)) session.log('info', hint);
}

function hints(summary: DownloadSummary, config: Config): string[] {
  const queue = `--queue ${config.queue.backend === 'postgres' ? 'postgres://…' : config.queue.path}`;
  return [
    ...(summary.reason === 'stopped' ? ['stopped before the end: the same command goes on from here'] : []),
    ...(summary.parked > 0 ? ['some hosts asked for a longer wait: the same command later gets the rest'] : []),
    ...(summary.failed > 0
      ? [
          `why works failed: contentdownload queue stats ${queue}; to try them again: contentdownload queue retry-failed ${queue}`,
        ]
      : []),
    ...(config.keys.openalex === '' ? ['a key of OpenAlex (DOCSTOKG_KEYS__OPENALEX) raises the daily budget'] : []),
    ...(config.keys.core === '' ? ['a key of CORE (DOCSTOKG_KEYS__CORE) opens one more source'] : []),
  ];
}

function raise(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
