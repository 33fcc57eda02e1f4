import { errorInfo, isAbort } from '../../base/index.ts';
import { RemoteError } from './engines/remote.ts';

/** Why an item failed, in the categories of the stage. */
export interface ParseFailure {
  readonly category: 'input' | 'config' | 'runtime' | 'timeout' | 'network' | 'unknown';
  readonly retryable: boolean;
  readonly code: string;
  readonly message: string;
}

/** Any error of a conversion as category and code. What is wrong with a file stays wrong: only networks are retried. */
export function parseFailure(error: unknown): ParseFailure {
  const { code, message } = errorInfo(error);
  if (error instanceof RemoteError) return { category: error.category, retryable: error.retryable, code, message };
  if (isAbort(error)) return { category: 'timeout', retryable: false, code: 'ABORT_ERR', message };
  if (code === 'PARSE_NO_PDF_ENGINE') return { category: 'config', retryable: false, code, message };
  if (code === 'PDF_ENGINE_FAILED' || code === 'PDF_TOO_LARGE')
    return { category: 'runtime', retryable: false, code, message };
  if (code.startsWith('PARSE_') || code.startsWith('PDF_'))
    return { category: 'input', retryable: false, code, message };
  if (code === 'ENOSPC' || code === 'EROFS' || code === 'EACCES' || code === 'EIO')
    return { category: 'runtime', retryable: false, code, message };
  return { category: 'unknown', retryable: false, code, message };
}
