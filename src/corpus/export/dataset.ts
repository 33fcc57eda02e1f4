import { namesNoWork } from '../../download/index.ts';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { FileFormat } from '../../parse/index.ts';
import { openRowWriter } from '../../parse/index.ts';
import { apaCitation, parseLicense, yearOf } from '../../works/index.ts';
import type { ExportedWork } from './exported-work.ts';
import { loadedDocuments } from './documents.ts';

const SHARD_ROWS = 100_000;

const WORK_COLUMNS = {
  id: 'string', doi: 'string', title: 'string', authors: 'strings', year: 'integer', venue: 'string', type: 'string', language: 'string',
  license: 'string', abstract: 'string', citation: 'string', file: 'string',
} as const; // prettier-ignore

const PASSAGE_COLUMNS = {
  id: 'string', work: 'string', text: 'string', title: 'string', headings: 'strings', section: 'string', page: 'integer', license: 'string',
} as const; // prettier-ignore

/** Writes a folder that Hugging Face loads as it is: Parquet shards below `data/` and a dataset card. */
export async function writeDataset(
  folder: string,
  works: readonly ExportedWork[],
  place: { readonly name: string; readonly dataRoot: string; readonly format: FileFormat },
): Promise<{ readonly works: number; readonly passages: number }> {
  await mkdir(join(folder, 'data'), { recursive: true });
  const kept = works.filter(({ reason, isOtherVersion }) => !namesNoWork(reason) && !isOtherVersion);
  const rows = kept.map(({ record, license, file }) => ({
    id: record.id,
    doi: record.ids.doi ?? '',
    title: record.title ?? '',
    authors: record.authors.map(({ name }) => name),
    year: yearOf(record) ?? undefined,
    venue: record.venue ?? '',
    type: record.type ?? '',
    language: record.language ?? '',
    license: license ?? '',
    abstract: record.abstract ?? '',
    citation: apaCitation(record),
    file: file ?? '',
  }));
  await shards(join(folder, 'data', 'works'), WORK_COLUMNS, rows);
  const passages = await shards(join(folder, 'data', 'passages'), PASSAGE_COLUMNS, passageRows(kept, place));
  await writeFile(join(folder, 'README.md'), datasetCard(place.name, kept, passages));
  return { works: rows.length, passages };
}

async function* passageRows(
  works: readonly ExportedWork[],
  place: { readonly dataRoot: string; readonly format: FileFormat },
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
  try {
    for await (const row of rows) {
      if (count % SHARD_ROWS === 0) {
        await writer?.finish();
        const path = `${base}-${String(Math.floor(count / SHARD_ROWS)).padStart(5, '0')}.parquet`;
        writer = await openRowWriter(path, { metadata: { schema: 'docstokg/dataset/1' }, columns });
      }
      await writer?.write(row);
      count += 1;
    }
    await writer?.finish();
    writer = undefined;
  } finally {
    await writer?.[Symbol.asyncDispose]();
  }
  return count;
}

/** One licence where all works share it, else `other`: each row has its own. */
function datasetCard(name: string, works: readonly ExportedWork[], passages: number): string {
  const slugs = new Set(works.map(({ license }) => parseLicense(license)?.slug ?? 'unknown'));
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
  return `---\n${yaml.join('\n')}\n---\n\n# ${name}\n\n${works.length} works and ${passages} passages of their full texts, gathered with docstokg. Every row names its work and its licence; \`works\` has the citation of each.\n`;
}

/** The Hub wants a version behind the name of a Creative Commons licence. */
function hubLicense(slug: string): string {
  return slug === 'cc0' ? 'cc0-1.0' : slug === 'public-domain' ? 'pddl' : `${slug}-4.0`;
}
