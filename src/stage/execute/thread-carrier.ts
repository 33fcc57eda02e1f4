import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

import { errorInfo } from '../../base/index.ts';
import type { Carrier, CarrierEvents, Death, FromWorker, ToWorker, WorkerStart } from './carrier.ts';

/** The harness beside this file, in whatever form this file runs: source or built. */
export const HARNESS = new URL(`./worker-entry${extname(import.meta.filename)}`, import.meta.url);

/** A worker thread. It shares the process, so native code inside it can neither be stopped nor contained. */
export class ThreadCarrier implements Carrier {
  readonly #worker: Worker;
  readonly ended: Promise<void>;

  constructor(start: WorkerStart, environment: Readonly<Record<string, string>>, events: CarrierEvents) {
    this.#worker = new Worker(HARNESS, {
      workerData: start,
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
    this.#worker.on('message', (message: FromWorker) => events.message(message));
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
        events.exit(death);
        resolve();
      });
    });
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
}
