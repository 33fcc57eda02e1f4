import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

import { fileInside } from '../base/index.ts';
import type { Block } from '../parse/index.ts';
import { chunkOutput, DOCTAGS_FOLDER, readBlockLines, readChunks } from '../parse/index.ts';
import type { BlockLine, DocumentLine, DocumentPart, PassageLine } from './data.ts';
import { fileLink } from './file-link.ts';
import type { ReportLimits } from './limits.ts';

/** A document with what the page shows of it and where its file is. */
export interface GatheredDocument {
  readonly line: DocumentLine;
  /** Undefined where the limits leave its structure out. */
  readonly part: Omit<DocumentPart, 'images'> | undefined;
  /** The PDF that its pages can be drawn from. */
  readonly pdf: string | undefined;
  readonly sha256: string;
}

export interface GatheredDocuments {
  readonly documents: readonly GatheredDocument[];
  readonly passages: readonly PassageLine[];
  /** Documents whose passages are not all among them. */
  readonly withoutPassages: number;
  /** Documents that have no line. */
  readonly unlisted: number;
  /** Files of the stages that could not be read, with the reason. */
  readonly damaged: readonly string[];
}

/** What is known of a download, by the hash of the file that was kept. */
export type KnownFiles = ReadonlyMap<string, { readonly path: string; readonly title: string | null }>;

const MOST_TABLE_ROWS = 80;
const POINT_DIGITS = 10;

/**
 * What was parsed, in the order of the documents' names. Blocks and passages are read while there is room for them; then a
 * document is a line of its sidecar, and beyond the limit a number: a corpus of any size costs no more than fits in.
 */
export async function gatherDocuments(
  folder: string,
  dataRoot: string,
  known: KnownFiles,
  limits: ReportLimits,
): Promise<GatheredDocuments> {
  const documents: GatheredDocument[] = [];
  const passages: PassageLine[] = [];
  const damaged: string[] = [];
  let [passageRoom, blockRoom, withoutPassages] = [limits.passageChars, limits.blockChars, 0];
  const ids = documentIds(dataRoot);
  for (const id of ids.slice(0, limits.documents)) {
    const meta = await metaOf(dataRoot, id);
    const from = passages.length;
    let part: GatheredDocument['part'];
    let { blocks } = meta;
    try {
      if (blockRoom > 0) {
        const document = await readBlockLines(join(dataRoot, DOCTAGS_FOLDER, `${id}.jsonl`));
        blocks = document.blocks.length;
        blockRoom -= document.blocks.reduce((sum, block) => sum + block.text.length, 0);
        if (blockRoom > 0)
          part = {
            pages: document.pages.map(({ number, width, height }) => [number, round(width), round(height)]),
            blocks: document.blocks.map(blockLine),
          };
      }
      const chunks = passageRoom > 0 ? chunkFile(dataRoot, id) : undefined;
      for await (const chunk of chunks === undefined ? [] : readChunks(chunks)) {
        passageRoom -= chunk.text.length + chunk.context.length;
        if (passageRoom < 0) break;
        passages.push({
          document: documents.length,
          headings: chunk.headings,
          page: chunk.regions[0]?.page ?? 0,
          text: chunk.text,
          context: chunk.context,
          tokens: chunk.tokens,
          blocks: chunk.blocks,
        });
      }
    } catch (error) {
      damaged.push(`${id}: ${error instanceof Error ? error.message : String(error)}`);
    }
    if (passageRoom <= 0) withoutPassages += 1;
    const file = sourceFile(folder, meta, known);
    documents.push({
      line: {
        id,
        title: known.get(meta.sha256)?.title || meta.title || id,
        authors: meta.authors,
        file: file === undefined ? '' : fileLink(realpathSync(folder), file),
        pages: part?.pages.length ?? 0,
        blocks,
        shown: part !== undefined,
        passages: [from, passages.length - from],
      },
      part,
      pdf: meta.kind === 'pdf' ? file : undefined,
      sha256: meta.sha256,
    });
  }
  const unlisted = Math.max(0, ids.length - limits.documents);
  return {
    documents,
    passages,
    withoutPassages: withoutPassages + (passageRoom <= 0 ? unlisted : 0),
    unlisted,
    damaged,
  };
}

function documentIds(dataRoot: string): string[] {
  const folder = join(dataRoot, DOCTAGS_FOLDER);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => basename(name, '.jsonl'))
    .sort();
}

function chunkFile(dataRoot: string, id: string): string | undefined {
  return (['parquet', 'jsonl'] as const)
    .map((format) => chunkOutput(dataRoot, id, format))
    .find((path) => existsSync(path));
}

interface Meta {
  readonly title: string;
  readonly authors: string;
  readonly source: string;
  readonly sha256: string;
  readonly kind: string;
  readonly blocks: number;
}

/** What stands beside the blocks; a document whose sidecar is missing or damaged is shown under its name. */
async function metaOf(dataRoot: string, id: string): Promise<Meta> {
  const path = join(dataRoot, DOCTAGS_FOLDER, `${id}.meta.json`);
  let value: Record<string, unknown> = {};
  try {
    value = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>;
  } catch (error) {
    if (!(error instanceof SyntaxError) && (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const text = (name: string): string => (typeof value[name] === 'string' ? value[name] : '');
  const authors = Array.isArray(value['authors']) ? value['authors'].filter((name) => typeof name === 'string') : [];
  return {
    title: text('title'),
    authors: authors.slice(0, 8).join(', ') + (authors.length > 8 ? ' …' : ''),
    source: text('source'),
    sha256: text('source_sha256'),
    kind: text('source_kind'),
    blocks: Number((value['counts'] as { readonly blocks?: unknown } | undefined)?.blocks ?? 0),
  };
}

/** The file itself, if it is inside the run folder. A relative path counts from where the run was started: mostly here or one above. */
function sourceFile(folder: string, { source, sha256 }: Meta, known: KnownFiles): string | undefined {
  const kept = known.get(sha256)?.path;
  const candidates = [
    ...(kept === undefined ? [] : [resolve(folder, kept)]),
    ...(source === '' ? [] : [resolve(source), resolve(folder, source), resolve(dirname(folder), source)]),
  ];
  return candidates.map((path) => fileInside(folder, path)).find((path) => path !== undefined);
}

function blockLine(block: Block): BlockLine {
  return {
    tag: block.kind === 'heading' ? `heading ${block.level}` : block.kind.replace('_', ' '),
    text: block.text,
    regions: block.regions.map(({ page, box }) => [
      page,
      round(box.left),
      round(box.top),
      round(box.right),
      round(box.bottom),
    ]),
    ...(block.kind === 'table' && { rows: tableRows(block.table) }),
  };
}

function tableRows(table: (Block & { kind: 'table' })['table']): string[][] {
  const rows: string[][] = Array.from({ length: Math.min(table.rows, MOST_TABLE_ROWS) }, () => []);
  for (const cell of table.cells) rows[cell.row]?.push(cell.text);
  return rows;
}

function round(value: number): number {
  return Math.round(value * POINT_DIGITS) / POINT_DIGITS;
}
