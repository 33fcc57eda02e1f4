import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { ErrorInfo } from '../../base/index.ts';
import { AppError } from '../../base/index.ts';
import type { DrawnPage, PagesAsked } from './draw-pages.ts';
import type { Look, PdfSummary } from './inspect.ts';

const DEADLINE_MS = 30_000;
/** Memory that a parser leaks goes with its process. */
const FILES_PER_PROCESS = 500;
const MEMORY_MEGABYTES = 512;
/** Files that are sent together. */
const AT_ONCE = 16;
/** How long an answer may wait for those that were sent with it. */
const PATIENCE_MS = 50;

/** A process that was ended from outside says nothing about the file it had in hand. */
const FROM_OUTSIDE: ReadonlySet<string | null> = new Set(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']);

interface Answer {
  readonly id: number;
  readonly glance?: PdfSummary;
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
const UNREADABLE: PdfSummary = { pages: null, isEncrypted: false, isReadable: false, text: '', isQuick: false };

/**
 * Looks into PDFs and articles in XML in a separate process, one after the other. Several are sent at once and their
 * answers given together, so that what follows (syncs, rows, commits) is shared by all of them:
 *
 *   waiting ─(as many as may)→ sent ─(its answer)→ answered ─(none is left, or the first has waited)→ given
 *
 * The first that was sent and not answered is the one in hand: it has the deadline, and is to blame for a death.
 */
export class PdfInspector implements Disposable {
  readonly #filesPerProcess: number;
  #child: ChildProcess | undefined;
  #waiting: Question[] = [];
  #sent: Question[] = [];
  #answered: (() => void)[] = [];
  #deadline: NodeJS.Timeout | undefined;
  #patience: NodeJS.Timeout | undefined;
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
    // What is asked for in one turn is sent together.
    queueMicrotask(() => this.#ask());
    return promise;
  }

  [Symbol.dispose](): void {
    const left = [...this.#sent, ...this.#waiting];
    this.#sent = [];
    this.#waiting = [];
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
    this.#startDeadline();
    this.#give();
    for (const { id, answer } of left) answer({ id, isInterrupted: true });
  }

  /** Sends what waits, once everything that was sent is answered. */
  #ask(): void {
    if (this.#sent.length > 0 || this.#waiting.length === 0) return;
    this.#child ??= this.#start();
    const child = this.#child;
    this.#sent = this.#waiting.splice(0, Math.min(AT_ONCE, this.#filesPerProcess - this.#files));
    child.ref();
    child.channel?.ref();
    this.#startDeadline();
    child.send(
      this.#sent.map(({ id, path, asked }) => ({ id, path, asked })),
      // A process that cannot be written to has ended, and its exit event follows.
      () => undefined,
    );
  }

  /** For the file in hand, if there is one. */
  #startDeadline(): void {
    clearTimeout(this.#deadline);
    this.#deadline = this.#sent.length === 0 ? undefined : setTimeout(() => this.#child?.kill('SIGKILL'), DEADLINE_MS);
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
      if (this.#child === child) this.#hear(answer);
    });
    // Its last answers may be heard after its end: both have to be over before anything is blamed on a file. One that was
    // replaced had nothing in hand any more: the questions that are open then are another's.
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

  #hear(answer: Answer): void {
    const [inHand] = this.#sent;
    if (inHand?.id !== answer.id) return;
    this.#sent.shift();
    this.#files += 1;
    this.#startDeadline();
    this.#answered.push(() => inHand.answer(answer));
    if (this.#sent.length > 0) {
      this.#patience ??= setTimeout(() => this.#give(), PATIENCE_MS);
      return;
    }
    // An idle child must not keep its parent alive.
    this.#child?.unref();
    this.#child?.channel?.unref();
    if (this.#files >= this.#filesPerProcess) {
      // It does not mind a polite signal.
      this.#child?.kill('SIGKILL');
      this.#child = undefined;
    }
    this.#give();
    this.#ask();
  }

  /** The process is gone: the file in hand is to blame, unless somebody else ended it; the others are asked for again. */
  #lost(isInterrupted: boolean): void {
    this.#child = undefined;
    const [inHand, ...others] = this.#sent;
    this.#sent = [];
    this.#startDeadline();
    this.#waiting.unshift(...others);
    if (inHand) this.#answered.push(() => inHand.answer({ id: inHand.id, isInterrupted }));
    this.#give();
    this.#ask();
  }

  #give(): void {
    clearTimeout(this.#patience);
    this.#patience = undefined;
    for (const give of this.#answered.splice(0)) give();
  }
}
