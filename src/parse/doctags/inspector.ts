import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { ErrorInfo } from '../../base/index.ts';
import { AppError } from '../../base/index.ts';
import type { Look, PdfSummary } from './inspect.ts';
import type { PageText } from './page-text.ts';

const DEADLINE_MS = 30_000;
/** Restarting the process frees what the parser leaked. */
const FILES_PER_PROCESS = 500;
const MEMORY_MEGABYTES = 512;

/** A process ended by one of these was stopped from outside; its file is not to blame. */
const FROM_OUTSIDE: ReadonlySet<string | null> = new Set(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']);

interface Answer {
  readonly glance?: PdfSummary;
  readonly png?: Uint8Array | undefined;
  readonly text?: PageText | undefined;
  readonly error?: ErrorInfo;
  /** The process ended before it answered, and not because of the file. */
  readonly isInterrupted?: boolean;
}

export type Asked =
  | { readonly kind: 'glance'; readonly of: 'pdf' | 'xml'; readonly look: Look }
  | { readonly kind: 'draw'; readonly page: number; readonly widthPixels: number }
  | { readonly kind: 'text'; readonly page: number };

/** A process, the number of files it has inspected, and the answer to its file when it ends by itself. */
interface Inspecting {
  readonly child: ChildProcess;
  readonly ended: Promise<Answer>;
  files: number;
}

/** The result for a file that cannot be inspected in time, or kills the process. */
const UNREADABLE: PdfSummary = { pages: null, isEncrypted: false, isReadable: false, text: '', isQuick: false };

/**
 * Inspects PDFs and XML articles one by one in a child process. A file has a deadline, and is to blame if the process
 * dies.
 */
export class PdfInspector implements Disposable {
  readonly #filesPerProcess: number;
  #process: Inspecting | undefined;
  #isDisposed = false;
  /** Ends with the last answer; files wait for each other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor({ filesPerProcess = FILES_PER_PROCESS }: { readonly filesPerProcess?: number } = {}) {
    this.#filesPerProcess = filesPerProcess;
  }

  async glance(path: string, of: 'pdf' | 'xml' = 'pdf', look: Look = 'quick'): Promise<PdfSummary> {
    const { glance, error, isInterrupted } = await this.#answer(path, { kind: 'glance', of, look });
    if (isInterrupted)
      throw new AppError('INSPECT_INTERRUPTED', `${path} inspection was interrupted`, { hint: 'run again' });
    if (error) throw new AppError(error.code, error.message);
    return glance ?? UNREADABLE;
  }

  /** A page, counted from 1, as a small PNG; undefined if it cannot be drawn in time. */
  async draw(path: string, page: number, widthPixels: number): Promise<Uint8Array | undefined> {
    return (await this.#answer(path, { kind: 'draw', page, widthPixels })).png;
  }

  /** What can be selected on a page, counted from 1; undefined if it cannot be read in time. */
  async text(path: string, page: number): Promise<PageText | undefined> {
    return (await this.#answer(path, { kind: 'text', page })).text;
  }

  #answer(path: string, asked: Asked): Promise<Answer> {
    const answer = this.#last.then(() => this.#ask(path, asked));
    this.#last = answer;
    return answer;
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#end();
  }

  async #ask(path: string, asked: Asked): Promise<Answer> {
    if (this.#isDisposed) return { isInterrupted: true };
    const inspecting = (this.#process ??= this.#start());
    const { child, ended } = inspecting;
    // An idle child must not keep its parent alive.
    child.ref();
    child.channel?.ref();
    const deadline = setTimeout(() => child.kill('SIGKILL'), DEADLINE_MS);
    const { promise: answered, resolve } = Promise.withResolvers<Answer>();
    child.once('message', (answer: Answer) => resolve(answer));
    // A process that cannot be written to has ended, and its exit event follows; one that did not start cannot send.
    if (child.pid !== undefined) child.send({ path, asked }, () => undefined);
    const answer = await Promise.race([answered, ended]);
    clearTimeout(deadline);
    child.unref();
    child.channel?.unref();
    inspecting.files += 1;
    if (inspecting.files >= this.#filesPerProcess) this.#end();
    return this.#isDisposed ? { isInterrupted: true } : answer;
  }

  #start(): Inspecting {
    const started = start();
    void started.ended.then(() => {
      if (this.#process === started) this.#process = undefined;
    });
    return started;
  }

  #end(): void {
    // It ignores SIGTERM.
    this.#process?.child.kill('SIGKILL');
    this.#process = undefined;
  }
}

function start(): Inspecting {
  const beside = join(import.meta.dirname, 'inspect-process.ts');
  const program = existsSync(beside) ? beside : beside.replace(/\.ts$/, '.js');
  const child = fork(program, {
    // The parser of untrusted files gets no keys; Node's compile cache halves its start-up time.
    env: { NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache') },
    execArgv: [`--max-old-space-size=${MEMORY_MEGABYTES}`],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    // Images are bytes.
    serialization: 'advanced',
  });
  const { promise: ended, resolve } = Promise.withResolvers<Answer>();
  // Too many processes or open files: it was not started, and never exits. Other errors are followed by an exit.
  child.on('error', () => {
    if (child.pid === undefined) resolve({ isInterrupted: true });
  });
  // The last answer may arrive after the exit event, so a file is blamed only after both events.
  const { promise: disconnected, resolve: disconnect } = Promise.withResolvers<void>();
  child.on('disconnect', disconnect);
  child.on('exit', (_code, signal) => {
    void disconnected.then(() => resolve({ isInterrupted: FROM_OUTSIDE.has(signal) }));
  });
  return { child, ended, files: 0 };
}
