import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

import type { Clock } from '../../base/index.ts';
import type { Carrier, CarrierEvents, Death, FromWorker, ToWorker, WorkerStart } from './carrier.ts';
import { HARNESS } from './thread-carrier.ts';

/** How long a dead process's last words may take to arrive. */
const LAST_WORDS_MS = 100;
const TAIL_CHARACTERS = 2_000;
/** V8 makes the young generation of three of them. */
const SEMI_SPACES = 3;

/** A worker that runs for seconds does not earn back what V8 spends on code inlined into other code (docs/decisions/stages.md). */
const LESS_INLINING = '--max-inlined-bytecode-size-cumulative=200';

/** A child process: it can be killed inside native code, and takes only itself down. */
export class ProcessCarrier implements Carrier {
  readonly #child: ChildProcess;
  readonly ended: Promise<void>;

  constructor(
    start: WorkerStart,
    options: { readonly environment: Readonly<Record<string, string>>; readonly clock: Clock },
    events: CarrierEvents,
  ) {
    this.#child = fork(fileURLToPath(HARNESS), [], {
      env: { ...options.environment },
      execArgv: [
        LESS_INLINING,
        ...process.execArgv,
        ...(start.memoryLimitMb > 0 ? [`--max-old-space-size=${start.memoryLimitMb}`] : []),
        ...(start.youngGenerationMb > 0
          ? [`--max-semi-space-size=${Math.max(1, Math.round(start.youngGenerationMb / SEMI_SPACES))}`]
          : []),
      ],
      // The last one stays open as long as we live, and carries the watchdog's word when memory runs over.
      stdio: ['ignore', 'pipe', 'pipe', 'ipc', 'pipe'],
    });
    let tail = '';
    let overMemory = false;
    const listen = (at: number, heard: (text: string) => void): void => {
      // A process that could not be started for want of descriptors has no pipes at all.
      const stream = (this.#child.stdio as ChildProcess['stdio'] | undefined)?.[at] as Readable | undefined;
      stream?.setEncoding('utf8').on('data', heard);
      // A killed child may reset its pipes; its exit says all there is to say.
      stream?.on('error', () => undefined);
    };
    listen(1, (text) => events.output(text));
    listen(2, (text) => {
      tail = (tail + text).slice(-TAIL_CHARACTERS);
      events.output(text);
    });
    listen(4, () => {
      overMemory = true;
    });
    this.#child.on('message', (message) => events.message(message as FromWorker));
    this.#child.send(start, () => undefined);
    this.ended = new Promise((resolve) => {
      let told = false;
      const tell = (death: () => Death): void => {
        if (told) return;
        told = true;
        events.exit(death());
        resolve();
      };
      this.#child.on('error', ({ message }) => {
        // A process that could not be started has no exit to wait for; other errors are followed by one.
        if (this.#child.pid === undefined) tell(() => ({ reason: 'crash', message }));
      });
      this.#child.once('exit', (code, signal) => {
        const death = (): Death => describe({ code, signal, tail, overMemory, limitMb: start.memoryLimitMb });
        const timer = options.clock.setTimer(LAST_WORDS_MS, () => tell(death));
        this.#child.once('close', () => {
          timer[Symbol.dispose]();
          tell(death);
        });
      });
    });
  }

  send(jobs: ToWorker): void {
    // The exit event, not this callback, tells of a child that died meanwhile.
    this.#child.send(jobs, () => undefined);
  }

  close(): void {
    // Not by disconnecting: a child whose parent hung up never says that its pipes are closed.
    this.send([]);
  }

  kill(): void {
    // A process that was not started has the number 0, which to the system means this one and all its kin.
    if (this.#child.pid !== undefined) this.#child.kill('SIGKILL');
  }
}

function describe(end: {
  readonly code: number | null;
  readonly signal: string | null;
  readonly tail: string;
  readonly overMemory: boolean;
  readonly limitMb: number;
}): Death {
  if (end.overMemory || /heap out of memory|allocation failed/i.test(end.tail)) {
    const limit = end.limitMb > 0 ? `its ${end.limitMb} MB` : 'it was given';
    return { reason: 'out-of-memory', message: `the worker process needed more memory than ${limit}` };
  }
  const how = end.signal ? `was ended by ${end.signal}` : `ended with code ${end.code}`;
  return { reason: 'crash', message: `the worker process ${how}` };
}
