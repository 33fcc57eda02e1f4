/** What an error is called, in a form that can be stored and shown. */
export interface ErrorInfo {
  readonly code: string;
  readonly message: string;
}

/**
 * An error a person can act on: `code` is stable and documented, `message` says what and which,
 * `hint` says what to do about it.
 */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: string;
  readonly hint: string | undefined;

  constructor(code: string, message: string, options: { readonly hint?: string; readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
  }
}

/** Any thrown thing as code and message; `fallback` names what carries no code of its own. */
export function errorInfo(error: unknown, fallback = 'UNEXPECTED'): ErrorInfo {
  if (error instanceof Error) {
    const code = 'code' in error && typeof error.code === 'string' ? error.code : fallback;
    return { code, message: error.message || error.name };
  }
  return { code: fallback, message: typeof error === 'string' ? error : (JSON.stringify(error) ?? String(error)) };
}

/** What happened first, where errors of the clean-up after it were thrown on top: it is the cause of them, or matters more. */
export function firstError(error: unknown): unknown {
  return error instanceof SuppressedError ? firstError(error.suppressed) : error;
}

/** True for the errors that an aborted signal makes, whoever threw them. */
export function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === 'AbortError' || ('code' in error && error.code === 'ABORT_ERR'));
}
