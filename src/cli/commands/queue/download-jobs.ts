import type { Config } from '../../../config/index.ts';
import type { DrainMode, LeasedJob, Orchestrator, QueueEvent, RunSummary, WorkQueue } from '../../../queue/index.ts';
import type { DownloadTelemetry } from '../../../telemetry/index.ts';
import { isQueueEvent } from '../../../download/index.ts';
import { assembleDownload, openInspector, openShared } from '../../../harvest/index.ts';
import type { Session } from '../../session.ts';

/** An orchestrator and the function that runs it. */
export interface QueueRunner extends AsyncDisposable {
  readonly orchestrator: Orchestrator;
  run(options: { readonly drain: DrainMode; readonly signal: AbortSignal }): Promise<RunSummary>;
}

export interface DownloadJobParts {
  readonly queue: WorkQueue;
  readonly report: (event: QueueEvent) => void;
  readonly around: (<T>(job: LeasedJob, run: () => Promise<T>) => Promise<T>) | undefined;
  readonly telemetry: DownloadTelemetry | undefined;
}

/** The default handler: every job is a work to download. */
export async function openDownloadJobs(
  config: Config,
  session: Session,
  parts: DownloadJobParts,
): Promise<QueueRunner> {
  await using stack = new AsyncDisposableStack();
  const shared = await openShared(config, session);
  stack.use(shared);
  const inspector = stack.use(openInspector());
  const { run } = stack.use(
    await assembleDownload(config, session, {
      ...parts,
      shared,
      inspect: inspector.inspect,
      report: (event) => {
        if (event.kind === 'worker-crashed') session.log('error', `${event.work}: ${event.code} ${event.message}`);
        if (isQueueEvent(event)) parts.report(event);
        else parts.telemetry?.download(event);
      },
      reportHttp: parts.telemetry?.http,
    }),
  );
  const opened = stack.move();
  return {
    orchestrator: run.orchestrator,
    run: (options) => run.run(options),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
