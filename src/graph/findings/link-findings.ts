import { entityName } from '../extract/entity-names.ts';
import type { Contribution, EdgeKind, EdgeStatement } from '../schema.ts';
import { thousandths } from '../schema.ts';

/** Raised when the same findings are linked to other entities. */
export const FINDING_LINK_VERSION = 1;

/** The parts of a finding and the edges from it to what they name. */
const PARTS = {
  subject: 'has_subject',
  object: 'has_object',
  population: 'in_population',
  comparator: 'compared_with',
} as const satisfies Readonly<Record<string, EdgeKind>>;

/** Kinds of edges by which a paper names something. */
const NAMING: ReadonlySet<EdgeKind> = new Set(['names', 'uses', 'defines', 'about']);

/** Adds edges from the findings of a paper to the entities and terms that their parts name. */
export function linkFindings(contribution: Contribution): Contribution {
  const { nodes, edges } = contribution;
  const findings = new Map(nodes.flatMap(({ id, kind, data }) => (kind === 'finding' ? [[id, data] as const] : [])));
  if (findings.size === 0) return contribution;
  const known = namesIn(contribution);
  const links: EdgeStatement[] = [];
  for (const { kind, target: finding, evidence } of edges) {
    const data = kind === 'states' ? findings.get(finding) : undefined;
    if (!data) continue;
    for (const [part, edge] of Object.entries(PARTS))
      for (const { target, name } of namedIn(data[part], known))
        links.push({
          source: finding,
          kind: edge,
          target,
          evidence: {
            ...evidence,
            method: 'finding-names',
            version: FINDING_LINK_VERSION,
            score: thousandths(evidence.score),
            detail: { name },
          },
        });
  }
  return { ...contribution, edges: [...edges, ...links] };
}

/** The names of what a paper names, as they are printed there, the longest first; entities before terms. */
function namesIn({ nodes, edges }: Contribution): (readonly [name: string, target: string])[] {
  const labels = new Map(nodes.map(({ id, label, data }) => [id, [label, data['abbreviation']]] as const));
  const names = new Map<string, string>();
  const isTerm = (id: string | undefined): boolean => id === undefined || /^(?:term|topic):/.test(id);
  for (const { kind, target, evidence } of edges) {
    if (!NAMING.has(kind)) continue;
    for (const printed of [evidence.detail['printed'], ...(labels.get(target) ?? [])]) {
      const name = typeof printed === 'string' ? entityName(printed) : '';
      if (name.length >= 2 && isTerm(names.get(name))) names.set(name, target);
    }
  }
  return [...names].sort(([a], [b]) => b.length - a.length || (a < b ? -1 : 1));
}

function* namedIn(
  text: unknown,
  names: readonly (readonly [name: string, target: string])[],
): Generator<{ readonly target: string; readonly name: string }> {
  if (typeof text !== 'string') return;
  // Each word with and without its plural, as names have the last word in the singular.
  let rest = ` ${text
    .split(/\s+/)
    .map((word) => entityName(word))
    .join(' ')} `.replaceAll(/\s+/g, ' ');
  const seen = new Set<string>();
  for (const [name, target] of names) {
    const spelt = name
      .split(' ')
      .map((word) => entityName(word))
      .join(' ');
    if (!rest.includes(` ${spelt} `)) continue;
    rest = rest.replaceAll(` ${spelt} `, ' | ');
    if (!seen.has(target)) yield { target, name };
    seen.add(target);
  }
}
