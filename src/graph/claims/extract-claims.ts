import { sha256 } from '../../base/index.ts';
import { RANK } from '../contribution.ts';
import type { Reading } from '../extract/reading.ts';
import { Statements, THIS_WORK } from '../extract/statements.ts';
import type { Claim } from './check-claims.ts';
import type { ClaimPassage } from './claim-passages.ts';
import { PROMPT_VERSION } from './prompt.ts';

/** Says what a model read out of a document: each claim with its quote, the model and the version of the question. */
export function extractClaims(
  reading: Reading,
  model: string,
  read: readonly { readonly passage: ClaimPassage; readonly claims: readonly Claim[] }[],
): Statements {
  const say = new Statements(reading);
  for (const { passage, claims } of read)
    for (const { statement, subject, relation, object, start, end } of claims) {
      const stretch = { start: passage.stretch.start + start, end: passage.stretch.start + end };
      const quote = passage.text.slice(start, end);
      const id = sha256(JSON.stringify([reading.owner, quote, statement, subject, relation, object])).slice(0, 24);
      const claim = say.node('claim', id, statement, { rank: RANK.guess, data: { subject, relation, object } });
      say.edge(
        { source: THIS_WORK, kind: 'states', target: claim },
        { block: passage.block, stretch },
        { name: 'claim-model', version: PROMPT_VERSION },
        { detail: { model, prompt: PROMPT_VERSION, section: passage.section } },
      );
    }
  return say;
}
