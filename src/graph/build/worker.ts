import { writeFile } from 'node:fs/promises';

import { oncePer } from '../../base/index.ts';
import { readBlockLines, readSidecar } from '../../parse/index.ts';
import type { StageWorker } from '../../stage/index.ts';
import { extractDocument } from '../extract/extract-document.ts';
import { Vocabulary, readVocabulary } from '../extract/vocabulary.ts';

export interface GraphStageSettings {
  /** Path of the user's vocabulary. */
  readonly vocabulary: string | null;
}

const vocabularyOf = oncePer(async ({ vocabulary }: GraphStageSettings) =>
  vocabulary === null ? undefined : new Vocabulary(await readVocabulary(vocabulary)),
);

const extractOne: StageWorker = async (item, context) => {
  const vocabulary = await vocabularyOf(context.data as GraphStageSettings);
  const {
    title = null,
    authors,
    doi = null,
    source_sha256: fileSha256 = null,
  } = readSidecar(item.inputs['sidecar'] ?? '');
  const contribution = extractDocument(item.itemId, await readBlockLines(item.inputs['blocks'] ?? ''), {
    fileSha256,
    ...(vocabulary && { vocabulary }),
  });
  await writeFile(item.outputs['facts'] ?? '', JSON.stringify({ known: { title, authors, doi }, contribution }));
  return {
    status: 'success',
    manifest: {
      nodes: contribution.nodes.length,
      edges: contribution.edges.length,
      references: contribution.references.length,
    },
  };
};
export default extractOne;
