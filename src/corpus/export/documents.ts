import { existsSync } from 'node:fs';

import type { FileFormat } from '../../parse/index.ts';
import { chunkOutput, readChunkPassages } from '../../parse/index.ts';
import { sectionOf } from '../../search/index.ts';
import { apaCitation, retractionOf, yearOf } from '../../works/index.ts';
import type { ExportedWork } from './exported-work.ts';

/** A passage as LangChain and LlamaIndex load it. */
export interface LoadedDocument {
  readonly page_content: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** The passages of works with what it takes to cite them. */
export async function* loadedDocuments(
  works: Iterable<ExportedWork>,
  place: { readonly dataRoot: string; readonly format: FileFormat },
): AsyncGenerator<LoadedDocument> {
  for (const { record, document, file, license, isOtherVersion, label } of works) {
    const chunks = chunkOutput(place.dataRoot, document, place.format);
    if (isOtherVersion || label === 'excluded' || !existsSync(chunks)) continue;
    const citation = apaCitation(record);
    for await (const passage of readChunkPassages(chunks)) {
      yield {
        page_content: passage.text,
        metadata: {
          id: passage.id,
          work: record.id,
          title: record.title ?? passage.title,
          authors: record.authors.map(({ name }) => name),
          year: yearOf(record),
          venue: record.venue,
          doi: record.ids.doi,
          license,
          is_retracted: retractionOf(record) !== undefined,
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
