import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { ErrorInfo } from '../../base/index.ts';
import { AppError } from '../../base/index.ts';
import type { DrawnPage, PagesAsked, Look, PdfSummary } from './inspect.ts';

const DEADLINE_MS = 30_000;
/** Memory that a parser leaks goes with its process. */
const FILES_PER_PROCESS = 500;
const MEMORY_MEGABYTES = 512;

/** A process that was ended from outside says nothing about the file it had in hand. */
const FROM_OUTSIDE: ReadonlySet<string | null> = new Set(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']);

interface Answer {
  readonly id: number;
  readonly glance?: PdfSummary;
  readonly images?: readonly DrawnPage[];
  readonly error?: ErrorInfo;
  /** The process was ended before it could answer. */
  readonly isInterrupted?: boolean;
}

/** What is wanted of a file. */
export type Asked =
  | { readonly kind: 'glance'; readonly of: 'pdf'; readonly look: Look }
  | { readonly kind: 'glance'; readonly of: 'xml' }
  | ({ readonly kind: 'draw' } & PagesAsked);

interface Question {
  readonly id: number;
  readonly path: string;
  readonly asked: Asked;
  readonly answer: (answer: Answer) => void;
}

/** A file that cannot be looked into in time, or kills the process that tries, is unreadable as far as we are concerned. */
const UNREADABLE: PdfSummary = { pages: null, isEncrypted: false, isReadable: false, text: '', isQuick: false };

/**
 * Looks into PDFs and articles in XML in a separate process, one after the other. The file in hand has a deadline, and is
 * to blame when the process dies.
 */
export class PdfInspector implements Disposable {
  readonly #filesPerProcess: number;
  #child: ChildProcess | undefined;
  #waiting: Question[] = [];
  #inHand: Question | undefined;
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

  /** Small images of the pages asked for; of a file that cannot be drawn in time there are none. */
  async draw(path: string, asked: PagesAsked): Promise<readonly DrawnPage[]> {
    const { images } = await this.#answer(path, { kind: 'draw', ...asked });
    return images ?? [];
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

  /** Sends the next file, unless one is in hand. */
  #ask(): void {
    const [question] = this.#waiting;
    if (this.#inHand || !question) return;
    this.#waiting.shift();
    this.#inHand = question;
    this.#child ??= this.#start();
    const child = this.#child;
    child.ref();
    child.channel?.ref();
    this.#deadline = setTimeout(() => child.kill('SIGKILL'), DEADLINE_MS);
    const { id, path, asked } = question;
    // A process that cannot be written to has ended, and its exit event follows.
    child.send({ id, path, asked }, () => undefined);
  }

  /** The question in hand, which is no longer. */
  #take(): Question | undefined {
    const question = this.#inHand;
    this.#inHand = undefined;
    clearTimeout(this.#deadline);
    return question;
  }

  #start(): ChildProcess {
    const beside = join(import.meta.dirname, 'inspect-process.ts');
    const program = existsSync(beside) ? beside : beside.replace(/\.ts$/, '.js');
    const child = fork(program, {
      // The parser of untrusted files gets none of our keys; where Node keeps what it compiled, it starts in half the time.
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
    // Its last answer may arrive after its exit: a file is blamed only after both events. A process that was replaced had
    // nothing in hand.
    let signal: NodeJS.Signals | null = null;
    const isOver = { exit: false, disconnect: false };
    const end = (what: keyof typeof isOver): void => {
      isOver[what] = true;
      if (isOver.exit && isOver.disconnect && this.#child === child) this.#lost(FROM_OUTSIDE.has(signal));
    };
    child.on('disconnect', () => end('disconnect'));
    child.on('exit', (_code, by) => {
      signal = by;
      end('exit');
    });
    return child;
  }

  #receive(answer: Answer): void {
    if (this.#inHand?.id !== answer.id) return;
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

  /** The process is gone: the file in hand is to blame, unless the process was ended from outside. */
  #lost(isInterrupted: boolean): void {
    this.#child = undefined;
    const question = this.#take();
    question?.answer({ id: question.id, isInterrupted });
    this.#ask();
  }
}
