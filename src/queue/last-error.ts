import type { ErrorInfo } from '../base/index.ts';

/** A stack trace or a whole page of HTML helps nobody in a list of jobs. */
const MAX_LENGTH = 500;

/** How an error is kept with its job: `CODE: message`, cut to a bound. */
export function formatLastError(error: ErrorInfo): string {
  const text = `${error.code}: ${error.message.replaceAll(/\s+/g, ' ').trim()}`;
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH - 1)}…` : text;
}

/** The code of a kept error; empty for none, and for texts that were not written by us. */
export function errorCodeOf(lastError: string | null): string {
  return lastError === null ? '' : (/^([A-Z][A-Z0-9_]*):/.exec(lastError)?.[1] ?? '');
}
