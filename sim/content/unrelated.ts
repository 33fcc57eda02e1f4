import { draftAbstract, draftTitle } from './draft.ts';
import type { PaperSpec } from './paper.ts';
import { renderPdf } from './pdf/render-pdf.ts';
import { writePaper } from './write-paper.ts';

/** A valid PDF of a work that is not in the world, for URLs that serve the wrong file. */
export async function renderUnrelatedPdf(spec: Pick<PaperSpec, 'seed' | 'workId' | 'year'>): Promise<Uint8Array> {
  const seed = `unrelated to ${spec.seed} ${spec.workId}`;
  const subject = { seed, topic: 'Medieval roof tiles', language: 'en' };
  const paper = writePaper({
    ...subject,
    workId: `${spec.workId}-unrelated`,
    title: draftTitle(subject),
    abstract: draftAbstract(subject),
    authors: [{ name: 'Nemo Nowhere', affiliation: 'Institute of Misplaced Files' }],
    year: spec.year,
    references: [],
  });
  return renderPdf(paper, 'L1');
}
