import type { Contribution, EdgeStatement, MetadataPlace, NodeStatement, TextPlace } from '../contribution.ts';
import { RANK } from '../contribution.ts';
import type { FoundWork, KeptAnswer } from './reference-answers.ts';

const METHOD = { method: 'reference-lookup', version: 1 };

/** What a document says, with its references that a catalogue knows the works of: those need no comparison any more. */
export function withAnswers(
  contribution: Contribution,
  answerTo: (text: string) => KeptAnswer | undefined,
): Contribution {
  const nodes: NodeStatement[] = [];
  const edges: EdgeStatement[] = [];
  const references = contribution.references.filter(({ id, text, place }) => {
    const kept = answerTo(text);
    if (kept?.answer.kind !== 'found') return true;
    const { answer: found, origin, readAt } = kept;
    const target = `work:doi:${found.doi.toLowerCase()}`;
    if (target === contribution.work) return true;
    nodes.push(nodeOf(target, found));
    // The entry of the list says that something is cited, the catalogue what.
    const places: readonly (TextPlace | MetadataPlace)[] = [place, { kind: 'metadata', origin, readAt }];
    for (const each of places) {
      const score = Math.round(found.score * 1000) / 1000;
      const evidence = {
        place: each,
        ...METHOD,
        score,
        detail: { identifier: `doi:${found.doi.toLowerCase()}`, origin },
      };
      edges.push({ source: id, kind: 'resolves_to', target, evidence });
      edges.push({ source: contribution.work, kind: 'cites', target, evidence });
    }
    return false;
  });
  if (nodes.length === 0) return contribution;
  return {
    ...contribution,
    nodes: [...contribution.nodes, ...nodes],
    edges: [...contribution.edges, ...edges],
    references,
  };
}

function nodeOf(id: string, { title, authors, year, venue }: FoundWork): NodeStatement {
  return {
    id,
    kind: 'work',
    label: title.slice(0, 500),
    year,
    rank: RANK.reference,
    data: { title, authors, year, source: venue, volume: null, pages: null },
  };
}
