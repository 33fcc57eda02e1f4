/** An error as it is stored and shown. */
export interface ErrorInfo {
  readonly code: string;
  readonly message: string;
}

/**
 * An error a person can act on: `code` is stable and documented, `message` says what happened and to what, `hint`
 * says what to do.
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

/** Code and message of anything thrown; `fallback` is the code of errors without one. */
export function errorInfo(error: unknown, fallback = 'UNEXPECTED'): ErrorInfo {
  if (error instanceof Error) {
    const code = 'code' in error && typeof error.code === 'string' ? error.code : fallback;
    return { code, message: error.message || error.name };
  }
  return { code: fallback, message: typeof error === 'string' ? error : (JSON.stringify(error) ?? String(error)) };
}

/** The original error, where clean-up threw others on top of it. */
export function firstError(error: unknown): unknown {
  return error instanceof SuppressedError ? firstError(error.suppressed) : error;
}

/** Whether an error comes from an aborted signal. */
export function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === 'AbortError' || ('code' in error && error.code === 'ABORT_ERR'));
}
