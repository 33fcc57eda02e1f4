import { AppError } from '../../base/index.ts';
import type { Row, RowReader, RowWriter, TableSchema } from '../files/table-file.ts';
import { checkedRows, openRowReader, openRowWriter } from '../files/open.ts';
import type { ModelIdentity, SparseModel, SparseVector } from './engine.ts';
import { quantiseVector } from './engine.ts';

export const VECTOR_SCHEMA = 'docstokg/vectors/1';

export type VectorType = 'float32' | 'float16' | 'int8';

export interface DenseModel {
  readonly model: ModelIdentity;
  readonly dimensions: number;
  readonly type: VectorType;
}

interface VectorFileOptions {
  readonly dense?: DenseModel;
  readonly sparse?: SparseModel;
}

export interface ChunkVectors {
  readonly id: string;
  readonly document: string;
  readonly index: number;
  readonly dense: Float32Array | undefined;
  readonly sparse: SparseVector | undefined;
}

interface VectorWriter extends Omit<RowWriter, 'write'> {
  write(vectors: ChunkVectors): Promise<void>;
}

/** Opens a file for vectors; the file name decides the format. */
export async function openVectorWriter(path: string, options: VectorFileOptions): Promise<VectorWriter> {
  const writer = await openRowWriter(path, schemaOf(options));
  return { ...writer, write: (vectors) => writer.write(rowOf(vectors, options)) };
}

function schemaOf({ dense, sparse }: VectorFileOptions): TableSchema {
  return {
    metadata: {
      schema: VECTOR_SCHEMA,
      ...(dense && {
        dense_model: dense.model.name,
        dense_revision: dense.model.revision,
        dense_precision: dense.model.precision,
        dense_dimensions: String(dense.dimensions),
        dense_type: dense.type,
      }),
      ...(sparse && {
        sparse_model: sparse.name,
        sparse_analysis: sparse.analysis,
        sparse_k1: String(sparse.k1),
        sparse_b: String(sparse.b),
        sparse_average_length: String(sparse.averageLength),
      }),
    },
    columns: columnsOf(dense, sparse !== undefined),
  };
}

function columnsOf(
  dense: Pick<DenseModel, 'type' | 'dimensions'> | undefined,
  sparse: boolean,
): TableSchema['columns'] {
  return {
    chunk_id: 'string',
    doc_id: 'string',
    chunk_index: 'integer',
    ...(dense && { dense: { vector: dense.type, dimensions: dense.dimensions } }),
    ...(dense?.type === 'int8' && { dense_scale: 'float' as const }),
    ...(sparse && { sparse_indices: 'integers' as const, sparse_values: 'floats' as const }),
  };
}

function rowOf({ id, document, index, ...vectors }: ChunkVectors, { dense, sparse }: VectorFileOptions): Row {
  if (dense && vectors.dense?.length !== dense.dimensions)
    throw new AppError('EMBED_DIMENSIONS', `chunk ${id} has a vector of ${vectors.dense?.length ?? 0} numbers`, {
      hint: `the model gives ${dense.dimensions}`,
    });
  return {
    chunk_id: id,
    doc_id: document,
    chunk_index: index,
    ...(dense && vectors.dense && numbersOf(vectors.dense, dense.type)),
    ...(sparse && {
      sparse_indices: vectors.sparse?.indices ?? new Uint32Array(),
      sparse_values: vectors.sparse?.values ?? new Float32Array(),
    }),
  };
}

function numbersOf(vector: Float32Array, type: VectorType): Row {
  if (type !== 'int8') return { dense: type === 'float16' ? vector.map(Math.f16round) : vector };
  const { data, scale } = quantiseVector(vector);
  return { dense: data, dense_scale: scale };
}

/** Reads vectors, one chunk after the other; whatever they are kept as, they come back as float32. */
export async function* readVectors(path: string): AsyncGenerator<ChunkVectors> {
  const reader = await openRowReader(path);
  const { schema } = reader.metadata;
  if (schema === undefined && reader.columns.length === 0) return;
  if (schema !== VECTOR_SCHEMA) {
    throw new AppError('VECTOR_SCHEMA', `${path} holds ${schema ?? 'something unknown'}, not ${VECTOR_SCHEMA}`, {
      hint: 'run docparse embed again',
    });
  }
  const columns = columnsOf(denseOf(reader.metadata), reader.metadata['sparse_model'] !== undefined);
  for await (const row of checkedRows(path, reader, columns)) {
    const scale = (row['dense_scale'] as number | undefined) ?? 1;
    const dense = row['dense'] as Iterable<number> | undefined;
    const indices = row['sparse_indices'] as Iterable<number> | undefined;
    yield {
      id: row['chunk_id'] as string,
      document: row['doc_id'] as string,
      index: row['chunk_index'] as number,
      dense: dense && Float32Array.from(dense, (value) => value * scale),
      sparse: indices && {
        indices: Uint32Array.from(indices),
        values: Float32Array.from(row['sparse_values'] as Iterable<number>),
      },
    };
  }
}

export async function denseModelOf(path: string): Promise<DenseModel | undefined> {
  return denseOf((await openRowReader(path)).metadata);
}

function denseOf(metadata: RowReader['metadata']): DenseModel | undefined {
  const { dense_model: name, dense_revision: revision, dense_precision: precision } = metadata;
  if (name === undefined || revision === undefined || precision === undefined) return undefined;
  const type = (metadata['dense_type'] ?? 'float32') as VectorType;
  return { model: { name, revision, precision }, dimensions: Number(metadata['dense_dimensions']), type };
}

/** The problems of a vector file; with `chunks`, also whether it has exactly these ids in order. */
export async function validateVectors(path: string, chunks?: readonly string[]): Promise<string[]> {
  const faults: string[] = [];
  let rows = 0;
  let dimensions: number | undefined;
  for await (const { id, dense, sparse } of readVectors(path)) {
    const fault = (what: string): void => void faults.push(`row ${rows} (${id}): ${what}`);
    if (chunks && chunks[rows] !== id) fault(`its chunk should be ${chunks[rows] ?? 'none'}`);
    dimensions ??= dense?.length;
    if (dense?.length !== dimensions) fault(`has ${dense?.length ?? 0} dimensions, others ${dimensions ?? 0}`);
    if (dense && !dense.every(Number.isFinite)) fault('has something else than numbers');
    if (sparse && sparse.indices.length !== sparse.values.length) fault('has not as many values as indices');
    rows += 1;
  }
  if (chunks && rows !== chunks.length) faults.push(`has ${rows} rows for ${chunks.length} chunks`);
  return faults;
}
