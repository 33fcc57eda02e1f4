import type { ParsedDocument } from '../../parse/index.ts';
import type { Contribution } from '../schema.ts';
import { RANK } from '../schema.ts';
import { extractDesigns } from './designs.ts';
import { extractEntities } from './entities.ts';
import { extractAbbreviations, extractQuantities, extractResources } from './facts.ts';
import { extractFloats } from './floats.ts';
import { extractFunding } from './funding.ts';
import { extractPopulation } from './population.ts';
import { extractProcedures } from './procedures.ts';
import { Reading, Statements, THIS_WORK } from './reading.ts';
import type { TaggedDocument } from './tagging.ts';
import { placeKey } from './tagging.ts';
import { extractTerms } from './terms.ts';
import type { Vocabulary } from './vocabulary.ts';
import { extractVocabulary, identifyByVocabulary } from './vocabulary.ts';
import { extractFindings } from '../findings/extract-findings.ts';
import type { Callout } from './callouts-author-year.ts';
import { CALLOUT_VERSION, findCallouts } from './callouts.ts';
import { referenceLabel } from '../link/parse-reference.ts';
import type { ListedReference } from './reference-list.ts';

/** Raised when extraction from the same document changes. */
export const EXTRACTION_VERSION = 30;

/** Extracts all statements of a parsed document; `withWork` fills in the work's id. */
export function extractDocument(
  owner: string,
  document: ParsedDocument,
  options: {
    readonly fileSha256?: string | null;
    readonly vocabulary?: Vocabulary;
    readonly tagged?: TaggedDocument;
  } = {},
): Contribution {
  const fileSha256 = options.fileSha256 ?? null;
  const reading = new Reading(owner, document, fileSha256);
  const say = new Statements(reading);
  const callouts = extractCitations(reading, say, options.tagged);
  extractAbbreviations(reading, say);
  extractQuantities(reading, say, options.tagged);
  extractResources(reading, say);
  extractFloats(reading, say);
  extractTerms(reading, say);
  extractDesigns(reading, say);
  extractFunding(reading, say);
  extractProcedures(reading, say);
  extractPopulation(reading, say);
  extractEntities(reading, say, options.tagged ?? { entities: [], cells: [] });
  if (options.tagged) extractFindings(reading, say, { tagged: options.tagged, callouts });
  if (options.vocabulary) {
    extractVocabulary(reading, say, options.vocabulary);
    identifyByVocabulary(say, options.vocabulary);
  }
  return { owner, work: THIS_WORK, fileSha256, nodes: say.nodes, edges: say.edges, references: say.references };
}

const LIST = { name: 'reference-list', version: 2 };
const IDENTIFIED = { name: 'reference-identifier', version: 1 };
const CALLOUT = { name: 'callout', version: CALLOUT_VERSION };

function extractCitations(reading: Reading, say: Statements, tagged?: TaggedDocument): readonly Callout[] {
  const { references, style, callouts } = findCallouts(reading.document.blocks);
  const ids = new Map(references.map((reference) => [reference.position, sayReference(reading, say, reference)]));
  for (const callout of callouts) {
    const sentence = reading.sentenceAt(callout.block, callout.start);
    if (!sentence) continue;
    const { section } = sentence;
    const source = say.passage(sentence);
    const printed = reading.document.blocks[callout.block]?.text.slice(callout.start, callout.end);
    for (const position of [...callout.references, ...callout.further]) {
      const target = ids.get(position);
      if (target === undefined) continue;
      const intent = intentOf(tagged, callout.block, sentence.stretch.start);
      const detail = { at: callout.start, printed, style, section, ...(intent && { intent }) };
      say.edge({ source, kind: 'mentions', target }, sentence, CALLOUT, detail);
    }
  }
  return callouts;
}

/** How sure the tagger must be why a sentence cites. Results are least often right, so they need most. */
const SURE_INTENT = { background: 0.6, method: 0.6, result: 0.9 } as const;

function intentOf(tagged: TaggedDocument | undefined, block: number, start: number): string | undefined {
  const read = tagged?.intents.get(placeKey(block, start));
  return read && read.sure >= SURE_INTENT[read.intent] ? read.intent : undefined;
}

function sayReference(reading: Reading, say: Statements, reference: ListedReference): string {
  const { parsed, block, text } = reference;
  const printed = reading.document.blocks[block]?.text ?? '';
  const { label: _label, ...cited } = parsed;
  const id = say.node('reference', `${reading.owner}#${reference.position}`, text.replace(/\s+/g, ' ').trim(), {
    year: parsed.year,
    data: { position: reference.position, label: reference.label, ...cited },
  });
  const where = { block, stretch: { start: 0, end: printed.length } };
  say.edge({ kind: 'has_reference', target: id }, where, LIST, { position: reference.position });
  const named =
    reference.doi !== null
      ? `doi:${reference.doi.toLowerCase()}`
      : reference.arxivId !== null
        ? `arxiv:${reference.arxivId}`
        : undefined;
  if (named === undefined) {
    say.references.push({ id, text, place: reading.place(where) });
    return id;
  }
  const work = say.node('work', named, referenceLabel(parsed, text), {
    year: parsed.year,
    rank: RANK.reference,
    data: { ...cited },
  });
  say.edge({ source: id, kind: 'resolves_to', target: work }, where, IDENTIFIED, { identifier: named });
  say.edge({ kind: 'cites', target: work }, where, IDENTIFIED, { identifier: named });
  return id;
}
