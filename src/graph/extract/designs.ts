import { findDesigns } from '../names/study-designs.ts';
import { entityName } from './entity-names.ts';
import type { Reading, Statements } from './reading.ts';

const METHOD = { name: 'study-design', version: 1 };
const MOST_PLACES = 3;

/** A sentence about the paper itself, not about what others did. */
const OWN =
  /\b(?:we|our|this|present|herein)\b|\b(?:was|were) (?:conducted|performed|carried out|designed|undertaken)\b/iu;
const CITES = /\[\d|\(\d{1,3}(?:[,–-]\s?\d{1,3})*\)|et al|\b(?:previous|earlier|other|another|recent) /iu;

/** What others should do, how one reports, and what is planned is not what the paper did. */
const NOT_DONE =
  /\b(?:would|should|could|future|planned|will allow|methodology of|advisable|recommend\p{L}*|needed|ideal|preferable|may help|cannot|not (?:be )?possible|not an?|required|necessary|definitions?|defined as|explanations?|warranted|statement|checklist|reporting items|guidelines?)\b/iu;

/** Says the design of the study: named in the title, or in a sentence in which the paper speaks of itself. */
export function extractDesigns(reading: Reading, say: Statements): void {
  const times = new Map<string, number>();
  for (const { block, stretch, section } of ownSentences(reading)) {
    const text = reading.document.blocks[block]?.text.slice(stretch.start, stretch.end) ?? '';
    for (const { design, start, end } of findDesigns(text)) {
      // "case report forms"
      if (/^ forms?(?!\p{L})/iu.test(text.slice(end))) continue;
      const count = times.get(design) ?? 0;
      if (count >= MOST_PLACES) continue;
      times.set(design, count + 1);
      const target = say.node('method', `name:${entityName(design)}`, design);
      const detail = { at: stretch.start + start, printed: text.slice(start, end), section };
      say.edge({ kind: 'names', target }, { block, stretch }, METHOD, detail);
    }
  }
}

function* ownSentences(reading: Reading) {
  for (const { kind, order, text } of reading.document.blocks)
    if (kind === 'title' && text !== '') yield { block: order, stretch: { start: 0, end: text.length }, section: null };
  for (const { block, section, sentences } of reading.prose)
    for (const stretch of sentences) {
      const text = block.text.slice(stretch.start, stretch.end);
      if (OWN.test(text) && !CITES.test(text) && !NOT_DONE.test(text)) yield { block: block.order, stretch, section };
    }
}
