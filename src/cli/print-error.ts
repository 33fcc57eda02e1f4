import { AppError, errorInfo, firstError } from '../base/index.ts';
import type { Terminal } from './terminal.ts';
import { plain } from './terminal.ts';

/** The one place where an error becomes what a person reads: code, message, hint. */
export function printError(thrown: unknown, terminal: Terminal, json: boolean): void {
  const error = firstError(thrown);
  const { code, message } = errorInfo(error);
  const hint = error instanceof AppError ? error.hint : undefined;
  if (json) {
    terminal.note(JSON.stringify({ error: { code, message, ...(hint && { hint }) } }));
    return;
  }
  terminal.note(`${terminal.style('red', 'error')} ${terminal.style('bold', code)} ${plain(message)}`);
  if (hint) terminal.note(`${terminal.style('cyan', 'hint')}  ${plain(hint)}`);
  // An error without a code is a bug, and a report needs the stack.
  if (!(error instanceof AppError) && error instanceof Error && error.stack)
    terminal.note(terminal.style('dim', plain(error.stack)));
}

/** 2 when the command line or the configuration is at fault, 1 otherwise. */
export function exitCode(error: unknown): number {
  const { code } = errorInfo(firstError(error));
  return /^(CONFIG|USAGE|CONTACT)_/.test(code) ? 2 : 1;
}
