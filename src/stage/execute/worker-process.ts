import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { extname } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

import type { Clock } from '../../base/index.ts';
import type { Performed } from './performed.ts';
import type { WorkItem } from '../types.ts';

/** The main module of a worker, beside this file: source or built. */
const ENTRY = new URL(`./worker-entry${extname(import.meta.filename)}`, import.meta.url);

export interface WorkerStart {
  readonly module: string;
  readonly export: string;
  readonly stageName: string;
  readonly data: unknown;
  readonly memoryLimitMb: number;
  readonly cpuLimitS: number;
  readonly youngGenerationMb: number;
  readonly niceness: number;
}

export type Job = readonly [item: WorkItem, suffix: string, attempt: number];

/** `end`: it may exit. */
export type ToWorker = Job | 'end';

export type FromWorker =
  | { readonly kind: 'done'; readonly performed: Performed }
  | { readonly kind: 'ready' }
  /** The module cannot be used; every other worker would fail the same way. */
  | { readonly kind: 'unusable'; readonly message: string }
  /** An uncaught exception; the worker exits after this. */
  | { readonly kind: 'dying'; readonly message: string };

/** Why a worker exited by itself. */
export interface Death {
  readonly reason: 'crash' | 'out-of-memory' | 'timeout';
  readonly message: string;
}

/** `exit` is called last, and once. */
export interface WorkerEvents {
  message(message: FromWorker): void;
  output(text: string): void;
  exit(death: Death): void;
}

/** How long the last output of a dead process may take to arrive. */
const LAST_WORDS_MS = 100;
const TAIL_CHARACTERS = 2_000;
/** V8's young generation consists of three. */
const SEMI_SPACES = 3;

/** In a worker that runs for seconds, V8's inlining costs more than it saves (docs/decisions/stages.md). */
const LESS_INLINING = '--max-inlined-bytecode-size-cumulative=200';

/** A process, because it can be killed inside native code, and a crash ends only itself. */
export class WorkerProcess {
  readonly #child: ChildProcess;
  /** Resolves when it has exited and can no longer write. */
  readonly ended: Promise<void>;

  constructor(
    start: WorkerStart,
    options: { readonly environment: Readonly<Record<string, string>>; readonly clock: Clock },
    events: WorkerEvents,
  ) {
    this.#child = fork(fileURLToPath(ENTRY), [], {
      env: { ...options.environment },
      execArgv: [
        LESS_INLINING,
        ...process.execArgv,
        ...(start.memoryLimitMb > 0 ? [`--max-old-space-size=${start.memoryLimitMb}`] : []),
        ...(start.youngGenerationMb > 0
          ? [`--max-semi-space-size=${Math.max(1, Math.round(start.youngGenerationMb / SEMI_SPACES))}`]
          : []),
      ],
      // The last pipe stays open as long as this process lives, and carries the watchdog's reason for a kill.
      stdio: ['ignore', 'pipe', 'pipe', 'ipc', 'pipe'],
    });
    let tail = '';
    let [overMemory, overTime] = [false, false];
    const listen = (at: number, onText: (text: string) => void): void => {
      // A process that could not be started for lack of file descriptors has no pipes.
      const stream = (this.#child.stdio as ChildProcess['stdio'] | undefined)?.[at] as Readable | undefined;
      stream?.setEncoding('utf8').on('data', onText);
      // A killed child may reset its pipes; its exit is what counts.
      stream?.on('error', () => undefined);
    };
    listen(1, (text) => events.output(text));
    listen(2, (text) => {
      tail = (tail + text).slice(-TAIL_CHARACTERS);
      events.output(text);
    });
    listen(4, (text) => {
      if (text.includes('t')) overTime = true;
      else overMemory = true;
    });
    this.#child.on('message', (message) => events.message(message as FromWorker));
    this.#child.send(start, () => undefined);
    this.ended = new Promise((resolve) => {
      let isReported = false;
      const report = (death: () => Death): void => {
        if (isReported) return;
        isReported = true;
        events.exit(death());
        resolve();
      };
      this.#child.on('error', ({ message }) => {
        // A process that could not be started never exits; other errors are followed by an exit.
        if (this.#child.pid === undefined) report(() => ({ reason: 'crash', message }));
      });
      this.#child.once('exit', (code, signal) => {
        const death = (): Death => describe({ code, signal, tail, overMemory, overTime, limitMb: start.memoryLimitMb });
        const timer = options.clock.setTimer(LAST_WORDS_MS, () => report(death));
        this.#child.once('close', () => {
          timer[Symbol.dispose]();
          report(death);
        });
      });
    });
  }

  send(job: Job): void {
    // The exit event, not this callback, reports a child that died meanwhile.
    this.#child.send(job, () => undefined);
  }

  /** Lets an idle worker exit. */
  close(): void {
    // Not by disconnecting: a child whose parent disconnected never reports that its pipes are closed.
    this.#child.send('end', () => undefined);
  }

  kill(): void {
    // For a process that was not started the pid would be 0, which means this process and its whole group.
    if (this.#child.pid !== undefined) this.#child.kill('SIGKILL');
  }
}

function describe(end: {
  readonly code: number | null;
  readonly signal: string | null;
  readonly tail: string;
  readonly overMemory: boolean;
  readonly overTime: boolean;
  readonly limitMb: number;
}): Death {
  if (end.overTime) return { reason: 'timeout', message: 'it used more processor time than allowed' };
  if (end.overMemory || /heap out of memory|allocation failed/i.test(end.tail)) {
    const limit = end.limitMb > 0 ? `its ${end.limitMb} MB` : 'it was given';
    return { reason: 'out-of-memory', message: `the worker process needed more memory than ${limit}` };
  }
  const how = end.signal ? `was ended by ${end.signal}` : `ended with code ${end.code}`;
  return { reason: 'crash', message: `the worker process ${how}` };
}
