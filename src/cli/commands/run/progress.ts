import { duration } from '../../../base/index.ts';
import type { CorpusEvent, CorpusStageName, Run, RunProgress } from '../../../corpus/index.ts';
import type { StageEvent, StageOutcome } from '../../../stage/index.ts';
import type { Session } from '../../session.ts';
import { count, counted, nonZero, plain, showProgress } from '../../terminal.ts';
import { stageMessage } from '../docparse/stage-options.ts';

/** Stages in order, with the word shown to users. */
const DONE: readonly (readonly [word: string, stage: CorpusStageName])[] = [
  ['parsed', 'doctags'],
  ['chunked', 'chunk'],
  ['embedded', 'embed'],
];

/** `since`: when its first document ended. */
type StageProgress = Pick<StageOutcome, 'succeeded' | 'skipped' | 'failed'> & { readonly since?: number };

/** The progress of a run as one line; of a machine's own part if it is one of a fleet. */
export function runProgress({ terminal, clock, log }: Session, run: Run, isFleet = false) {
  const startedAt = clock.monotonic();
  const stages = new Map<CorpusStageName, StageProgress>();
  let bytes = 0;
  let ending = '';

  const seeStage = (stage: CorpusStageName, event: StageEvent): void => {
    const { since = clock.monotonic() } = stages.get(stage) ?? {};
    if (event.kind === 'progress') stages.set(stage, { ...event.progress, since });
    else if (event.kind === 'stage-ended') stages.set(stage, { ...event.outcome, since });
    else if (event.kind === 'stage-started') {
      // Until a stage has finished its first document, the time left is unknown.
      stages.set(stage, { succeeded: 0, skipped: 0, failed: 0 });
    }
    const [level, message] = stageMessage(event) ?? ['info', ''];
    // Failed documents are listed together in the summary.
    const isListed = event.kind === 'item-failed' || event.kind === 'warning' || event.kind === 'stopping';
    if (message !== '') log(isListed ? 'debug' : level, `${stage}: ${message}`);
  };

  const works = (): string[] => {
    const { papers } = run;
    if (!run.progress) return papers === 0 ? [] : [counted(papers, 'paper')];
    const { found, saved, missing, repeated, ended, endedBefore, savedBefore } = run.progress;
    const listed = isFleet
      ? `${counted(ended, 'work')} by this machine`
      : `${count(Math.min(found, endedBefore + ended))}/${counted(found, 'work')}`;
    const others = nonZero({ 'without a file': missing, repeated });
    return [listed, [`${count(savedBefore + saved)} downloaded`, ...others].join(', ')];
  };

  const documents = (): string[] => {
    const doneBy = ([, name]: (typeof DONE)[number]): number[] => {
      const stage = stages.get(name);
      return stage ? [stage.succeeded + stage.skipped] : [];
    };
    // Stages report now and then: a document that one has ended has passed those before it.
    return DONE.flatMap((each, at) =>
      doneBy(each).length === 0 ? [] : [`${count(Math.max(...DONE.slice(at).flatMap(doneBy)))} ${each[0]}`],
    );
  };

  const pace = (): string[] => {
    const now = clock.monotonic();
    const elapsedMs = now - startedAt;
    const { progress } = run;
    const paces = [...stages.values()].map(({ succeeded, skipped, failed, since = startedAt }) => ({
      done: succeeded + skipped + failed,
      worked: succeeded + failed,
      sinceMs: now - since,
    }));
    const leftMs = isFleet ? undefined : timeLeftMs(elapsedMs, progress, paces, run.papers);
    const done = progress ? progress.ended : Math.min(Infinity, ...paces.map((stage) => stage.done));
    return [
      ...(done > 0 && Number.isFinite(done) ? [rateOf(done, elapsedMs)] : []),
      ...(leftMs !== undefined && leftMs >= 1000 ? [`about ${duration(leftMs)} left`] : []),
    ];
  };

  const held = (): string[] => {
    const hosts = run.progress?.waitingFor ?? [];
    return hosts.length > 0 ? [`waiting for ${hosts.slice(0, 2).map(plain).join(', ')}`] : [];
  };

  const line = (): string => {
    const failed = [...stages.values()].reduce((sum, each) => sum + each.failed, 0);
    // Rate and time left first: a narrow terminal cuts the end.
    return [
      ...(ending === '' ? pace() : [ending]),
      [...works(), ...documents()].join(' → '),
      ...nonZero({ failed }),
      ...(ending === '' ? held() : []),
      ...(bytes > 0 ? [`${(bytes / 1e6).toFixed(1)} MB`] : []),
    ].join('  ');
  };

  return {
    show: (): Disposable => showProgress(terminal, clock, line),
    see: (event: CorpusEvent): void => {
      if (event.kind === 'message') log(event.level, event.message);
      else if (event.kind === 'stage') seeStage(event.stage, event.event);
      else if (event.kind === 'indexing') ending = 'building the index';
      else if (event.kind === 'download' && event.event.kind === 'worker-crashed')
        log('error', `${event.event.work}: ${event.event.code} ${event.event.message}`);
      else if (event.kind === 'download' && event.event.kind === 'work-ended')
        bytes += event.event.row.attempts.reduce((sum, attempt) => sum + attempt.bytes, 0);
    },
    reporting: (): void => void (ending = 'writing the report'),
  };
}

/** For each stage: finished documents, how many of them were processed in this run, and for how long it has run. */
interface StagePace {
  readonly done: number;
  readonly worked: number;
  readonly sinceMs: number;
}

/** Undefined while unknown. The slowest part decides; works left have files as often as others. */
export function timeLeftMs(
  elapsedMs: number,
  works: RunProgress | undefined,
  stages: readonly StagePace[],
  papers = 0,
): number | undefined {
  const ended = works?.ended ?? 0;
  const worksLeft = works ? Math.max(0, works.found - works.endedBefore - ended) : 0;
  if (worksLeft > 0 && ended === 0) return undefined;
  const share = works && ended > 0 ? works.saved / ended : 0;
  const downloads = works ? works.savedBefore + works.saved + Math.round(worksLeft * share) : 0;
  const expected = works || papers > 0 ? papers + downloads : Math.max(0, ...stages.map(({ done }) => done));
  const times = stages.map(({ done, worked, sinceMs }) => {
    const left = Math.max(0, expected - done);
    if (left === 0) return 0;
    return worked === 0 ? undefined : (left / worked) * sinceMs;
  });
  if (times.includes(undefined) || (stages.length === 0 && expected > 0)) return undefined;
  return Math.max(worksLeft > 0 ? (worksLeft / ended) * elapsedMs : 0, ...times.map((time) => time ?? 0));
}

export function rateOf(done: number, elapsedMs: number): string {
  const perSecond = (1000 * done) / elapsedMs;
  return perSecond < 0.1 ? `${(60 * perSecond).toFixed(1)}/min` : `${perSecond.toFixed(1)}/s`;
}
