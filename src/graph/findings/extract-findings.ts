import type { HeadedSection } from '../../parse/index.ts';
import type { Callout } from '../extract/callouts-author-year.ts';
import type { Reading, Statements } from '../extract/reading.ts';
import type { TaggedDocument, TaggedEntity } from '../extract/tagging.ts';
import { placeKey } from '../extract/tagging.ts';
import type { Finding } from './finding.ts';
import { readFindings } from './read-finding.ts';
import { sayFinding } from './say-finding.ts';

const METHOD = { name: 'finding-form', version: 5 };
/** How sure a finding is that was read by the form of its sentence: the share that was right when papers were read. */
const SCORE = 0.8;

/** Parts of a paper that do not tell what it found. */
const SILENT: ReadonlySet<HeadedSection> = new Set(['introduction', 'methods', 'front', 'references', 'back']);
/** In a discussion only sentences about the paper itself, or with numbers, are its findings. */
const OWN = /\b(?:our|we|this study|present study|current study|here)\b|\d[.,·]\d|\d ?%|\bp ?[<=]/iu;

/**
 * Says what the paper found, where the form of a sentence leaves no doubt and the tagger knows of what it speaks: results,
 * abstract and conclusions, without sentences that cite.
 */
export function extractFindings(
  reading: Reading,
  say: Statements,
  { tagged, callouts }: { readonly tagged: TaggedDocument; readonly callouts: readonly Callout[] },
): void {
  const named = Map.groupBy(tagged.entities, ({ block }) => block);
  const citing = new Set(
    callouts.flatMap(({ block, start }) => {
      const sentence = reading.sentenceAt(block, start);
      return sentence ? [placeKey(block, sentence.stretch.start)] : [];
    }),
  );
  for (const { block, section, part, sentences } of reading.prose) {
    if (block.kind !== 'text' || (part && SILENT.has(part))) continue;
    for (const stretch of sentences) {
      const text = block.text.slice(stretch.start, stretch.end);
      if (citing.has(placeKey(block.order, stretch.start)) || (part === 'discussion' && !OWN.test(text))) continue;
      // What a column or a page cut off is not understood whole.
      const findings = /[.!?][”"’')\]\d\s,–-]*$/u.test(text) ? readFindings(text) : [];
      if (findings.length === 0) continue;
      const entities = (named.get(block.order) ?? []).filter(
        ({ start, end }) => start >= stretch.start && end <= stretch.end,
      );
      const place = reading.place({ block: block.order, stretch });
      for (const finding of findings)
        if (isKnown(finding, entities, block.text))
          sayFinding(say, finding, place, { owner: reading.owner, method: METHOD, score: SCORE, detail: { section } });
    }
  }
}

/** Whether subject or object names something that the tagger knows; what a thing contains must be such a thing. */
function isKnown({ subject, relation, object }: Finding, entities: readonly TaggedEntity[], text: string): boolean {
  const names = (part: string): boolean =>
    entities.some(({ start, end }) => part.includes(text.slice(start, end).trim()));
  return relation === 'contains' ? names(object) : names(object) || names(subject);
}
