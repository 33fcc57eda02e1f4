import { AppError } from '../base/index.ts';

type RemoteCategory = 'input' | 'config' | 'runtime' | 'timeout' | 'network';

/** A failure of a remote engine; `retryable` says whether the same request may succeed later. */
export class RemoteError extends AppError {
  readonly category: RemoteCategory;
  readonly retryable: boolean;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(
    code: string,
    message: string,
    options: {
      readonly category: RemoteCategory;
      /** By default true only for network errors. */
      readonly retryable?: boolean;
      readonly hint?: string;
      readonly status?: number;
      readonly retryAfterMs?: number | undefined;
      readonly cause?: unknown;
    },
  ) {
    super(code, message, options);
    this.category = options.category;
    this.retryable = options.retryable ?? options.category === 'network';
    this.status = options.status;
    this.retryAfterMs = options.retryAfterMs;
  }
}
