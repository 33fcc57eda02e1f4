import { namesNoWork } from '../../download/index.ts';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { AppError, writeFileAtomic } from '../../base/index.ts';
import type { CorpusWorks } from '../../ask/index.ts';
import { accountOf, prismaSvg } from '../../ask/index.ts';
import { bibtexEntry, citationKey, cslItem, risEntry } from '../../works/index.ts';
import type { SearchPlace } from '../search-place.ts';
import { writeDataset } from './dataset.ts';
import { loadedDocuments } from './documents.ts';
import type { ExportedWork } from './exported-work.ts';
import { exportedWorks, isRedistributable } from './exported-work.ts';
import { obsidianNotes } from './obsidian.ts';

import { csvTable, screeningTable } from './tables.ts';

export const EXPORT_FORMATS = [
  'bibtex',
  'ris',
  'csl',
  'csv',
  'parquet',
  'documents',
  'prisma',
  'asreview',
  'obsidian',
] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Formats that are a folder and cannot be printed. */
const FOLDERS: ReadonlySet<ExportFormat> = new Set(['parquet', 'obsidian']);

/** How a corpus goes out. */
export interface ExportRequest {
  readonly format: ExportFormat;
  /** Where to: a file, or a folder for `parquet` and `obsidian`; undefined gives the text back piece by piece. */
  readonly out?: string | undefined;
  /** Only works whose licence lets anybody pass them on (CC0, public domain, CC BY, CC BY-SA), and of which there is a file. */
  readonly redistributable?: boolean | undefined;
  /** Only works with a downloaded file. */
  readonly saved?: boolean | undefined;
  /** Only these works, by their ids. */
  readonly works?: ReadonlySet<string> | undefined;
  /** Takes the versions of works as they were found last, and writes nothing down. */
  readonly asItIs?: boolean | undefined;
}

/** Writes a corpus for another tool; what has no `out` comes as pieces of text. */
export async function* exportCorpus(
  request: ExportRequest,
  place: SearchPlace,
  parts: {
    readonly works: CorpusWorks;
    readonly linkOf: (document: string) => string | undefined;
    readonly name: string;
  },
): AsyncGenerator<string> {
  const { format, out } = request;
  if (FOLDERS.has(format) && out === undefined)
    throw new AppError('USAGE_EXPORT', `${format} writes a folder of files`, {
      hint: 'give the folder with --out FOLDER',
    });
  const works = (): Iterable<ExportedWork> => wanted(exportedWorks(parts.works, parts.linkOf), request);
  if (format === 'parquet') {
    const kept = [...works()];
    const dataset = { name: parts.name, dataRoot: place.dataRoot, format: place.format ?? 'parquet' };
    await writeDataset(out as string, kept, dataset);
  } else if (format === 'obsidian') {
    await mkdir(out as string, { recursive: true });
    for (const { name, text } of obsidianNotes(works())) await writeFileAtomic(join(out as string, `${name}.md`), text);
  } else if (format === 'prisma' && out !== undefined) {
    const counts = accountOf(parts.works.store).prisma;
    const base = out.replace(/\.(?:json|svg)$/i, '');
    await writeFileAtomic(`${base}.json`, `${JSON.stringify(counts, undefined, 2)}\n`);
    await writeFileAtomic(`${base}.svg`, prismaSvg(counts));
  } else if (format === 'prisma') yield `${JSON.stringify(accountOf(parts.works.store).prisma, undefined, 2)}\n`;
  else if (out === undefined) yield* textOf(format, works(), place);
  else await writeFileAtomic(out, (await Array.fromAsync(textOf(format, works(), place))).join(''));
}

function* wanted(
  works: Iterable<ExportedWork>,
  { format, redistributable, saved, works: chosen }: ExportRequest,
): Generator<ExportedWork> {
  for (const work of works) {
    if (redistributable && !isRedistributable(work)) continue;
    if (saved && work.file === null) continue;
    if (chosen && !chosen.has(work.record.id)) continue;
    // What was screened out goes into counts and tables, not into what people cite and train on.
    const isCited =
      format === 'bibtex' || format === 'ris' || format === 'csl' || format === 'obsidian' || format === 'parquet';
    if (isCited && (work.label === 'excluded' || namesNoWork(work.reason))) continue;
    yield work;
  }
}

async function* textOf(
  format: ExportFormat,
  works: Iterable<ExportedWork>,
  place: SearchPlace,
): AsyncGenerator<string> {
  switch (format) {
    case 'bibtex': {
      const taken = new Set<string>();
      for (const { record, file } of works)
        yield `${bibtexEntry(record, citationKey(record, taken), file ?? undefined)}\n`;
      return;
    }
    case 'ris':
      for (const { record, file } of works) yield risEntry(record, file ?? undefined);
      return;
    case 'csl': {
      let before = '[\n';
      for (const { record } of works) {
        yield before + JSON.stringify(cslItem(record));
        before = ',\n';
      }
      yield before === '[\n' ? '[]\n' : '\n]\n';
      return;
    }
    case 'csv':
      yield* csvTable(works);
      return;
    case 'asreview':
      yield* screeningTable(works);
      return;
    case 'documents':
      for await (const document of loadedDocuments(works, {
        dataRoot: place.dataRoot,
        format: place.format ?? 'parquet',
      }))
        yield `${JSON.stringify(document)}\n`;
      return;
    case 'prisma':
    case 'parquet':
    case 'obsidian':
      return;
  }
}
