import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { AppError, canonicalJson, filesBelow, sha256 } from '../../base/index.ts';
import type { StageItems, StagePlan, WorkerModule, WorkItem } from '../../stage/index.ts';
import { documentId } from './convert.ts';
import { outputEndings } from './outputs.ts';
import type { DoctagsSettings } from './worker.ts';

/** Raised when the same settings begin to give other blocks. */
const READER_VERSION = 10;
const DOCUMENT = /\.(?:pdf|x?html?|n?xml(?:\.gz)?)$/i;
export const DOCTAGS_FOLDER = 'DocTagsFiles';

export function parsedDocuments(dataRoot: string): string[] {
  return globSync('*.jsonl', { cwd: join(dataRoot, DOCTAGS_FOLDER) })
    .map((name) => name.replace(/\.jsonl$/, ''))
    .sort();
}

export function blocksPath(dataRoot: string, document: string): string {
  return join(dataRoot, DOCTAGS_FOLDER, `${document}.jsonl`);
}

export function sidecarPath(dataRoot: string, document: string): string {
  return join(dataRoot, DOCTAGS_FOLDER, `${document}.meta.json`);
}

export const doctagsWorker: WorkerModule = {
  module: new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url),
};

/** What of the settings decides how the outputs look; keys of servers, limits and patience do not. */
function doctagsConfigHash(settings: DoctagsSettings): string {
  const { engine, ocr, maxPages: _pages, maxFileBytes: _bytes, ...rest } = settings;
  const unseen = new Set(['apiKey', 'requestTimeoutMs', 'totalTimeoutMs', 'concurrency', 'proxy']);
  const named = Object.fromEntries(Object.entries(engine).filter(([name]) => !unseen.has(name)));
  return sha256(
    canonicalJson({
      version: READER_VERSION,
      ...rest,
      engine: named,
      ocr: ocr ? [ocr.engine, ocr.languages, ocr.force ?? false] : null,
    }),
  );
}

export function doctagsPlan(
  input: string,
  dataRoot: string,
  settings: DoctagsSettings,
): StagePlan & { readonly items: WorkItem[] } {
  const items = documentFiles(input).map(doctagsItems(dataRoot, settings).item);
  return { stageName: 'doctags', items, totalItems: items.length };
}

/** Makes items out of files, one by one as they come; two files of one name stay apart. */
export function doctagsItems(dataRoot: string, settings: DoctagsSettings): StageItems {
  const cfgHash = doctagsConfigHash(settings);
  const endings = outputEndings(settings);
  const ids = new Map<string, string>();
  const item = (file: string): WorkItem => {
    const itemId = uniqueId(documentId(file), file, ids);
    return {
      itemId,
      inputs: { file },
      outputs: Object.fromEntries(
        Object.entries(endings).map(([name, ending]) => [name, join(dataRoot, DOCTAGS_FOLDER, `${itemId}${ending}`)]),
      ),
      cfgHash,
      costHint: statSync(file, { throwIfNoEntry: false })?.size ?? 0,
    };
  };
  return { cfgHash, item };
}

/** The documents of a folder, or one file, in the order of their names. */
export function documentFiles(input: string): string[] {
  const found = statSync(input, { throwIfNoEntry: false });
  if (!found)
    throw new AppError('PARSE_NO_FILE', `not found: ${input}`, {
      hint: 'give a folder of papers or a file with --input',
    });
  return found.isDirectory() ? filesBelow(input).filter((path) => DOCUMENT.test(path)) : [input];
}

function uniqueId(id: string, file: string, ids: Map<string, string>): string {
  const clean =
    shortened(
      // macOS hands names out in decomposed form: letter and accent are one letter here.
      id
        .normalize('NFC')
        .replaceAll(/[^\p{L}\p{M}\p{N}._()+-]+/gu, '_')
        .replace(/^\.+/, ''),
    ) || 'document';
  const isTaken = (ids.get(clean.toLowerCase()) ?? file) !== file;
  const unique = isTaken ? `${clean}-${sha256(file).slice(0, 8)}` : clean;
  ids.set(unique.toLowerCase(), file);
  return unique;
}

/** Leaves room for endings and suffixes: file systems allow 255 bytes. */
const LONGEST_NAME_BYTES = 150;

/** As much of a name as fits, cut between characters; what is cut is distinguished by a hash. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= LONGEST_NAME_BYTES) return name;
  let bytes = 9;
  let kept = '';
  for (const character of name) {
    bytes += Buffer.byteLength(character);
    if (bytes > LONGEST_NAME_BYTES) break;
    kept += character;
  }
  return `${kept}-${sha256(name).slice(0, 8)}`;
}
