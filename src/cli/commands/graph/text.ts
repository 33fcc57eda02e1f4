import type { GraphNode, Neighbour, ShownEvidence } from '../../../ask/index.ts';
import type { Terminal } from '../../terminal.ts';
import { plain } from '../../terminal.ts';

/** A node in one line: author, year and title of a work, the label of anything else, and its id. */
export function nodeLine(node: GraphNode, terminal: Terminal): string {
  return `${plain(nodeName(node))}  ${terminal.style('dim', plain(node.id))}`;
}

function nodeName(node: GraphNode): string {
  const label = node.label.replace(/\s+/g, ' ');
  const short = label.length > 140 ? `${label.slice(0, 139)}…` : label;
  if (node.kind !== 'work') return short;
  const authors = Array.isArray(node.data['authors']) ? (node.data['authors'] as string[]) : [];
  const who = authors[0] === undefined ? '' : authors.length > 1 ? `${authors[0]} et al. ` : `${authors[0]} `;
  return `${who}${node.year === null ? '' : `(${node.year}) `}${short}`;
}

/** The source of an edge: a quoted sentence with its page, or a catalogue. */
export function evidenceLine(evidence: ShownEvidence): string {
  if (evidence.quote === null)
    return `${evidence.origin ?? ''}${evidence.readAt === null ? '' : `, read ${evidence.readAt}`}`;
  const where = evidence.page === null ? evidence.document : `${evidence.document}, page ${evidence.page}`;
  const quote = evidence.quote.replace(/\s+/g, ' ');
  return `“${plain(quote.length > 240 ? `${quote.slice(0, 239)}…` : quote)}” (${plain(where)})`;
}

export function neighbourLines(neighbours: readonly Neighbour[], terminal: Terminal, withEvidence: boolean): string[] {
  const lines: string[] = [];
  let group = '';
  for (const { kind, direction, node, evidence } of neighbours) {
    const heading = direction === 'out' ? `${kind} →` : `← ${kind}`;
    if (heading !== group) lines.push(terminal.style('bold', heading));
    group = heading;
    lines.push(`  ${nodeLine(node, terminal)}`);
    if (withEvidence && evidence[0]) lines.push(`      ${terminal.style('dim', evidenceLine(evidence[0]))}`);
  }
  return lines;
}
