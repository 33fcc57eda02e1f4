import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { ErrorInfo } from '../../base/index.ts';
import { AppError } from '../../base/index.ts';
import type { DrawnPage, PagesAsked } from './draw-pages.ts';
import type { Look, PdfGlance } from './inspect.ts';

const DEADLINE_MS = 30_000;
/** Memory that a parser leaks goes with its process. */
const FILES_PER_PROCESS = 500;
const MEMORY_MEGABYTES = 512;

/** A process that was ended from outside says nothing about the file it had in hand. */
const FROM_OUTSIDE: ReadonlySet<string | null> = new Set(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']);

interface Answer {
  readonly id: number;
  readonly glance?: PdfGlance;
  readonly images?: readonly DrawnPage[];
  readonly error?: ErrorInfo;
  /** Nobody knows: the process was ended before it could answer. */
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
const UNREADABLE: PdfGlance = { pages: null, isEncrypted: false, isReadable: false, text: '', isQuick: false };

/** Looks into PDFs and articles in XML in a process of its own, one after the other. */
export class PdfInspector implements Disposable {
  readonly #filesPerProcess: number;
  #child: ChildProcess | undefined;
  #waiting: Question[] = [];
  #asked: Question | undefined;
  #timer: NodeJS.Timeout | undefined;
  #files = 0;
  #nextId = 1;

  constructor({ filesPerProcess = FILES_PER_PROCESS }: { readonly filesPerProcess?: number } = {}) {
    this.#filesPerProcess = filesPerProcess;
  }

  async glance(path: string, of: 'pdf' | 'xml' = 'pdf', look: Look = 'quick'): Promise<PdfGlance> {
    const asked = of === 'xml' ? ({ kind: 'glance', of } as const) : ({ kind: 'glance', of, look } as const);
    const { glance, error, isInterrupted } = await this.#answer(path, asked);
    if (isInterrupted)
      throw new AppError('INSPECT_INTERRUPTED', `${path} was not looked into to the end`, { hint: 'run again' });
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
    clearTimeout(this.#timer);
    const left = [...(this.#asked ? [this.#asked] : []), ...this.#waiting];
    this.#asked = undefined;
    this.#waiting = [];
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
    for (const { id, answer } of left) answer({ id, isInterrupted: true });
  }

  #ask(): void {
    if (this.#asked) return;
    const question = this.#waiting.shift();
    if (!question) return;
    this.#asked = question;
    this.#child ??= this.#start();
    this.#child.ref();
    this.#timer = setTimeout(() => this.#child?.kill('SIGKILL'), DEADLINE_MS);
    this.#child.send({ id: question.id, path: question.path, asked: question.asked }, (error) => {
      if (error) this.#settle({ id: question.id });
    });
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
    child.on('message', (answer: Answer) => this.#settle(answer));
    child.on('exit', (_code, signal) => {
      // One that was replaced had nothing in hand any more: the question that is open is another's.
      if (this.#child !== child) return;
      this.#child = undefined;
      if (!this.#asked) return;
      this.#settle({ id: this.#asked.id, isInterrupted: FROM_OUTSIDE.has(signal) });
    });
    return child;
  }

  #settle(answer: Answer): void {
    const question = this.#asked;
    if (question?.id !== answer.id) return;
    clearTimeout(this.#timer);
    this.#asked = undefined;
    this.#files += 1;
    // An idle child must not keep its parent alive.
    this.#child?.unref();
    this.#child?.channel?.unref();
    if (this.#files >= this.#filesPerProcess) {
      // It does not mind a polite signal.
      this.#child?.kill('SIGKILL');
      this.#child = undefined;
    }
    question.answer(answer);
    this.#ask();
  }
}
