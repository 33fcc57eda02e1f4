import { basename } from 'node:path';

import type { RowReader, RowWriter, TableSchema } from './schema.ts';

/** The formats in which chunks and vectors are kept. */
export type FileFormat = 'parquet' | 'jsonl';

/** The format that a file's name tells. */
export function formatOf(path: string): FileFormat {
  // A file in the making carries the mark of its run behind its name.
  const name = basename(path);
  return name.lastIndexOf('.jsonl') > name.lastIndexOf('.parquet') ? 'jsonl' : 'parquet';
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
