import type { ParsedDocument } from '../../parse/index.ts';
import type { Contribution } from '../contribution.ts';
import { extractCitations } from './citations.ts';
import { extractAbbreviations, extractQuantities, extractResources } from './facts.ts';
import { extractFloats } from './floats.ts';
import { Reading } from './reading.ts';
import { Statements, THIS_WORK } from './statements.ts';
import { extractTerms } from './terms.ts';
import type { Vocabulary } from './vocabulary.ts';
import { extractVocabulary } from './vocabulary.ts';

/** Raised when the same document begins to say something else. */
export const EXTRACTION_VERSION = 8;

/** Everything that a parsed document says, for its work to be put in (`withWork`). */
export function extractDocument(
  owner: string,
  document: ParsedDocument,
  options: { readonly fileSha256?: string | null; readonly vocabulary?: Vocabulary } = {},
): Contribution {
  const fileSha256 = options.fileSha256 ?? null;
  const reading = new Reading(owner, document, fileSha256);
  const say = new Statements(reading);
  extractCitations(reading, say);
  extractAbbreviations(reading, say);
  extractQuantities(reading, say);
  extractResources(reading, say);
  extractFloats(reading, say);
  extractTerms(reading, say);
  if (options.vocabulary) extractVocabulary(reading, say, options.vocabulary);
  return { owner, work: THIS_WORK, fileSha256, nodes: say.nodes, edges: say.edges, references: say.references };
}
