import type { Config } from '../../../config/index.ts';
import type { Account, RunCounts } from '../../../ask/index.ts';
import type { DownloadSummary } from '../../../download/index.ts';
import { duration } from '../../progress.ts';
import type { Session } from '../../session.ts';
import { plain, table } from '../../terminal.ts';
import { keyHints } from './options.ts';

/** Prints the summary of the run and the next steps. */
export function printAccount(
  { summary, counts, run }: { readonly summary: DownloadSummary; readonly counts: Account; readonly run: RunCounts },
  elapsedMs: number,
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
  terminal.print(`\nfiles and manifests in ${config.download.out}  (${duration(elapsedMs)})`);
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
    ...keyHints(config),
  ];
}
