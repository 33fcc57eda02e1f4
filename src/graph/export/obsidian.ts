import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

import type { Graph } from '../ask/graph.ts';
import { nodesOf } from './rows.ts';
import { shortLabel } from './json-forms.ts';
import { writeText } from './write-text.ts';

/** Names the notes that we have written. */
const LIST = '.docstokg-notes.json';

/** A note for every work, author, term and program, with links between them; the sentences stand beside the links. */
export async function writeVault(graph: Graph, folder: string): Promise<void> {
  const list = join(folder, LIST);
  const before = existsSync(list) ? (JSON.parse(await readFile(list, 'utf8')) as string[]) : [];
  const written: string[] = [];
  const shown = new Set([
    'work',
    'author',
    'term',
    'software',
    'dataset',
    'material',
    'venue',
    'topic',
    'institution',
    'funder',
  ]);
  for (const node of nodesOf(graph)) {
    if (!shown.has(node.kind)) continue;
    const lines = [
      '---',
      `id: ${JSON.stringify(node.id)}`,
      `kind: ${node.kind}`,
      ...(node.year === null ? [] : [`year: ${node.year}`]),
      `aliases: [${JSON.stringify(node.kind === 'work' ? shortLabel(node) : node.label)}]`,
      '---',
      '',
      `# ${node.label.replace(/\s+/g, ' ')}`,
      '',
    ];
    let group = '';
    for (const { kind, direction, node: other, evidence } of graph.neighbours(node.id, { limit: 500 })) {
      if (!shown.has(other.kind)) continue;
      const heading = direction === 'out' ? kind : `${kind} (from)`;
      if (heading !== group) lines.push(`## ${heading}`, '');
      group = heading;
      lines.push(
        `- [[${noteName(other.kind, other.id)}|${linkText(other.label)}]]${(evidence[0]?.quote ?? null) === null ? '' : ` — “${(evidence[0]?.quote ?? '').replace(/\s+/g, ' ').slice(0, 300)}”`}`,
      );
    }
    const note = `${node.kind}/${noteName(node.kind, node.id)}.md`;
    await writeText(join(folder, note), [lines.join('\n'), '\n']);
    written.push(note);
  }
  // Notes of things that have gone go too; notes of the reader's own are not in the list and stay.
  const kept = new Set(written);
  for (const note of before) if (!kept.has(note)) await rm(join(folder, note), { force: true });
  await writeText(list, [JSON.stringify(written.sort()), '\n']);
}

/** A file's name that any system takes, from the id. */
function noteName(kind: string, id: string): string {
  return id
    .slice(kind.length + 1)
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
    .slice(0, 120);
}

function linkText(label: string): string {
  return label.replace(/[[\]|\n]+/g, ' ').slice(0, 120);
}
