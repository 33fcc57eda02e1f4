import { open } from 'node:fs/promises';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';

import type { AsyncBuffer } from 'hyparquet';
import { parquetMetadataAsync, parquetReadObjects, parquetSchema } from 'hyparquet';

import { AppError } from '../../base/index.ts';

/** Some rows of a Parquet file, and a way to read other columns of the same rows. */
export interface RowBatch {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  more(columns: readonly string[]): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/** Rows that are in memory at a time. */
const BATCH = 10_000;
/** A page that unpacks to more is refused. */
const LARGEST_PAGE = 1 << 28;

/** Reads a Parquet file that others wrote, a batch of rows at a time; columns that it lacks are left out. */
export async function* readForeignParquet(path: string, columns: readonly string[]): AsyncGenerator<RowBatch> {
  await using handle = await open(path);
  const { size } = await handle.stat();
  const file: AsyncBuffer = {
    byteLength: size,
    async slice(start, end = size) {
      const bytes = new Uint8Array(end - start);
      let at = 0;
      while (at < bytes.length) {
        const { bytesRead } = await handle.read(bytes, at, bytes.length - at, start + at);
        if (bytesRead === 0) throw new RangeError('the file ends too early');
        at += bytesRead;
      }
      return bytes.buffer;
    },
  };
  const metadata = await readable(path, () => parquetMetadataAsync(file));
  const known = new Set(parquetSchema(metadata).children.map(({ element }) => element.name));
  const compressors = {
    ZSTD: (bytes: Uint8Array, length: number) => zstdDecompressSync(bytes, { maxOutputLength: limited(length) }),
    GZIP: (bytes: Uint8Array, length: number) => gunzipSync(bytes, { maxOutputLength: limited(length) }),
  };
  const total = Number(metadata.num_rows);
  // A batch ends with its row group: otherwise two groups would be read for it.
  const ends = metadata.row_groups.reduce<number[]>(
    (all, group) => [...all, (all.at(-1) ?? 0) + Number(group.num_rows)],
    [],
  );
  for (let rowStart = 0; rowStart < total;) {
    const groupEnd = ends.find((end) => end > rowStart) ?? total;
    const rowEnd = Math.min(rowStart + BATCH, groupEnd);
    const read = (wanted: readonly string[]) => {
      const some = wanted.filter((name) => known.has(name));
      return readable(path, () => parquetReadObjects({ file, metadata, columns: some, rowStart, rowEnd, compressors }));
    };
    const from = { rows: await read(columns), more: read };
    yield from;
    rowStart = rowEnd;
  }
}

function limited(length: number): number {
  if (length > LARGEST_PAGE) throw new RangeError('a page is too large');
  return Math.max(1, length);
}

async function readable<T>(path: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    throw new AppError('FILE_UNREADABLE', `${path} is not a readable Parquet file`, {
      hint: 'download the file again',
      cause,
    });
  }
}
