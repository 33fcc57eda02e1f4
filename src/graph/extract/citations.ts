import { RANK } from '../contribution.ts';
import { CALLOUT_VERSION, findCallouts } from './callouts.ts';
import type { Reading } from './reading.ts';
import { referenceLabel } from '../link/parse-reference.ts';
import type { ListedReference } from './reference-list.ts';
import type { Statements } from './statements.ts';
import { THIS_WORK } from './statements.ts';

const LIST = { name: 'reference-list', version: 2 };
const IDENTIFIED = { name: 'reference-identifier', version: 1 };
const CALLOUT = { name: 'callout', version: CALLOUT_VERSION };

/** References of the list, the works that their identifiers name, and the sentences that point to them. */
export function extractCitations(reading: Reading, say: Statements): void {
  const { references, style, callouts } = findCallouts(reading.document.blocks);
  const ids = new Map(references.map((reference) => [reference.position, sayReference(reading, say, reference)]));
  for (const callout of callouts) {
    const sentence = reading.sentenceAt(callout.block, callout.start);
    if (!sentence) continue;
    const { stretch, section } = sentence;
    const passage = say.passage(callout.block, stretch, section);
    const printed = reading.document.blocks[callout.block]?.text.slice(callout.start, callout.end);
    for (const position of [...callout.references, ...callout.further]) {
      const reference = ids.get(position);
      if (reference === undefined) continue;
      say.edge({ source: passage, kind: 'mentions', target: reference }, { block: callout.block, stretch }, CALLOUT, {
        detail: { at: callout.start, printed, style, section },
      });
    }
  }
}

function sayReference(reading: Reading, say: Statements, reference: ListedReference): string {
  const { parsed, block } = reference;
  const printed = reading.document.blocks[block]?.text ?? '';
  const { text } = reference;
  const { label: _label, ...cited } = parsed;
  const id = say.node('reference', `${reading.owner}#${reference.position}`, text.replace(/\s+/g, ' ').trim(), {
    year: parsed.year,
    data: { position: reference.position, label: reference.label, ...cited },
  });
  const where = { block, stretch: { start: 0, end: printed.length } };
  say.edge({ source: THIS_WORK, kind: 'has_reference', target: id }, where, LIST, {
    detail: { position: reference.position },
  });
  const named =
    reference.doi !== null
      ? `doi:${reference.doi.toLowerCase()}`
      : reference.arxivId !== null
        ? `arxiv:${reference.arxivId}`
        : undefined;
  if (named === undefined) {
    say.references.push({ id, text, place: reading.place(block, where.stretch) });
    return id;
  }
  const work = say.node('work', named, referenceLabel(parsed, text), {
    year: parsed.year,
    rank: RANK.reference,
    data: { ...cited },
  });
  say.edge({ source: id, kind: 'resolves_to', target: work }, where, IDENTIFIED, { detail: { identifier: named } });
  say.edge({ source: THIS_WORK, kind: 'cites', target: work }, where, IDENTIFIED, { detail: { identifier: named } });
  return id;
}
