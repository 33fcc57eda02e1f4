import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

import { errorInfo } from '../base/index.ts';
import { AnswerRing } from './answer-ring.ts';
import type { Carrier, CarrierEvents, Death, FromWorker, ThreadStart, ToWorker, WorkerStart } from './carrier.ts';

/** The harness beside this file, in whatever form this file runs: source or built. */
export const HARNESS = new URL(`./worker-main${extname(import.meta.filename)}`, import.meta.url);

/** A worker thread. It shares the process, so native code inside it can neither be stopped nor contained. */
export class ThreadCarrier implements Carrier {
  readonly #worker: Worker;
  readonly #ring = new AnswerRing();
  readonly #events: CarrierEvents;
  readonly ended: Promise<void>;

  constructor(start: WorkerStart, environment: Readonly<Record<string, string>>, events: CarrierEvents) {
    this.#events = events;
    const threadStart: ThreadStart = { ...start, ring: this.#ring.memory };
    this.#worker = new Worker(HARNESS, {
      workerData: threadStart,
      env: { ...environment },
      stdout: true,
      stderr: true,
      resourceLimits: {
        ...(start.memoryLimitMb > 0 && { maxOldGenerationSizeMb: start.memoryLimitMb }),
        ...(start.youngGenerationMb > 0 && { maxYoungGenerationSizeMb: start.youngGenerationMb }),
      },
    });
    for (const stream of [this.#worker.stdout, this.#worker.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => events.output(text));
    let death: Death = { reason: 'crash', message: 'the worker thread ended' };
    this.#worker.on('message', (message: FromWorker | null) => this.#hear(message));
    this.#worker.on('error', (error) => {
      const { code, message } = errorInfo(error);
      death =
        code === 'ERR_WORKER_OUT_OF_MEMORY'
          ? {
              reason: 'out-of-memory',
              message: `the worker thread needed more than its ${start.memoryLimitMb || 'given'} MB`,
            }
          : { reason: 'crash', message };
    });
    this.ended = new Promise((resolve) => {
      this.#worker.on('exit', () => {
        this.collect();
        events.exit(death);
        resolve();
      });
    });
  }

  collect(): void {
    for (let answer = this.#ring.take(); answer; answer = this.#ring.take()) this.#events.message(answer);
  }

  send(jobs: ToWorker): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port, not a window
    this.#worker.postMessage(jobs);
  }

  close(): void {
    this.kill();
  }

  kill(): void {
    void this.#worker.terminate();
  }

  #hear(message: FromWorker | null): void {
    this.collect();
    if (message === null) return;
    if (!('kind' in message)) this.#ring.passMark();
    this.#events.message(message);
    this.collect();
  }
}
