import type { ErrorInfo } from '../base/index.ts';

/** A stack trace or a whole page of HTML is no use in a list of jobs. */
const MAX_LENGTH = 500;

/** An error as it is stored with its job: `CODE: message`, at most MAX_LENGTH characters. */
export function formatLastError(error: ErrorInfo): string {
  const text = `${error.code}: ${error.message.replaceAll(/\s+/g, ' ').trim()}`;
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH - 1)}…` : text;
}
