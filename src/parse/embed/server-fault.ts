import { AppError } from '../../base/index.ts';
import { StageError } from '../../stage/index.ts';
import type { DenseEngine } from './engine.ts';

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
    // One that is away may come back; one that answers something else will do so again.
    retryable: code === 'EMBED_UNAVAILABLE',
    code,
    stopsStage: true,
    cause: error,
  });
}

/** A server that could not be reached at all, as an engine whose every document meets that fault: the stage tells it in a row. */
export function unreachableEngine(name: string, revision: string, fault: AppError): DenseEngine {
  return {
    model: { name, revision, precision: 'server' },
    dimensions: 0,
    batchSize: 1,
    concurrency: 1,
    embed: () => Promise.reject(fault),
    [Symbol.asyncDispose]: async () => undefined,
  };
}
