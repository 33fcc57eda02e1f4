import { visibleText } from '../../base/index.ts';
import { namesNoWork } from '../../download/index.ts';
import { apaCitation, citationKey, retractionOf, yearOf } from '../../works/index.ts';
import type { ExportedWork } from './exported-work.ts';

/** A note about a work: its name without an ending, and its text. */
export interface Note {
  readonly name: string;
  readonly text: string;
}

/** Notes as Obsidian keeps them, one per work, linked to those it cites. */
export function* obsidianNotes(works: Iterable<ExportedWork>): Generator<Note> {
  const all = [...works].filter(({ reason, isOtherVersion }) => !namesNoWork(reason) && !isOtherVersion);
  const taken = new Set<string>();
  const names = new Map(all.map(({ record }) => [record.id, `@${citationKey(record, taken)}`]));
  for (const { record, file, license } of all) {
    const cited = record.references.flatMap((id) => names.get(id) ?? []);
    const front: Record<string, unknown> = {
      title: record.title,
      authors: record.authors.map(({ name }) => name),
      year: yearOf(record),
      venue: record.venue,
      doi: record.ids.doi,
      license,
      tags: record.keywords.map((word) => word.replaceAll(/[^\p{L}\p{N}]+/gu, '-')),
    };
    // JSON is YAML: every value is quoted as it should be.
    const head = Object.entries(front)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
    const parts = [
      `---\n${head.join('\n')}\n---`,
      ...(retractionOf(record) ? ['> [!danger] This work was retracted.'] : []),
      plainText(apaCitation(record)),
      ...(file === null ? [] : [`[Full text](<${file.split('\\').join('/')}>)`]),
      ...(record.abstract === null ? [] : [`## Abstract\n\n${plainText(record.abstract)}`]),
      ...(cited.length === 0 ? [] : [`## Cites\n\n${cited.map((name) => `- [[${name}]]`).join('\n')}`]),
    ];
    yield { name: names.get(record.id) ?? '@unnamed', text: `${parts.join('\n\n')}\n` };
  }
}

/** Text of a catalogue as Markdown that shows it: no HTML, links, embedded notes, code or headings of its author's. */
function plainText(text: string): string {
  const oneLine = visibleText(text).replaceAll(/\s+/g, ' ').trim();
  return oneLine.replaceAll(/[\\`*_[\]<>#|!{}$~=^%]/g, (character) => `\\${character}`);
}
