import { createHash } from 'node:crypto';
import { createReadStream, readdirSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { extname, join, resolve, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';

import { wallOf } from '../download/index.ts';
import { sniff } from '../parse/index.ts';

/** A skipped file, and why. */
export interface PassedOver {
  readonly file: string;
  /** A known reason; `copy` for a file with the same bytes as another. */
  readonly reason: string;
  /** What it is instead. */
  readonly detail: string;
}

/** The papers among the user's files. */
export interface OwnPapers {
  readonly papers: readonly string[];
  readonly passedOver: readonly PassedOver[];
}

/** A file's type is at its beginning; a wall is a small page. */
const LOOK_BYTES = 256 * 1024;
const NO_PAGE = new URL('file:///');

/**
 * Searches files and folders for papers. A file's type is detected by its content, not its name; pages in place of a
 * paper (a login, an error) are not papers; copies of a paper count once. Skipped files are reported. Files in
 * `except`, and hidden ones, are ignored.
 */
export async function findOwnPapers(inputs: readonly string[], except: string): Promise<OwnPapers> {
  const own = resolve(except) + sep;
  const files = [...new Set(inputs.flatMap(filesOf).map((path) => resolve(path)))].filter(
    (path) => !path.startsWith(own),
  );
  const papers: string[] = [];
  const passedOver: PassedOver[] = [];
  const bySize = new Map<number, string[]>();
  for (const file of files) {
    const { size } = statSync(file);
    const fault = await faultOf(file, size);
    if (fault) {
      passedOver.push({ file, ...fault });
      continue;
    }
    const same = await copyOf(file, bySize.get(size) ?? []);
    if (same !== undefined) {
      passedOver.push({ file, reason: 'copy', detail: `the same bytes as ${same}` });
      continue;
    }
    bySize.set(size, [...(bySize.get(size) ?? []), file]);
    papers.push(file);
  }
  return { papers, passedOver };
}

function filesOf(input: string): string[] {
  if (!statSync(input).isDirectory()) return [input];
  return readdirSync(input, { withFileTypes: true, recursive: true })
    .map((entry) => ({ entry, path: join(entry.parentPath, entry.name) }))
    .filter(
      ({ path }) =>
        !path
          .slice(input.length)
          .split(sep)
          .some((part) => part.startsWith('.') && part !== '.'),
    )
    .filter(
      ({ entry, path }) =>
        entry.isFile() || (entry.isSymbolicLink() && statSync(path, { throwIfNoEntry: false })?.isFile()),
    )
    .map(({ path }) => path)
    .sort();
}

/** Why a file is not a paper; undefined if it may be one. */
async function faultOf(file: string, size: number): Promise<Pick<PassedOver, 'reason' | 'detail'> | undefined> {
  if (size === 0) return { reason: 'empty-body', detail: 'an empty file' };
  const start = await firstBytes(file);
  // The reader of compressed files unpacks and checks them.
  if (start[0] === 0x1f && start[1] === 0x8b && /\.(?:n?xml|x?html?|pdf)\.gz$/i.test(file)) return undefined;
  const kind = sniff(start);
  if (kind === 'unknown' || kind === 'xml')
    return {
      reason: 'wrong-kind',
      detail: kind === 'xml' ? 'XML, but neither JATS nor TEI' : `no PDF, HTML, JATS or TEI${ending(file)}`,
    };
  if (kind !== 'html') return undefined;
  const wall = wallOf({ status: 200, url: NO_PAGE, headers: {}, text: Buffer.from(start).toString('utf8') });
  return wall === undefined ? undefined : { reason: wall, detail: 'a web page that stands in for the paper' };
}

function ending(file: string): string {
  const name = extname(file).toLowerCase();
  return name === '' || name === '.pdf' ? '' : `, but ${name}`;
}

async function firstBytes(file: string): Promise<Uint8Array> {
  await using handle = await open(file, 'r');
  const buffer = Buffer.alloc(LOOK_BYTES);
  const { bytesRead } = await handle.read(buffer, 0, LOOK_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}

/** A file with the same bytes, among others of the same size. */
async function copyOf(file: string, others: readonly string[]): Promise<string | undefined> {
  if (others.length === 0) return undefined;
  const hash = await hashOf(file);
  for (const other of others) if ((await hashOf(other)) === hash) return other;
  return undefined;
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
