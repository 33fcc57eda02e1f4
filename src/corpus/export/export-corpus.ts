import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { existsSync } from 'node:fs';

import { AppError, csvLine, visibleText, writeFileAtomic } from '../../base/index.ts';
import type { Note } from '../../database/index.ts';
import type { CorpusWorks, LibraryWork } from '../../library/index.ts';
import { accountOf, exportGraph, Graph, prismaSvg, SourceFiles } from '../../library/index.ts';
import { apaCitation, bibtexEntry, citationKey, cslItem, parseLicense, risEntry } from '../../works/index.ts';
import type { FileFormat } from '../../parse/index.ts';
import { chunkOutput, openRowWriter, readChunkPassages } from '../../parse/index.ts';
import { sectionOf } from '../../search/index.ts';
import type { CrateFile } from './ro-crate.ts';
import { writeRoCrate } from './ro-crate.ts';

/** What a corpus can be exported as. */
export const EXPORT_FORMATS = [
  'bibtex',
  'ris',
  'csl',
  'csv',
  'parquet',
  'documents',
  'prisma',
  'obsidian',
  'ro-crate',
  'notes',
] as const;
/** A name in `EXPORT_FORMATS`. */
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Formats that are a folder and cannot be printed. */
const FOLDERS: ReadonlySet<ExportFormat> = new Set(['parquet', 'obsidian', 'ro-crate']);

/** What is exported, and where to. */
export interface ExportRequest {
  /** One of `EXPORT_FORMATS`. */
  readonly format: ExportFormat;
  /** Target file, or folder for `parquet`, `obsidian` and `ro-crate`; undefined yields the text in pieces. */
  readonly out?: string | undefined;
  /** Only works with a file and a licence that lets anyone redistribute it (CC0, public domain, CC BY, CC BY-SA). */
  readonly redistributable?: boolean | undefined;
  /** Only works whose file is saved; by default all works. */
  readonly saved?: boolean | undefined;
  /** Only these works, by their ids. */
  readonly works?: ReadonlySet<string> | undefined;
  /** Uses the last found versions of works, and writes nothing. */
  readonly asItIs?: boolean | undefined;
}

interface ExportPlace {
  readonly name: string;
  /** The time of the export, ISO 8601. */
  readonly at: string;
  readonly dataRoot: string;
  readonly format: FileFormat;
}

/** Yields pieces of text if there is no `out`. */
export async function* exportCorpus(
  request: ExportRequest,
  place: ExportPlace,
  all: CorpusWorks,
): AsyncGenerator<string> {
  const { format, out } = request;
  if (FOLDERS.has(format) && out === undefined)
    throw new AppError('USAGE_EXPORT', `${format} writes a folder of files`, {
      hint: 'give the folder with --out FOLDER',
    });
  const works = (): Iterable<LibraryWork> => wanted(all.each(), request);
  if (format === 'parquet') {
    await writeDataset(out as string, [...works()], place);
  } else if (format === 'obsidian') {
    await mkdir(out as string, { recursive: true });
    for (const note of obsidianNotes(works(), notesByWork(all)))
      await writeFileAtomic(join(out as string, `${note.name}.md`), note.text);
  } else if (format === 'ro-crate') {
    const sources = new SourceFiles(all.place);
    await writeRoCrate(out as string, {
      name: place.name,
      at: place.at,
      fileOf: (document) => sources.find(document),
      works: [...works()],
      isOpen: isRedistributable,
      files: crateFiles([...works()], all),
    });
  } else if (format === 'prisma' && out !== undefined) {
    const counts = accountOf(all.store).prisma;
    const base = out.replace(/\.(?:json|svg)$/i, '');
    await writeFileAtomic(`${base}.json`, `${JSON.stringify(counts, undefined, 2)}\n`);
    await writeFileAtomic(`${base}.svg`, prismaSvg(counts));
  } else if (format === 'prisma') yield `${JSON.stringify(accountOf(all.store).prisma, undefined, 2)}\n`;
  else if (out === undefined) yield* TEXTS[format](works(), place, notesByWork(all));
  else await writeFileAtomic(out, (await Array.fromAsync(TEXTS[format](works(), place, notesByWork(all)))).join(''));
}

function* wanted(
  works: Iterable<LibraryWork>,
  { format, redistributable, saved, works: chosen }: ExportRequest,
): Generator<LibraryWork> {
  for (const work of works) {
    if (redistributable && !isRedistributable(work)) continue;
    if (saved && work.file === null) continue;
    if (chosen && !chosen.has(work.record.id)) continue;
    // Excluded works are in counts and tables, but not in citations and training data.
    const isCited = format === 'bibtex' || format === 'ris' || format === 'csl' || format === 'parquet';
    if (work.outcome === 'unreadable' || (isCited && work.label === 'excluded')) continue;
    yield work;
  }
}

/** The files of a crate besides the papers: lists, counts, and the graph if there is one. */
function crateFiles(works: readonly LibraryWork[], all: CorpusWorks): CrateFile[] {
  const text = (pieces: () => Iterable<string>) => async (path: string) =>
    await writeFileAtomic(path, [...pieces()].join(''));
  const listed = [
    {
      path: 'works.csv',
      format: 'text/csv',
      about: 'Every work with its outcome.',
      write: text(() => TEXTS.csv(works)),
    },
    {
      path: 'references.json',
      format: 'application/vnd.citationstyles.csl+json',
      about: 'The works as references for Zotero and other managers.',
      write: text(() => TEXTS.csl(works)),
    },
    {
      path: 'prisma.json',
      format: 'application/json',
      about: 'Counts for a PRISMA 2020 flow diagram.',
      write: text(() => [`${JSON.stringify(accountOf(all.store).prisma, undefined, 2)}\n`]),
    },
  ];
  const graph = new Graph(all.store);
  if (!graph.exists()) return listed;
  const about = 'The knowledge graph of the whole corpus: nodes, edges, and for each edge its sentences as PROV.';
  const write = (path: string): Promise<void> => exportGraph(graph, 'turtle', path);
  return [...listed, { path: 'graph.ttl', format: 'text/turtle', about, write }];
}

type NotesByWork = ReadonlyMap<string, readonly Note[]>;

function notesByWork(all: CorpusWorks): NotesByWork {
  return Map.groupBy(all.records.notes(), ({ work }) => work);
}

/** Notes in the order of their pages, as Markdown: the words of the paper are quoted, those of people are kept. */
function notesText(notes: readonly Note[]): string {
  return notes
    .toSorted((a, b) => (a.page ?? 0) - (b.page ?? 0))
    .map(({ quote, page, text, by, at }) =>
      [
        ...(quote === null ? [] : [`> ${plainText(quote)}${page === null ? '' : ` (page ${page})`}`]),
        ...(text === '' ? [] : [text]),
        `*${plainText(by)}, ${at.slice(0, 10)}*`,
      ].join('\n\n'),
    )
    .join('\n\n');
}

const TEXTS = {
  *bibtex(works: Iterable<LibraryWork>) {
    const taken = new Map<string, number>();
    for (const { record, file } of works)
      yield `${bibtexEntry(record, citationKey(record, taken), file ?? undefined)}\n`;
  },
  *ris(works: Iterable<LibraryWork>) {
    for (const { record, file } of works) yield risEntry(record, file ?? undefined);
  },
  *csl(works: Iterable<LibraryWork>) {
    let before = '[\n';
    for (const { record } of works) {
      yield before + JSON.stringify(cslItem(record));
      before = ',\n';
    }
    yield before === '[\n' ? '[]\n' : '\n]\n';
  },
  *csv(works: Iterable<LibraryWork>) {
    yield csvLine(COLUMNS);
    for (const work of works) {
      const known = { ...columnsOf(work), authors: work.authors.join('; ') };
      yield csvLine(COLUMNS.map((name) => known[name]));
    }
  },
  *notes(works: Iterable<LibraryWork>, _place: ExportPlace, notes: NotesByWork) {
    for (const { record } of works) {
      const own = notes.get(record.id);
      if (own) yield `## ${plainText(apaCitation(record))}\n\n${notesText(own)}\n\n`;
    }
  },
  async *documents(works: Iterable<LibraryWork>, place: ExportPlace) {
    for await (const document of loadedDocuments(works, place)) yield `${JSON.stringify(document)}\n`;
  },
};

const COLUMNS = [
  'id', 'doi', 'pmid', 'pmcid', 'title', 'authors', 'year', 'date', 'venue', 'volume', 'issue', 'pages', 'type',
  'language', 'license', 'access', 'version', 'outcome', 'reason', 'detail', 'label', 'other_version', 'retracted',
  'file', 'url', 'abstract',
] as const; // prettier-ignore

function columnsOf({ record, isOtherVersion, isRetracted, ...work }: LibraryWork) {
  const { id, ids, title, date, venue, volume, issue, pages, type, language, access, version, url, abstract } = record;
  const { authors, year, licence: license, outcome, reason, detail, label, file } = work;
  return {
    id,
    doi: ids.doi,
    pmid: ids.pmid,
    pmcid: ids.pmcid,
    title,
    authors,
    year,
    date,
    venue,
    volume,
    issue,
    pages,
    type,
    language,
    license,
    access,
    version,
    outcome,
    reason,
    detail,
    label,
    other_version: isOtherVersion ? 'yes' : null,
    retracted: isRetracted ? 'retracted' : null,
    file,
    url,
    abstract,
  };
}

/** Obsidian notes, one per work, linked to the works it cites; names without an ending. */
function* obsidianNotes(works: Iterable<LibraryWork>, notes: NotesByWork) {
  const all = [...works].filter(({ outcome, isOtherVersion }) => outcome !== 'unreadable' && !isOtherVersion);
  const taken = new Map<string, number>();
  const names = new Map(all.map(({ record }) => [record.id, `@${citationKey(record, taken)}`]));
  for (const work of all) {
    const { record, file } = work;
    const own = notes.get(record.id) ?? [];
    const cited = record.references.flatMap((id) => names.get(id) ?? []);
    const { title, authors, year, venue, doi, license } = columnsOf(work);
    const tags = record.keywords.map((word) => word.replaceAll(/[^\p{L}\p{N}]+/gu, '-'));
    // JSON is valid YAML: every value is quoted correctly.
    const head = Object.entries({ title, authors, year, venue, doi, license, tags })
      .filter(([, value]) => value !== null)
      .map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
    const parts = [
      `---\n${head.join('\n')}\n---`,
      ...(work.isRetracted ? ['> [!danger] This work was retracted.'] : []),
      plainText(apaCitation(record)),
      ...(file === null ? [] : [`[Full text](<${file.split('\\').join('/')}>)`]),
      ...(record.abstract === null ? [] : [`## Abstract\n\n${plainText(record.abstract)}`]),
      ...(own.length === 0 ? [] : [`## Notes\n\n${notesText(own)}`]),
      ...(cited.length === 0 ? [] : [`## Cites\n\n${cited.map((name) => `- [[${name}]]`).join('\n')}`]),
    ];
    yield { name: names.get(record.id) ?? '@unnamed', text: `${parts.join('\n\n')}\n` };
  }
}

/** Escapes catalogue text for Markdown: no HTML, links, embedded notes, code or headings. */
function plainText(text: string): string {
  const oneLine = visibleText(text).replaceAll(/\s+/g, ' ').trim();
  return oneLine.replaceAll(/[\\`*_[\]<>#|!{}$~=^%]/g, (character) => `\\${character}`);
}

const SHARD_ROWS = 100_000;

const WORK_COLUMNS = {
  id: 'string',
  doi: 'string',
  title: 'string',
  authors: 'strings',
  year: 'integer',
  venue: 'string',
  type: 'string',
  language: 'string',
  license: 'string',
  abstract: 'string',
  citation: 'string',
  file: 'string',
} as const;

const PASSAGE_COLUMNS = {
  id: 'string',
  work: 'string',
  text: 'string',
  title: 'string',
  headings: 'strings',
  section: 'string',
  page: 'integer',
  license: 'string',
} as const;

/** Writes a folder that Hugging Face can load: Parquet shards below `data/` and a dataset card. */
async function writeDataset(folder: string, works: readonly LibraryWork[], place: ExportPlace): Promise<void> {
  await mkdir(join(folder, 'data'), { recursive: true });
  const kept = works.filter(({ outcome, isOtherVersion }) => outcome !== 'unreadable' && !isOtherVersion);
  const rows = kept.map((work) => {
    const known = { ...columnsOf(work), citation: apaCitation(work.record) };
    const names = Object.keys(WORK_COLUMNS) as (keyof typeof WORK_COLUMNS)[];
    return Object.fromEntries(names.map((name) => [name, known[name] ?? (name === 'year' ? undefined : '')]));
  });
  await shards(join(folder, 'data', 'works'), WORK_COLUMNS, rows);
  const passages = await shards(join(folder, 'data', 'passages'), PASSAGE_COLUMNS, passageRows(kept, place));
  await writeFile(join(folder, 'README.md'), datasetCard(place.name, kept, passages));
}

async function* passageRows(
  works: readonly LibraryWork[],
  place: ExportPlace,
): AsyncGenerator<Record<string, unknown>> {
  for await (const { page_content: text, metadata } of loadedDocuments(works, place)) {
    const { id, work, title, headings, section, page, license } = metadata;
    yield { id, work, text, title: title ?? '', headings, section, page: page ?? undefined, license: license ?? '' };
  }
}

async function shards(
  base: string,
  columns: typeof WORK_COLUMNS | typeof PASSAGE_COLUMNS,
  rows: AsyncIterable<Record<string, unknown>> | Iterable<Record<string, unknown>>,
): Promise<number> {
  let count = 0;
  let writer: Awaited<ReturnType<typeof openRowWriter>> | undefined;
  await using opened = new AsyncDisposableStack();
  for await (const row of rows) {
    if (count % SHARD_ROWS === 0) {
      await writer?.finish();
      const path = `${base}-${String(Math.floor(count / SHARD_ROWS)).padStart(5, '0')}.parquet`;
      writer = opened.use(await openRowWriter(path, { metadata: { schema: 'docstokg/dataset/1' }, columns }));
    }
    await writer?.write(row);
    count += 1;
  }
  await writer?.finish();
  return count;
}

/** One licence if all works share it, else `other`: each row has its own. */
function datasetCard(name: string, works: readonly LibraryWork[], passages: number): string {
  const slugs = new Set(works.map(({ licence }) => parseLicense(licence)?.slug ?? 'unknown'));
  const [only] = slugs;
  const license = slugs.size === 1 && only !== undefined && /^(?:cc|public)/.test(only) ? hubLicense(only) : 'other';
  const languages = [...new Set(works.flatMap(({ record }) => record.language ?? []))].toSorted();
  const size =
    passages < 1000 ? 'n<1K' : passages < 10_000 ? '1K<n<10K' : passages < 100_000 ? '10K<n<100K' : '100K<n<1M';
  const yaml = [
    `license: ${license}`,
    ...(languages.length > 0 ? [`language:\n${languages.map((each) => `- ${each}`).join('\n')}`] : []),
    `pretty_name: ${JSON.stringify(name)}`,
    `size_categories:\n- ${size}`,
    `configs:\n- config_name: passages\n  default: true\n  data_files:\n  - split: train\n    path: data/passages-*.parquet\n- config_name: works\n  data_files:\n  - split: train\n    path: data/works-*.parquet`,
  ];
  return `---\n${yaml.join('\n')}\n---\n\n# ${name}\n\n${works.length} works and ${passages} passages of their full texts, made with docstokg. Every row names its work and its licence; \`works\` has the citation of each.\n`;
}

/** The Hub requires a version in the name of a Creative Commons licence. */
function hubLicense(slug: string): string {
  return slug === 'cc0' ? 'cc0-1.0' : slug === 'public-domain' ? 'pddl' : `${slug}-4.0`;
}

/** The passages of works with the metadata needed to cite them, as LangChain and LlamaIndex load them. */
async function* loadedDocuments(works: Iterable<LibraryWork>, place: ExportPlace) {
  for (const work of works) {
    const { record, document, isOtherVersion, label } = work;
    const chunks = chunkOutput(place.dataRoot, document, place.format);
    if (isOtherVersion || label === 'excluded' || !existsSync(chunks)) continue;
    const { title, authors, year, venue, doi, license, retracted, file } = columnsOf(work);
    const citation = apaCitation(record);
    for await (const passage of readChunkPassages(chunks)) {
      yield {
        page_content: passage.text,
        metadata: {
          id: passage.id,
          work: record.id,
          title: title ?? passage.title,
          authors,
          year,
          venue,
          doi,
          license,
          is_retracted: retracted !== null,
          headings: passage.headings,
          section: sectionOf(passage),
          page: passage.page ?? null,
          source: file,
          citation,
        },
      };
    }
  }
}

const REDISTRIBUTABLE = new Set(['cc0', 'public-domain', 'cc-by', 'cc-by-sa']);

function isRedistributable({ licence, file }: Pick<LibraryWork, 'licence' | 'file'>): boolean {
  return file !== null && licence !== null && REDISTRIBUTABLE.has(parseLicense(licence)?.slug ?? '');
}
