import { EDGE_KINDS, NODE_KINDS } from '../../src/graph/index.ts';
import { cell, markdownTable, sourceFiles } from './source-text.ts';

/** docs/reference/graph.md: what the graph is made of, from its schema. */
export function graphPage(): string {
  const [migration] = sourceFiles('sql/graph/sqlite/0001_*.sql');
  const tables = [...(migration?.text ?? '').matchAll(/CREATE TABLE (\w+) \(([\s\S]*?)\n\)/g)].map(
    ([, name = '', body = '']) => {
      const columns = body
        .split('\n')
        .flatMap((line) => /^ {2}([a-z_0-9]+) (?:TEXT|INTEGER|REAL)/.exec(line)?.[1] ?? []);
      return [`\`${name}\``, columns.map((column) => `\`${column}\``).join(', ')];
    },
  );
  return [
    '# The graph',
    'One SQLite file, `Graph/graph.sqlite` in the folder of a corpus. Ask it with `docstokg graph …`, in a program with `openGraph`, or with `docstokg graph sql`.',
    '## Nodes',
    'A node has an id made from content, which begins with its kind (`work:doi:10.1000/182`), and a key of eleven characters, the hash of that id, by which edges name it.',
    markdownTable(
      ['kind', 'what it is'],
      Object.entries(NODE_KINDS).map(([kind, what]) => [`\`${kind}\``, cell(what)]),
    ),
    '## Edges',
    'Every edge has at least one row of evidence.',
    markdownTable(
      ['kind', 'from what to what'],
      Object.entries(EDGE_KINDS).map(([kind, what]) => [`\`${kind}\``, cell(what)]),
    ),
    '## Evidence',
    [
      'Where an edge was read: the document (`owner`), the hash of its file, the block in reading order, `start_at` and `end_at` in the text of that block, the `quote` that stands there, page and boxes (page, left, top, right, bottom in points);',
      'or `origin` and `read_at`, the catalogue and when it was asked. Always the method, its version, a score from 0 to 1, and `detail`. For `table-cell` the offsets count in the text of the cell that `detail` names by row and column.',
    ].join('\n'),
    '## Tables',
    markdownTable(['table', 'columns'], tables),
  ].join('\n\n');
}
