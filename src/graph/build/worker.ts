import { writeFile } from 'node:fs/promises';

import { oncePer } from '../../base/index.ts';
import { readBlockLines } from '../../parse/index.ts';
import type { StageWorker } from '../../stage/index.ts';
import { extractDocument } from '../extract/extract-document.ts';
import { Vocabulary, readVocabulary } from '../extract/vocabulary.ts';
import { readSidecar } from '../extract/reading.ts';

/** Settings passed to the workers. */
export interface GraphStageSettings {
  /** Path of the user's vocabulary. */
  readonly vocabulary: string | null;
}

const vocabularyOf = oncePer(async ({ vocabulary }: GraphStageSettings) =>
  vocabulary === null ? undefined : new Vocabulary(await readVocabulary(vocabulary)),
);

/** Extracts the facts of one document. The vocabulary is read once per worker. */
const extractOne: StageWorker = async (item, context) => {
  const vocabulary = await vocabularyOf(context.data as GraphStageSettings);
  const sidecar = await readSidecar(item);
  const contribution = extractDocument(item.itemId, await readBlockLines(item.inputs['blocks'] ?? ''), {
    fileSha256: sidecar.source_sha256 ?? null,
    ...(vocabulary && { vocabulary }),
  });
  const known = { title: sidecar.title ?? null, authors: sidecar.authors ?? [], doi: sidecar.doi ?? null };
  await writeFile(item.outputs['facts'] ?? '', JSON.stringify({ known, contribution }));
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
