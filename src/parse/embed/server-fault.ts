import { AppError } from '../../base/index.ts';
import { StageError } from '../../stage/index.ts';

/** Faults of an embedding server that every other document would meet too; it was asked again often enough. */
const OF_THE_SERVER: ReadonlySet<string> = new Set([
  'EMBED_UNAVAILABLE',
  'EMBED_REFUSED',
  'EMBED_DIMENSIONS',
  'EMBED_ANSWER',
]);

/** A fault of the embedding server as one that stops the stage, with what to do about it; any other error as it is. */
export function stoppingFault(error: unknown): unknown {
  if (!(error instanceof AppError) || !OF_THE_SERVER.has(error.code)) return error;
  const { code, message, hint } = error;
  return new StageError('network', hint === undefined ? message : `${message}; ${hint}`, {
    retryable: false,
    code,
    stopsStage: true,
    cause: error,
  });
}
