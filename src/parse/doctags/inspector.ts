import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { ErrorInfo } from '../../base/index.ts';
import { AppError } from '../../base/index.ts';
import type { Look, PdfSummary } from './inspect.ts';

const DEADLINE_MS = 30_000;
/** Restarting the process frees what the parser leaked. */
const FILES_PER_PROCESS = 500;
const MEMORY_MEGABYTES = 512;

/** A process ended by one of these was stopped from outside; its file is not to blame. */
const FROM_OUTSIDE: ReadonlySet<string | null> = new Set(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']);

interface Answer {
  readonly id: number;
  readonly glance?: PdfSummary;
  readonly png?: Uint8Array | undefined;
  readonly error?: ErrorInfo;
  /** The process ended before it answered. */
  readonly isInterrupted?: boolean;
}

/** What is wanted of a file. */
export type Asked =
  | { readonly kind: 'glance'; readonly of: 'pdf'; readonly look: Look }
  | { readonly kind: 'glance'; readonly of: 'xml' }
  | { readonly kind: 'draw'; readonly page: number; readonly widthPixels: number };

interface Question {
  readonly id: number;
  readonly path: string;
  readonly asked: Asked;
  readonly answer: (answer: Answer) => void;
}

/** The result for a file that cannot be inspected in time, or kills the process. */
const UNREADABLE: PdfSummary = { pages: null, isEncrypted: false, isReadable: false, text: '', isQuick: false };

/** Inspects PDFs and XML articles one by one in a child process. A file has a deadline, and is to blame if the process dies. */
export class PdfInspector implements Disposable {
  readonly #filesPerProcess: number;
  #child: ChildProcess | undefined;
  #waiting: Question[] = [];
  #current: Question | undefined;
  #deadline: NodeJS.Timeout | undefined;
  #files = 0;
  #nextId = 1;

  constructor({ filesPerProcess = FILES_PER_PROCESS }: { readonly filesPerProcess?: number } = {}) {
    this.#filesPerProcess = filesPerProcess;
  }

  async glance(path: string, of: 'pdf' | 'xml' = 'pdf', look: Look = 'quick'): Promise<PdfSummary> {
    const asked = of === 'xml' ? ({ kind: 'glance', of } as const) : ({ kind: 'glance', of, look } as const);
    const { glance, error, isInterrupted } = await this.#answer(path, asked);
    if (isInterrupted)
      throw new AppError('INSPECT_INTERRUPTED', `${path} inspection was interrupted`, { hint: 'run again' });
    if (error) throw new AppError(error.code, error.message);
    return glance ?? UNREADABLE;
  }

  /** A page, counted from 1, as a small PNG; undefined if it cannot be drawn in time. */
  async draw(path: string, page: number, widthPixels: number): Promise<Uint8Array | undefined> {
    return (await this.#answer(path, { kind: 'draw', page, widthPixels })).png;
  }

  #answer(path: string, asked: Asked): Promise<Answer> {
    const { promise, resolve } = Promise.withResolvers<Answer>();
    this.#waiting.push({ id: this.#nextId++, path, asked, answer: resolve });
    this.#ask();
    return promise;
  }

  [Symbol.dispose](): void {
    const open = [this.#take(), ...this.#waiting.splice(0)];
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
    for (const question of open) question?.answer({ id: question.id, isInterrupted: true });
  }

  /** Sends the next file unless one is being inspected. */
  #ask(): void {
    const [question] = this.#waiting;
    if (this.#current || !question) return;
    const child = (this.#child ??= this.#start());
    this.#waiting.shift();
    this.#current = question;
    child.ref();
    child.channel?.ref();
    this.#deadline = setTimeout(() => child.kill('SIGKILL'), DEADLINE_MS);
    const { id, path, asked } = question;
    // A process that cannot be written to has ended, and its exit event follows; one that did not start cannot send.
    if (child.pid !== undefined) child.send({ id, path, asked }, () => undefined);
  }

  /** Removes and returns the current question. */
  #take(): Question | undefined {
    const question = this.#current;
    this.#current = undefined;
    clearTimeout(this.#deadline);
    return question;
  }

  #start(): ChildProcess {
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
    this.#files = 0;
    child.on('message', (answer: Answer) => {
      if (this.#child === child) this.#receive(answer);
    });
    // The last answer may arrive after the exit event, so a file is blamed only after both events.
    let signal: NodeJS.Signals | null = null;
    const isOver = { exit: false, disconnect: false };
    const end = (what: keyof typeof isOver): void => {
      isOver[what] = true;
      if (isOver.exit && isOver.disconnect && this.#child === child) this.#lost(FROM_OUTSIDE.has(signal));
    };
    // Too many processes or open files: it was not started, and never exits. Other errors are followed by an exit.
    child.on('error', () => {
      if (child.pid === undefined && this.#child === child) this.#lost(true);
    });
    child.on('disconnect', () => end('disconnect'));
    child.on('exit', (_code, by) => {
      signal = by;
      end('exit');
    });
    return child;
  }

  #receive(answer: Answer): void {
    if (this.#current?.id !== answer.id) return;
    const question = this.#take();
    this.#files += 1;
    // An idle child must not keep its parent alive.
    this.#child?.unref();
    this.#child?.channel?.unref();
    if (this.#files >= this.#filesPerProcess) {
      // It ignores SIGTERM.
      this.#child?.kill('SIGKILL');
      this.#child = undefined;
    }
    question?.answer(answer);
    this.#ask();
  }

  /** The process is gone: its current file is to blame, unless the process was stopped from outside. */
  #lost(isInterrupted: boolean): void {
    this.#child = undefined;
    const question = this.#take();
    question?.answer({ id: question.id, isInterrupted });
    this.#ask();
  }
}
