import { AppError, errorInfo, firstError } from '../base/index.ts';
import type { Terminal } from './terminal.ts';
import { plain } from './terminal.ts';

/** Prints an error: code, message, hint. Every error shown to a user goes through here. */
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
  // An error without a code is a bug; print the stack for the bug report.
  if (!(error instanceof AppError) && error instanceof Error && error.stack)
    terminal.note(terminal.style('dim', plain(error.stack)));
}

/** Exit code: 2 for usage and configuration errors, 1 otherwise. */
export function exitCode(error: unknown): number {
  const { code } = errorInfo(firstError(error));
  return /^(CONFIG|USAGE|CONTACT)_/.test(code) ? 2 : 1;
}
