import { stripVTControlCharacters, styleText } from 'node:util';

import type { Clock, Timer } from '../base/index.ts';
import { describeFileError, isAbort, AppError, errorInfo, firstError, plural } from '../base/index.ts';

export type Style = Parameters<typeof styleText>[0];

/** Written together with the next output to avoid flicker. */
export const CLEAR = '\u001B[H\u001B[2J';

export interface Terminal {
  readonly live: boolean;
  readonly clear: () => void;
  readonly columns: number;
  print(text: string): void;
  note(text: string): void;
  /** Shows a status line that the next one replaces; prints plain lines if there is no terminal. */
  status(text: string): void;
  style(style: Style, text: string, stream?: 'stdout' | 'stderr'): string;
}

/**
 * The terminal of this process: data goes to stdout, everything else to stderr. No colours in pipes and with NO_COLOR.
 */
export function openTerminal(options: { readonly colour: boolean }): Terminal {
  let status = '';
  /** Whether stderr is a terminal whose last line can be rewritten. */
  const live = process.stderr.isTTY;
  const clear = (): void => {
    if (status === '') return;
    process.stderr.write('\r\u001B[2K');
    status = '';
  };
  return {
    live,
    clear,
    get columns(): number {
      return process.stderr.columns ?? process.stdout.columns ?? 80;
    },
    print(text: string): void {
      clear();
      process.stdout.write(`${text}\n`);
    },
    note(text: string): void {
      clear();
      process.stderr.write(`${text}\n`);
    },
    status(text: string): void {
      clear();
      if (live) status = text;
      process.stderr.write(live ? text : `${text}\n`);
    },
    style(style: Style, text: string, stream: 'stdout' | 'stderr' = 'stderr'): string {
      return options.colour ? styleText(style, text, { stream: process[stream], validateStream: true }) : text;
    },
  };
}

const LIVE_MS = 200;
const PIPE_MS = 10_000;
const FIRST_MS = 2_000;

/** In a terminal a live line, in a pipe one every ten seconds if it changed. Ignores errors of `describe`. */
export function showProgress(
  terminal: Terminal,
  clock: Clock,
  describe: () => string | undefined | Promise<string | undefined>,
): Disposable {
  let over = false;
  let last: string | undefined;
  let timer: Timer;
  const arm = (delayMs: number): void => {
    timer = clock.setTimer(delayMs, () => void tick());
    timer.unref();
  };
  const tick = async (): Promise<void> => {
    const line = await Promise.try(describe).catch(() => undefined);
    if (over) return;
    if (line === undefined) terminal.clear();
    else if (terminal.live || line !== last)
      terminal.status(terminal.live ? line.slice(0, terminal.columns - 1) : line);
    last = line;
    arm(terminal.live ? LIVE_MS : PIPE_MS);
  };
  arm(FIRST_MS);
  return {
    [Symbol.dispose]: () => {
      over = true;
      timer[Symbol.dispose]();
      terminal.clear();
    },
  };
}

/** Removes control characters and bidi overrides from untrusted text, so that it cannot control the terminal. */
export function plain(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/[^\P{Cc}\n\t]|[\u202A-\u202E\u2066-\u2069]/gu, '');
}

/** 12,345.679. Intl.NumberFormat would take longer to load than most commands take to run. */
export function grouped(value: number): string {
  const [whole = '', fraction] = String(Math.round(Math.abs(value) * 1000) / 1000).split('.');
  if (!/^\d+$/.test(whole)) return value.toLocaleString('en');
  const groups: string[] = [];
  for (let end = whole.length; end > 0; end -= 3) groups.unshift(whole.slice(Math.max(0, end - 3), end));
  return `${value < 0 ? '-' : ''}${groups.join(',')}${fraction === undefined ? '' : `.${fraction}`}`;
}

/** Formats rows as aligned columns; numbers are right-aligned. */
export function table(rows: readonly (readonly (string | number)[])[], header?: readonly string[]): string {
  const cells = [...(header ? [header] : []), ...rows].map((row) =>
    row.map((cell) => (typeof cell === 'number' ? grouped(cell) : cell)),
  );
  const widths = cells.reduce<number[]>((most, row) => row.map((cell, at) => Math.max(most[at] ?? 0, cell.length)), []);
  const numeric = widths.map((_, at) => rows.length > 0 && rows.every((row) => typeof row[at] === 'number'));
  return cells
    .map((row) =>
      row
        .map((cell, at) => (numeric[at] ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** 1234567 → `1,234,567`. */
export function count(value: number): string {
  return grouped(Math.round(value));
}

/** "1 work", "1,234 works". */
export function counted(value: number, one: string, many?: string): string {
  return `${count(value)} ${plural(value, one, many)}`;
}

/** Counts by what they count, without zeros: `3 local`, `2 deferred`. */
export function nonZero(counts: Readonly<Record<string, number>>): string[] {
  return Object.entries(counts).flatMap(([what, number]) => (number > 0 ? [`${count(number)} ${what}`] : []));
}

/** Prints an error: code, message, hint. Every error shown to a user goes through here. */
export function printError(thrown: unknown, terminal: Terminal, json: boolean): void {
  const error = describeFileError(firstError(thrown));
  const { code, message } = errorInfo(error);
  const hint = error instanceof AppError ? error.hint : undefined;
  if (json) {
    terminal.note(JSON.stringify({ error: { code, message, ...(hint && { hint }) } }));
    return;
  }
  terminal.note(`${terminal.style('red', 'error')} ${terminal.style('bold', code)} ${plain(message)}`);
  if (hint) terminal.note(`${terminal.style('cyan', 'hint')}  ${plain(hint)}`);
  // An error without a code is a bug; print the stack for the bug report.
  if (!(error instanceof AppError) && error instanceof Error && error.stack)
    terminal.note(terminal.style('dim', plain(error.stack)));
}

/** Whether a command ended because a signal had set its exit code and aborted what it did. */
export function isStopped(thrown: unknown, code: number): boolean {
  return code > 128 && isAbort(firstError(thrown));
}

/** Exit code: 2 for usage and configuration errors, 1 otherwise. */
export function exitCode(error: unknown): number {
  const { code } = errorInfo(firstError(error));
  return /^(CONFIG|USAGE|CONTACT)_/.test(code) ? 2 : 1;
}

/** A path or URL as it is typed in a shell. */
export function quoted(text: string): string {
  return /^[\w@%+=:,./~-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
