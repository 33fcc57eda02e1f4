import { join, basename, dirname } from 'node:path';
import { globSync, statSync } from 'node:fs';

import { canonicalJson, sha256, AppError } from '../../base/index.ts';
import type { ChunkText } from '../chunk/chunk.ts';
import { embeddedText, readChunkTexts } from '../chunk/chunk.ts';
import type { FileFormat } from '../files/open.ts';
import type { VectorCache } from './embed-texts.ts';
import { embedTexts } from './embed-texts.ts';
import type { DenseEngine, SparseEngine } from './engine.ts';
import type { VectorType } from './vector-file.ts';
import { openVectorWriter, VECTOR_SCHEMA } from './vector-file.ts';
import type { StageItems, StagePlan, StageWorker, WorkItem } from '../../stage/index.ts';
import { StageError } from '../../stage/index.ts';
import { chunkOutput } from '../chunk/stage.ts';

const FOLDER = 'Embeddings';
/** Chunks in memory at a time. */
const TOGETHER = 1024;

export interface EmbedEngines {
  readonly dense: DenseEngine | undefined;
  readonly sparse: SparseEngine | undefined;
}

export function embedConfigHash(engines: EmbedEngines, type: VectorType, format: FileFormat): string {
  const { dense, sparse } = engines;
  return sha256(
    canonicalJson({
      schema: VECTOR_SCHEMA,
      dense: dense ? { ...dense.model, dimensions: dense.dimensions, type } : null,
      sparse: sparse ? sparse.model : null,
      format,
    }),
  );
}

export function embedOutput(dataRoot: string, item: string, format: FileFormat): string {
  return join(dataRoot, FOLDER, `${item}.${format}`);
}

export async function embedItem(
  item: {
    readonly input: string;
    readonly output: string;
    readonly engines: EmbedEngines;
    readonly type: VectorType;
    readonly cache: VectorCache | undefined;
  },
  signal?: AbortSignal,
) {
  const { dense, sparse } = item.engines;
  await using writer = await openVectorWriter(item.output, {
    ...(dense && { dense: { model: dense.model, dimensions: dense.dimensions, type: item.type } }),
    ...(sparse && { sparse: sparse.model }),
  });
  let chunks = 0;
  let computed = 0;
  let entries = 0;
  for await (const some of batches(readChunkTexts(item.input))) {
    const texts = some.map(embeddedText);
    const made =
      dense &&
      (await embedTexts(texts, { engine: dense, cache: item.cache, role: 'passage', ...(signal && { signal }) }));
    const sparseVectors = sparse && texts.map((text) => sparse.embed(text, 'passage'));
    for (const [at, { id, document, index }] of some.entries()) {
      entries += sparseVectors?.[at]?.indices.length ?? 0;
      await writer.write({ id, document, index, dense: made?.vectors[at], sparse: sparseVectors?.[at] });
    }
    chunks += some.length;
    computed += made?.embedded ?? 0;
  }
  await writer.finish();
  return {
    vectors_dense: dense ? chunks : 0,
    vectors_sparse: sparse ? chunks : 0,
    dim_dense: dense?.dimensions ?? 0,
    avg_nnz_sparse: chunks > 0 ? Math.round((10 * entries) / chunks) / 10 : 0,
    // The others were in the cache.
    vectors_computed: computed,
  };
}

async function* batches(chunks: AsyncIterable<ChunkText>): AsyncGenerator<ChunkText[]> {
  let some: ChunkText[] = [];
  for await (const chunk of chunks) {
    some.push(chunk);
    if (some.length === TOGETHER) {
      yield some;
      some = [];
    }
  }
  if (some.length > 0) yield some;
}

/** The ids of all documents that have chunks. */
export function chunkedDocuments(dataRoot: string, format: FileFormat): string[] {
  const folder = dirname(chunkOutput(dataRoot, 'any', format));
  return globSync(`*.${format}`, { cwd: folder })
    .map((name) => basename(name, `.${format}`))
    .sort();
}

interface EmbedItemsOptions {
  readonly engines: EmbedEngines;
  readonly type: VectorType;
  readonly format: FileFormat;
}

/** Makes items of chunked documents, by their ids. */
export function embedItems(dataRoot: string, { engines, type, format }: EmbedItemsOptions): StageItems {
  const cfgHash = embedConfigHash(engines, type, format);
  const item = (itemId: string): WorkItem => {
    const chunks = chunkOutput(dataRoot, itemId, format);
    return {
      itemId,
      inputs: { chunks },
      outputs: { vectors: embedOutput(dataRoot, itemId, format) },
      cfgHash,
      costHint: statSync(chunks, { throwIfNoEntry: false })?.size ?? 0,
    };
  };
  return { cfgHash, item };
}

/** Every document that has chunks. */
export function embedPlan(
  dataRoot: string,
  options: EmbedItemsOptions,
): StagePlan & { readonly items: readonly WorkItem[] } {
  const items = chunkedDocuments(dataRoot, options.format).map(embedItems(dataRoot, options).item);
  return { stageName: 'embed', items, totalItems: items.length };
}

/** Embeds one document with engines that live in this process. An embedding server that is gone stops the stage. */
export function createEmbedWorker(options: {
  readonly engines: EmbedEngines;
  readonly type: VectorType;
  readonly cache: VectorCache | undefined;
}): StageWorker {
  return async (item, context) => {
    const files = { input: item.inputs['chunks'] ?? '', output: item.outputs['vectors'] ?? '' };
    try {
      return { status: 'success', manifest: await embedItem({ ...files, ...options }, context.signal) };
    } catch (error) {
      throw stoppingFault(error);
    }
  };
}

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

/** An engine for an unreachable server: every document fails with that error, so the manifest reports it. */
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
