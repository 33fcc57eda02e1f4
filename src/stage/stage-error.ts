import { errorInfo } from '../base/index.ts';
import type { ErrorCategory, StageErrorInfo } from './types.ts';

const RETRYABLE: Readonly<Record<ErrorCategory, boolean>> = {
  input: false,
  config: false,
  runtime: false,
  timeout: false,
  network: true,
  transient: true,
  unknown: false,
};

/** Thrown by a worker to state the kind of failure. The runner adds stage and item. */
export class StageError extends Error {
  /** `StageError`. */
  override readonly name = 'StageError';
  /** Decides whether a retry can help. */
  readonly category: ErrorCategory;
  /** Whether the item is tried again; by default that depends on the category. */
  readonly retryable: boolean;
  /** A stable name, if there is one. */
  readonly code: string | undefined;
  /** Not tried again before; by default the stage's own delay counts. */
  readonly retryAfterMs: number | undefined;
  /** No other item can succeed either; false by default. */
  readonly stopsStage: boolean;

  constructor(
    category: ErrorCategory,
    message: string,
    options: {
      readonly retryable?: boolean;
      readonly code?: string;
      readonly retryAfterMs?: number;
      readonly stopsStage?: boolean;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.category = category;
    this.retryable = options.retryable ?? RETRYABLE[category];
    this.code = options.code;
    this.retryAfterMs = options.retryAfterMs;
    this.stopsStage = options.stopsStage ?? false;
  }
}

export type BareError = Omit<StageErrorInfo, 'stage' | 'itemId'>;

const BY_CODE: readonly (readonly [RegExp, ErrorCategory])[] = [
  [/^(ENOENT|EISDIR|ENOTDIR|EACCES|EPERM|ENAMETOOLONG|ELOOP)$/, 'input'],
  [/^(CONFIG_|USAGE_)/, 'config'],
  [/^(ENOSPC|EDQUOT|EROFS|EIO|ENOMEM|ERR_WORKER_OUT_OF_MEMORY)$/, 'runtime'],
  [/^(ECONN|ENET|EHOST|EAI_|UND_ERR_|HTTP_)|^(ETIMEDOUT|EPIPE|ENOTFOUND)$/, 'network'],
  [/^(EBUSY|EAGAIN|EMFILE|ENFILE|FILE_LOCKED|SQLITE_BUSY)$/, 'transient'],
];

export function classify(error: unknown): BareError {
  if (error instanceof StageError) return completeError(error);
  const { code, message } = errorInfo(error, '');
  const category = BY_CODE.find(([pattern]) => pattern.test(code))?.[1] ?? 'unknown';
  return { category, message, retryable: RETRYABLE[category], ...(code !== '' && { code }) };
}

type Incomplete<T> = { readonly [K in keyof T]?: T[K] | undefined };

/** Completes an error of a worker, which may lack most fields. */
export function completeError(error: Incomplete<StageErrorInfo> | undefined): BareError {
  const category = error?.category !== undefined && error.category in RETRYABLE ? error.category : 'unknown';
  return {
    category,
    message: error?.message ?? 'the worker reported a failure without saying which',
    retryable: error?.retryable ?? RETRYABLE[category],
    ...(error?.code !== undefined && { code: error.code }),
    ...(error?.retryAfterMs !== undefined && { retryAfterMs: error.retryAfterMs }),
    ...(error?.stopsStage === true && { stopsStage: true }),
  };
}

/** Then no other item can succeed either. */
export function isDiskFull(error: Pick<StageErrorInfo, 'code'>): boolean {
  return error.code === 'ENOSPC' || error.code === 'EDQUOT' || error.code === 'EROFS';
}
