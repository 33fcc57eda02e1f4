import type { DownloadEvent } from '../../../download/index.ts';
import type { CorpusEvent, CorpusStageName, Gathering } from '../../../corpus/index.ts';
import type { StageEvent } from '../../../stage/index.ts';
import type { Session } from '../../session.ts';
import { count, duration, plain, showProgress } from '../../terminal.ts';
import { stageMessage } from '../docparse/stage-options.ts';

/** Stages in order, with the word shown to users. `dense` computes vectors ahead of `embed`, which writes them. */
const DONE: readonly (readonly [word: string, ...stages: CorpusStageName[]])[] = [
  ['parsed', 'doctags'],
  ['chunked', 'chunk'],
  ['embedded', 'dense', 'embed'],
];

interface Counts {
  readonly succeeded: number;
  readonly skipped: number;
  readonly failed: number;
}

export class RunProgress {
  readonly #session: Session;
  readonly #gathering: Gathering;
  readonly #stages = new Map<CorpusStageName, Counts>();
  readonly #startedAt: number;
  readonly #stageStartedAt = new Map<CorpusStageName, number>();
  #bytes = 0;
  #ending = '';

  constructor(session: Session, gathering: Gathering) {
    this.#session = session;
    this.#gathering = gathering;
    this.#startedAt = session.clock.monotonic();
  }

  show(): Disposable {
    return showProgress(this.#session.terminal, this.#session.clock, () => this.#line());
  }

  see(event: CorpusEvent): void {
    switch (event.kind) {
      case 'message':
        this.#session.log(event.level, event.message);
        break;
      case 'download':
        this.#downloaded(event.event);
        break;
      case 'stage':
        this.#staged(event.stage, event.event);
        break;
      case 'indexing':
        this.#ending = 'building the index';
        break;
      case 'queue':
      case 'index':
      case 'gathered':
      case 'ended':
        break;
    }
  }

  reporting(): void {
    this.#ending = 'writing the report';
  }

  #downloaded(event: DownloadEvent): void {
    if (event.kind === 'worker-crashed') this.#session.log('error', `${event.work}: ${event.code} ${event.message}`);
    if (event.kind === 'work-ended') this.#bytes += event.row.attempts.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  #staged(stage: CorpusStageName, event: StageEvent): void {
    if (event.kind === 'progress') {
      if (!this.#stageStartedAt.has(stage)) this.#stageStartedAt.set(stage, this.#session.clock.monotonic());
      this.#stages.set(stage, event.progress);
    } else if (event.kind === 'stage-started') {
      // Until a stage has finished its first document, the time left is unknown.
      if (stage === 'embed') this.#ending = 'writing vectors';
      else this.#stages.set(stage, { succeeded: 0, skipped: 0, failed: 0 });
    } else if (event.kind === 'stage-ended') this.#stages.set(stage, event.outcome);
    const [level, message] = stageMessage(event) ?? ['info', ''];
    // Failed documents are listed together in the summary.
    const isListed = event.kind === 'item-failed' || event.kind === 'warning' || event.kind === 'stopping';
    if (message !== '') this.#session.log(isListed ? 'debug' : level, `${stage}: ${message}`);
  }

  #line(): string {
    const failed = [...this.#stages.values()].reduce((sum, each) => sum + each.failed, 0);
    return [
      [...this.#works(), ...this.#documents()].join(' → '),
      ...(this.#bytes > 0 ? [`${(this.#bytes / 1e6).toFixed(1)} MB`] : []),
      ...(failed > 0 ? [`${count(failed)} failed`] : []),
      ...(this.#ending === '' ? [...this.#pace(), ...this.#held()] : [this.#ending]),
    ].join('  ');
  }

  /** Rate so far, and the estimated time left of the slowest stage. */
  #pace(): string[] {
    const now = this.#session.clock.monotonic();
    const elapsedMs = now - this.#startedAt;
    const { progress } = this.#gathering;
    const ended = progress ? progress.saved + progress.skipped + progress.failed + progress.parked : 0;
    const works = progress && {
      ended,
      left: Math.max(0, (progress.found ?? 0) - progress.endedBefore - ended),
      saved: progress.saved,
      savedBefore: progress.savedBefore,
    };
    const stages = [...this.#stages].map(([name, { succeeded, skipped, failed }]) => ({
      done: succeeded + skipped + failed,
      worked: succeeded + failed,
      sinceMs: now - (this.#stageStartedAt.get(name) ?? this.#startedAt),
    }));
    const isFleet = progress !== undefined && progress.found === undefined;
    const leftMs = timeLeftMs({
      elapsedMs,
      ...(works && { works }),
      documents: Math.max(0, ...stages.map(({ done }) => done)),
      stages,
    });
    const done = progress ? ended : Math.min(Infinity, ...stages.map((stage) => stage.done));
    return [
      ...(done > 0 && Number.isFinite(done) ? [rateOf(done, elapsedMs)] : []),
      ...(!isFleet && leftMs !== undefined && leftMs >= 1000 ? [`about ${duration(leftMs)} left`] : []),
    ];
  }

  #works(): string[] {
    const { progress } = this.#gathering;
    if (!progress) return [];
    const { found, saved, skipped, failed, parked, endedBefore, savedBefore } = progress;
    const missing = skipped + failed;
    const tried = saved + skipped + failed + parked;
    const unavailable = missing > 0 ? `, ${count(missing)} without a file` : '';
    const works =
      found === undefined
        ? `${count(tried)} works by this machine`
        : `${count(Math.min(found, endedBefore + tried))}/${count(found)} works`;
    return [works, `${count(savedBefore + saved)} downloaded${unavailable}`];
  }

  #documents(): string[] {
    return DONE.flatMap(([word, ...stages]) => {
      const counts = stages.flatMap((name) => this.#stages.get(name) ?? []);
      const most = Math.max(-1, ...counts.map(({ succeeded, skipped }) => succeeded + skipped));
      return most < 0 ? [] : [`${count(most)} ${word}`];
    });
  }

  #held(): string[] {
    const hosts = this.#gathering.progress?.waitingFor ?? [];
    return hosts.length > 0 ? [`waiting for ${hosts.slice(0, 2).map(plain).join(', ')}`] : [];
  }
}

interface RunPace {
  readonly elapsedMs: number;
  /** Undefined if nothing is downloaded. */
  readonly works?: {
    readonly ended: number;
    readonly left: number;
    readonly saved: number;
    readonly savedBefore: number;
  };
  /** Number of documents if nothing is downloaded. */
  readonly documents: number;
  /** For each stage: finished documents, how many of them were processed in this run, and for how long it has run. */
  readonly stages: readonly { readonly done: number; readonly worked: number; readonly sinceMs: number }[];
}

/**
 * Estimated time left; undefined while unknown. Downloads and stages run concurrently, so the slowest determines it. The
 * share of works with a file is assumed to stay the same for works not tried yet.
 */
export function timeLeftMs({ elapsedMs, works, documents, stages }: RunPace): number | undefined {
  if (works && works.left > 0 && works.ended === 0) return undefined;
  const share = works && works.ended > 0 ? works.saved / works.ended : 0;
  const expected = works ? works.savedBefore + works.saved + Math.round(works.left * share) : documents;
  const downloading = works && works.left > 0 ? (works.left / works.ended) * elapsedMs : 0;
  const times = stages.map(({ done, worked, sinceMs }) => {
    const left = Math.max(0, expected - done);
    if (left === 0) return 0;
    return worked === 0 ? undefined : (left / worked) * sinceMs;
  });
  if (times.includes(undefined) || (stages.length === 0 && expected > 0)) return undefined;
  return Math.max(downloading, ...times.map((time) => time ?? 0));
}

export function rateOf(done: number, elapsedMs: number): string {
  const perSecond = (1000 * done) / elapsedMs;
  return perSecond < 0.1 ? `${(60 * perSecond).toFixed(1)}/min` : `${perSecond.toFixed(1)}/s`;
}
