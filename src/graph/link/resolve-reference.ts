import { sha256 } from '../../base/index.ts';
import type { EdgeStatement, NodeStatement, TextPlace } from '../contribution.ts';
import { RANK } from '../contribution.ts';
import { lettersOf } from './letters.ts';
import type { CitedWork } from './link.ts';
import { LINK_VERSION, linkReference, readPrintedReference } from './link.ts';
import { parseReference, referenceLabel } from './parse-reference.ts';

/** What a reference without an identifier adds to the graph: edges to one of the candidates, else to a work known by its print alone. */
export function resolveReference(
  reference: { readonly node: string; readonly work: string; readonly text: string; readonly place: TextPlace },
  candidates: readonly (readonly [id: string, work: CitedWork])[],
): { readonly nodes: readonly NodeStatement[]; readonly edges: readonly EdgeStatement[] } {
  const { node, work, text, place } = reference;
  const link = linkReference(readPrintedReference(text), candidates);
  const printed = link ? undefined : printedWork(text);
  const target = link?.work ?? printed?.id ?? '';
  const evidence = {
    place,
    method: link ? 'reference-match' : 'reference-print',
    version: LINK_VERSION,
    score: link ? thousandths(link.score) : 1,
    detail: link ? { ...link.agreement, title: thousandths(link.agreement.title ?? 0) } : {},
  };
  return {
    nodes: printed ? [printed] : [],
    edges: [
      { source: node, kind: 'resolves_to', target, evidence },
      { source: work, kind: 'cites', target, evidence },
    ],
  };
}

function thousandths(value: number): number {
  return Math.round(value * 1000) / 1000;
}

/** A work that is known by its print alone: equal prints of author, year and title (or place) are one work. */
function printedWork(text: string): NodeStatement {
  const { label: _label, ...parsed } = parseReference(text);
  const what =
    lettersOf(parsed.title ?? '') || `${lettersOf(parsed.source ?? '')}/${parsed.volume ?? ''}/${parsed.pages ?? ''}`;
  const known = parsed.authors.length > 0 && parsed.year !== null && what.length > 4;
  const print = known ? `${lettersOf(parsed.authors[0] ?? '')}/${parsed.year ?? ''}/${what}` : lettersOf(text);
  return {
    id: `work:printed:${sha256(print).slice(0, 24)}`,
    kind: 'work',
    label: referenceLabel(parsed, text),
    year: parsed.year,
    rank: RANK.guess,
    data: { ...parsed } satisfies CitedWork,
  };
}

/** What the data of a work's node says that references are compared with. */
export function citedWorkOf(data: string): CitedWork {
  const { title, authors, year, source, volume, pages } = JSON.parse(data) as Partial<CitedWork>;
  return {
    title: title ?? null,
    authors: authors ?? [],
    year: year ?? null,
    source: source ?? null,
    volume: volume ?? null,
    pages: pages ?? null,
  };
}
