import { writeFile } from 'node:fs/promises';

import { oncePer } from '../../base/index.ts';
import { readBlockLines, readSidecar } from '../../parse/index.ts';
import type { StageWorker } from '../../stage/index.ts';
import { openTagger } from '../../tagger/index.ts';
import { extractDocument } from '../extract/extract-document.ts';
import { Reading } from '../extract/reading.ts';
import { tagDocument } from '../extract/tagging.ts';
import { Vocabulary, readVocabulary } from '../extract/vocabulary.ts';

export interface GraphStageSettings {
  /** Path of the user's vocabulary. */
  readonly vocabulary: string | null;
  /** Whether the tagger reads the sentences. */
  readonly entities: boolean;
}

const vocabularyOf = oncePer(async ({ vocabulary }: GraphStageSettings) =>
  vocabulary === null ? undefined : new Vocabulary(await readVocabulary(vocabulary)),
);

const taggerOf = oncePer(async ({ entities }: GraphStageSettings) =>
  entities ? await openTagger({ threads: 1 }) : undefined,
);

const extractOne: StageWorker = async (item, context) => {
  const settings = context.data as GraphStageSettings;
  const [vocabulary, tagger] = await Promise.all([vocabularyOf(settings), taggerOf(settings)]);
  const {
    title = null,
    authors,
    doi = null,
    source_sha256: fileSha256 = null,
  } = readSidecar(item.inputs['sidecar'] ?? '');
  const document = await readBlockLines(item.inputs['blocks'] ?? '');
  const tagged = tagger && (await tagDocument(new Reading(item.itemId, document, fileSha256), tagger));
  const contribution = extractDocument(item.itemId, document, {
    fileSha256,
    ...(tagged && { tagged }),
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
