import { readFile } from 'node:fs/promises';
import { crc32, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

import type { FileMetaData, SchemaElement } from 'hyparquet';
import { parquetMetadata, parquetReadObjects, parquetSchema } from 'hyparquet';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';

import { AppError, canonicalJson } from '../../base/index.ts';
import type { ColumnType, Row, RowReader, RowWriter, TableSchema } from './table-file.ts';
import { openPart } from './part-file.ts';
import type { Region } from '../document.ts';

/** Rows in a group: what is in memory at once. */
const GROUP_ROWS = 1024;
const METADATA_KEY = 'docstokg';
/** Length and CRC-32 of what is before the footer: decoding damaged pages could take minutes and all memory. */
const CHECKSUM_KEY = 'docstokg.crc32';
const LARGEST_PAGE = 2 ** 28;
const UNCOMPRESSED = { codec: 'UNCOMPRESSED', encoding: 'PLAIN', statistics: false } as const;

/** Writes Parquet group by group; memory does not grow with the file. */
export async function openParquetWriter(path: string, schema: TableSchema): Promise<RowWriter> {
  const part = await openPart(path);
  const bytes = new ByteWriter();
  const columns = Object.entries(schema.columns);
  const kvMetadata = [{ key: METADATA_KEY, value: canonicalJson(schema.metadata) }];
  const parquet = new ParquetWriter({
    writer: bytes,
    schema: [{ name: 'schema', num_children: columns.length }, ...columns.flatMap(elementsOf)],
    codec: 'ZSTD',
    compressors: { ZSTD: zstdCompressSync },
    kvMetadata,
    createdBy: 'docstokg',
  });
  let rows: Row[] = [];
  let checksum = 0;
  const flush = async (): Promise<void> => {
    checksum = crc32(bytes.getBytes(), checksum);
    await part.file.writeFile(bytes.getBytes());
    bytes.index = 0;
  };
  const writeGroup = async (): Promise<void> => {
    const group = rows;
    rows = [];
    await parquet.write({
      columnData: columns.map(([name, type]) => ({
        name,
        data: group.map((row) => stored(type, row[name])),
        // Vectors do not compress: few of their numbers occur twice.
        ...((typeof type === 'object' || type === 'floats') && UNCOMPRESSED),
      })),
      rowGroupSize: GROUP_ROWS,
    });
    await flush();
  };
  return {
    async write(row) {
      rows.push(row);
      if (rows.length === GROUP_ROWS) await writeGroup();
    },
    async finish() {
      if (rows.length > 0) await writeGroup();
      else await flush();
      kvMetadata.push({ key: CHECKSUM_KEY, value: `${bytes.offset} ${checksum}` });
      await parquet.finish();
      await flush();
      await part.commit();
    },
    [Symbol.asyncDispose]: () => part[Symbol.asyncDispose](),
  };
}

function elementsOf([name, type]: readonly [string, ColumnType]): SchemaElement[] {
  if (typeof type === 'object') return list(name, [{ name: 'element', ...NUMBERS[type.vector] }]);
  switch (type) {
    case 'string':
      return [{ name, ...TEXT }];
    case 'integer':
      return [{ name, type: 'INT32', repetition_type: 'OPTIONAL' }];
    case 'float':
      return [{ name, ...NUMBERS.float32 }];
    case 'strings':
      return list(name, [{ name: 'element', ...TEXT }]);
    case 'integers':
      return list(name, [{ name: 'element', ...INTEGER }]);
    case 'floats':
      return list(name, [{ name: 'element', ...NUMBERS.float32 }]);
    case 'regions':
      return list(name, [
        { name: 'element', num_children: 5, repetition_type: 'REQUIRED' },
        { name: 'page', ...INTEGER },
        ...['left', 'top', 'right', 'bottom'].map((side) => ({ name: side, ...NUMBERS.float32 })),
      ]);
  }
}

function list(name: string, element: readonly SchemaElement[]): SchemaElement[] {
  return [
    { name, repetition_type: 'REQUIRED', converted_type: 'LIST', logical_type: { type: 'LIST' }, num_children: 1 },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    ...element,
  ];
}

type Leaf = Omit<SchemaElement, 'name'>;
const TEXT: Leaf = {
  type: 'BYTE_ARRAY',
  converted_type: 'UTF8',
  logical_type: { type: 'STRING' },
  repetition_type: 'REQUIRED',
};
const INTEGER: Leaf = { type: 'INT32', repetition_type: 'REQUIRED' };
const NUMBERS: Readonly<Record<'float32' | 'float16' | 'int8', Leaf>> = {
  float32: { type: 'FLOAT', repetition_type: 'REQUIRED' },
  float16: {
    type: 'FIXED_LEN_BYTE_ARRAY',
    type_length: 2,
    logical_type: { type: 'FLOAT16' },
    repetition_type: 'REQUIRED',
  },
  int8: { type: 'INT32', converted_type: 'INT_8', repetition_type: 'REQUIRED' },
};

/** A value as the package takes it: lists as arrays, regions flat. */
function stored(type: ColumnType, value: unknown): unknown {
  if (type === 'regions') return (value as readonly Region[]).map(({ page, box }) => ({ page, ...box }));
  return ArrayBuffer.isView(value) ? Array.from(value as Float32Array) : value;
}

export async function openParquetReader(path: string): Promise<RowReader> {
  const file = new Uint8Array(await readFile(path)).buffer;
  return await readable(path, () => {
    const metadata = parquetMetadata(file);
    const about = new Map(metadata.key_value_metadata?.map(({ key, value }) => [key, value ?? '']));
    const [length = 0, checksum = 0] = (about.get(CHECKSUM_KEY) ?? '').split(' ').map(Number);
    if (crc32(new Uint8Array(file, 0, length)) !== checksum) throw new RangeError('its bytes were changed');
    const columns = parquetSchema(metadata).children.map(({ element }) => element.name);
    return {
      metadata: JSON.parse(about.get(METADATA_KEY) ?? '{}') as Record<string, string>,
      columns,
      rows: (wanted = columns) =>
        rowsIn(
          path,
          file,
          metadata,
          wanted.filter((name) => columns.includes(name)),
        ),
    };
  });
}

async function* rowsIn(
  path: string,
  file: ArrayBuffer,
  metadata: FileMetaData,
  columns: string[],
): AsyncGenerator<Row> {
  let rowStart = 0;
  for (const group of metadata.row_groups) {
    const rowEnd = rowStart + Number(group.num_rows);
    yield* await readable(path, () =>
      parquetReadObjects({
        file,
        metadata,
        columns,
        rowStart,
        rowEnd,
        compressors: { ZSTD: (bytes, size) => zstdDecompressSync(bytes, { maxOutputLength: unpackedBytes(size) }) },
      }),
    );
    rowStart = rowEnd;
  }
}

/**
 * The stated size of a page, which may be anything in a damaged file: pages of this program are smaller than the limit.
 */
function unpackedBytes(size: number): number {
  if (size > LARGEST_PAGE) throw new RangeError('a page is too large');
  return Math.max(1, size);
}

async function readable<T>(path: string, read: () => T | Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    throw new AppError('FILE_UNREADABLE', `${path} is not a readable Parquet file`, {
      hint: 'the next docstokg run or docparse recreates it',
      cause,
    });
  }
}
