import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { canonicalJson, sha256, sha256File } from '../../base/index.ts';
import { blocksPath, parsedDocuments, sidecarPath } from '../../parse/index.ts';
import type { StagePlan, WorkerModule, WorkItem } from '../../stage/index.ts';
import { TAGGER_VERSION } from '../../tagger/index.ts';
import { EXTRACTION_VERSION } from '../extract/extract-document.ts';
import type { GraphStageSettings } from './worker.ts';

const FACTS_FOLDER = 'GraphFacts';

export const graphWorker: WorkerModule = {
  module: new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url),
};

export async function graphPlan(
  dataRoot: string,
  settings: GraphStageSettings,
): Promise<StagePlan & { readonly items: WorkItem[] }> {
  const vocabulary = settings.vocabulary === null ? null : await sha256File(settings.vocabulary);
  const cfgHash = sha256(
    canonicalJson({ version: EXTRACTION_VERSION, vocabulary, tagger: settings.entities ? TAGGER_VERSION : null }),
  );
  const items = documentItems(dataRoot, cfgHash, (document) => ({ facts: factsPath(dataRoot, document) }));
  return { stageName: 'graph', items, totalItems: items.length };
}

export function documentItems(
  dataRoot: string,
  cfgHash: string,
  outputs: (document: string) => WorkItem['outputs'],
): WorkItem[] {
  return parsedDocuments(dataRoot).map((itemId) => {
    const sidecar = sidecarPath(dataRoot, itemId);
    const blocks = blocksPath(dataRoot, itemId);
    return {
      itemId,
      inputs: { blocks, ...(existsSync(sidecar) && { sidecar }) },
      outputs: outputs(itemId),
      cfgHash,
      costHint: statSync(blocks).size,
    };
  });
}

export function factsPath(dataRoot: string, document: string): string {
  return join(dataRoot, FACTS_FOLDER, `${document}.json`);
}
