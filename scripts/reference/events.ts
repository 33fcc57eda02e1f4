import { cell, markdownTable, sourceFiles, splitBracket } from './source-text.ts';

/** The members of a union of events: comment, kind, fields. */
function members(union: string): string[][] {
  return [...union.matchAll(/(?:\/\*\* (?<comment>[^*]*(?:\*(?!\/)[^*]*)*)\*\/\s*)?\| \{/g)].map((match) => {
    const { parts } = splitBracket(union, match.index + match[0].length - 1);
    const fields = parts.map((part) => /^(?:readonly )?(\w+)(\??):\s*(.*)$/s.exec(part));
    const kind = fields.find((field) => field?.[1] === 'kind')?.[3] ?? '';
    const others = fields
      .filter((field) => field && field[1] !== 'kind')
      .map((field) => `\`${field?.[1]}${field?.[2]}: ${field?.[3]}\``);
    const comment = match.groups?.['comment']?.replaceAll(/\s*\n\s*\* ?/g, ' ').trim() ?? '';
    if (comment === '') throw new Error(`the event ${kind} has no comment that says when it happens`);
    return [`\`${kind.replaceAll("'", '')}\``, cell(comment), cell(others.join(', '))];
  });
}

/** docs/reference/events.md: every union of events declared in a file called events.ts. */
export function eventsPage(): string {
  const unions = sourceFiles('src/**/events.ts').flatMap(({ file, text }) =>
    [...text.matchAll(/(?:\/\*\* ([^*]*)\*\/\n)?export type (\w+Event) =\n([\s\S]*?);\n(?=\n|$)/g)].map(
      ([, comment = '', name = '', union = '']) =>
        `## ${name}\n\n${comment.trim()} Declared in \`${file}\`.\n\n${markdownTable(['kind', 'when', 'with'], members(union))}`,
    ),
  );
  return [
    '# Events',
    'Events are passed to the `report` function as they happen; metrics, spans and logs are derived from them.',
    ...unions,
  ].join('\n\n');
}
