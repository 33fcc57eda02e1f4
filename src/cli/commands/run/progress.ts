import type { DownloadEvent } from '../../../download/index.ts';
import type { QueueEvent } from '../../../queue/index.ts';
import type { CorpusStageName, CorpusWatcher } from '../../../corpus/index.ts';
import type { StageEvent } from '../../../stage/index.ts';
import type { DownloadAssembly } from '../../../harvest/index.ts';
import { count, showProgress } from '../../progress.ts';
import type { Session } from '../../session.ts';
import { plain } from '../../terminal.ts';

/** How the stages are called to a reader, in their order; vectors are made ahead, and written at the end. */
const DONE: readonly (readonly [word: string, ...stages: CorpusStageName[]])[] = [
  ['parsed', 'doctags'],
  ['chunked', 'chunk'],
  ['embedded', 'dense', 'embed'],
];

/** How many documents a stage has done. */
interface Counts {
  readonly succeeded: number;
  readonly skipped: number;
  readonly failed: number;
}

/** One line about all stages of a run, while it runs. */
export class RunProgress implements CorpusWatcher {
  readonly #session: Session;
  readonly #stages = new Map<CorpusStageName, Counts>();
  #download: DownloadAssembly | undefined;
  /** Of the runs before this one. */
  #before = { ended: 0, saved: 0 };
  #bytes = 0;
  #ending = '';

  constructor(session: Session) {
    this.#session = session;
  }

  /** Shows the line until it is disposed of. */
  show(): Disposable {
    return showProgress(this.#session.terminal, this.#session.clock, () => this.#line());
  }

  readonly opened = (download: DownloadAssembly): void => {
    this.#download = download;
    const rows = download.manifest.latest();
    this.#before = {
      ended: rows.filter(({ outcome }) => outcome !== 'parked').length,
      saved: rows.filter(({ outcome }) => outcome === 'saved').length,
    };
  };

  readonly downloaded = (event: DownloadEvent | QueueEvent): void => {
    if (event.kind === 'worker-crashed') this.#session.log('error', `${event.work}: ${event.code} ${event.message}`);
    if (event.kind === 'work-ended') this.#bytes += event.row.attempts.reduce((sum, { bytes }) => sum + bytes, 0);
  };

  readonly staged = (stage: CorpusStageName, event: StageEvent): void => {
    const log: Session['log'] = (level, message) => this.#session.log(level, message);
    switch (event.kind) {
      case 'progress':
        this.#stages.set(stage, event.progress);
        break;
      case 'stage-started':
        if (stage === 'embed') this.#ending = 'writing vectors';
        break;
      // Failed documents stand in the summary, all together.
      case 'item-failed':
        log('debug', `${stage} ${event.error.itemId}: ${event.error.code ?? event.error.category}`);
        break;
      case 'warning':
        log('debug', `${stage}: ${event.message}`);
        break;
      case 'item-abandoned':
        log('warn', `${stage}: ${event.itemId} did not stop when told to; it is left behind`);
        break;
      case 'hook-failed':
        log('warn', `${stage}: ${event.hook}: ${event.message}`);
        break;
      case 'worker-replaced':
        log('debug', `${stage}: a worker was replaced: ${event.reason}`);
        break;
      case 'worker-output':
        log('debug', `${stage}: ${event.text}`);
        break;
      case 'stage-ended':
        this.#stages.set(stage, event.outcome);
        break;
      case 'diagnostics':
      case 'item-retry':
      case 'stopping':
        break;
    }
  };

  readonly indexing = (): void => {
    this.#ending = 'building the index';
  };

  readonly reporting = (): void => {
    this.#ending = 'writing the report';
  };

  #line(): string {
    const failed = [...this.#stages.values()].reduce((sum, each) => sum + each.failed, 0);
    return [
      [...this.#works(), ...this.#documents()].join(' → '),
      ...(this.#bytes > 0 ? [`${(this.#bytes / 1e6).toFixed(1)} MB`] : []),
      ...(failed > 0 ? [`${count(failed)} failed`] : []),
      ...(this.#ending === '' ? this.#held() : [this.#ending]),
    ].join('  ');
  }

  #works(): string[] {
    if (!this.#download) return [];
    const { found, saved, failed, parked } = this.#download.run.counts;
    const ended = Math.min(found, this.#before.ended + saved + failed + parked);
    return [`${count(ended)}/${count(found)} works`, `${count(this.#before.saved + saved)} saved`];
  }

  #documents(): string[] {
    return DONE.flatMap(([word, ...stages]) => {
      const counts = stages.flatMap((name) => this.#stages.get(name) ?? []);
      const most = Math.max(-1, ...counts.map(({ succeeded, skipped }) => succeeded + skipped));
      return most < 0 ? [] : [`${count(most)} ${word}`];
    });
  }

  #held(): string[] {
    if (!this.#download) return [];
    const { client, webClock } = this.#download;
    const hosts = [...client.holds()].filter(([, hold]) => hold.at > webClock.now()).map(([host]) => plain(host));
    return hosts.length > 0 ? [`waiting for ${hosts.slice(0, 2).join(', ')}`] : [];
  }
}
