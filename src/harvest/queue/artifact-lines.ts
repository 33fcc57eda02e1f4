import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

import { AppError, canonicalJson, parseJsonl, sha256 } from '../../base/index.ts';
import type { ImportRow } from '../../queue/index.ts';

/** A line that could not become a job. */
export interface BadArtifact {
  readonly line: number;
  readonly reason: string;
}

/**
 * The jobs of a JSONL file (gzip too; `-` is stdin), line by line. A line is `{artifact_id, artifact, resolver_hint?, priority?}`
 * or an artifact itself; any other line is reported to `bad` and skipped.
 */
export async function* readArtifacts(path: string, bad: (line: BadArtifact) => void): AsyncGenerator<ImportRow> {
  for await (const line of parseJsonl(await openBytes(path), { tornTail: 'keep' })) {
    if (line.kind === 'bad') {
      bad({ line: line.line, reason: line.reason });
      continue;
    }
    const row = artifactRow(line.value);
    if (typeof row === 'string') bad({ line: line.line, reason: row });
    else yield row;
  }
}

/** A parsed line as a job, or what is wrong with it. */
function artifactRow(value: unknown): ImportRow | string {
  if (!isRecord(value))
    return `a JSON object is expected, not ${Array.isArray(value) ? 'a list' : value === null ? 'null' : `a ${typeof value}`}`;
  const { resolver_hint: resolverHint, priority } = value;
  if (resolverHint !== undefined && resolverHint !== null && typeof resolverHint !== 'string')
    return 'resolver_hint is not a string';
  if (priority !== undefined && !Number.isInteger(priority)) return 'priority is not an integer';
  const wrapped = 'artifact' in value;
  const artifact = wrapped ? value['artifact'] : value;
  if (wrapped && typeof value['artifact_id'] !== 'string') return 'artifact_id is missing beside artifact';
  const artifactId = wrapped ? (value['artifact_id'] as string) : artifactIdOf(value);
  if (artifactId === '' || artifactId.length > 2_048 || artifactId.includes('\0'))
    return 'the artifact has no usable id';
  if (typeof resolverHint === 'string' && !/^[\w.-]{1,100}$/.test(resolverHint))
    return `resolver_hint "${resolverHint.slice(0, 40)}" is not a plain name`;
  return {
    artifactId,
    payload: artifact,
    ...(typeof resolverHint === 'string' && { resolverHint }),
    ...(priority !== undefined && { priority: priority as number }),
  };
}

/** The id of an unwrapped artifact: `artifact_id`, `id`, `doi` or `url`, else a hash of its content. */
function artifactIdOf(artifact: Record<string, unknown>): string {
  const { artifact_id: artifactId, id, doi, url } = artifact;
  if (typeof artifactId === 'string') return artifactId;
  if (typeof id === 'string' || typeof id === 'number') return String(id);
  // DOIs are case-insensitive, with or without a resolver URL.
  if (typeof doi === 'string')
    return `doi:${doi
      .trim()
      .replace(/^(https?:\/\/(dx\.)?doi\.org\/|doi:)/i, '')
      .toLowerCase()}`;
  if (typeof url === 'string') return `url:${url}`;
  return `sha256:${sha256(canonicalJson(artifact))}`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** The bytes of a file, unpacked if they are gzip. */
async function openBytes(path: string): Promise<AsyncIterable<Uint8Array>> {
  const source: Readable = path === '-' ? process.stdin : createReadStream(path, { highWaterMark: 1 << 18 });
  const iterator = (source as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  const first = await iterator.next().catch((error: unknown) => {
    throw new AppError(
      'IMPORT_UNREADABLE',
      `${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      {
        hint: 'check the path; use - for standard input',
        cause: error,
      },
    );
  });
  async function* chunks(): AsyncGenerator<Buffer> {
    if (!first.done) yield first.value;
    yield* { [Symbol.asyncIterator]: () => iterator };
  }
  const packed = !first.done && first.value[0] === 0x1f && first.value[1] === 0x8b;
  return packed ? unpack(chunks(), path) : chunks();
}

async function* unpack(chunks: AsyncIterable<Buffer>, path: string): AsyncGenerator<Buffer> {
  try {
    yield* Readable.from(chunks).pipe(createGunzip()) as AsyncIterable<Buffer>;
  } catch (error) {
    throw new AppError(
      'IMPORT_UNREADABLE',
      `${path} is damaged gzip: ${error instanceof Error ? error.message : String(error)}`,
      {
        hint: 'lines before the damage were imported; importing again is safe',
        cause: error,
      },
    );
  }
}
