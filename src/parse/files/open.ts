import type { RowReader, RowWriter, TableSchema } from './schema.ts';

/** The formats in which chunks and vectors are kept. */
export type FileFormat = 'parquet' | 'jsonl';

/** The format that a file's name tells. */
export function formatOf(path: string): FileFormat {
  return path.endsWith('.jsonl') ? 'jsonl' : 'parquet';
}

/** Opens a file for rows, in the format that its name tells. */
export async function openRowWriter(path: string, schema: TableSchema): Promise<RowWriter> {
  if (formatOf(path) === 'jsonl') {
    const { openJsonlWriter } = await import('./jsonl.ts');
    return openJsonlWriter(path, schema);
  }
  const { openParquetWriter } = await import('./parquet.ts');
  return openParquetWriter(path, schema);
}

/** Opens a file of rows. */
export async function openRowReader(path: string): Promise<RowReader> {
  if (formatOf(path) === 'jsonl') {
    const { openJsonlReader } = await import('./jsonl.ts');
    return openJsonlReader(path);
  }
  const { openParquetReader } = await import('./parquet.ts');
  return openParquetReader(path);
}
