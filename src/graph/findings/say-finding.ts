import { sha256 } from '../../base/index.ts';
import type { Method, Statements } from '../extract/reading.ts';
import type { TextPlace } from '../schema.ts';
import type { Finding } from './finding.ts';

/** Says a finding with the sentence that states it: its node, and the edge from the work. */
export function sayFinding(
  say: Statements,
  finding: Finding,
  place: TextPlace,
  said: { readonly owner: string; readonly method: Method; readonly score: number; readonly detail: object },
): void {
  const { subject, relation, object } = finding;
  const id = sha256(JSON.stringify([said.owner, place.quote, subject, relation, object])).slice(0, 24);
  const target = say.node('finding', id, `${subject} · ${relation} · ${object}`, { data: { ...finding } });
  say.edge({ kind: 'states', target, score: said.score }, place, said.method, { ...said.detail });
}
