import { EDGE_KINDS, NODE_KINDS } from '../../src/graph/index.ts';
import { cell, markdownTable, sourceFiles } from './source-text.ts';

/** docs/reference/graph.md: what the graph is made of, from its schema. */
export function graphPage(): string {
  const [schema] = sourceFiles('sql/corpus/schema.sql');
  const graph = schema?.text.slice(schema.text.indexOf('create table graph_sources')) ?? '';
  const tables = [...graph.matchAll(/create table (\w+) \(([\s\S]*?)\n\)/g)].map(([, name = '', body = '']) => {
    const columns = body.split('\n').flatMap((line) => /^ {2}([a-z_0-9]+) (?:text|integer|real)/.exec(line)?.[1] ?? []);
    return [`\`${name}\``, columns.map((column) => `\`${column}\``).join(', ')];
  });
  return [
    '# The graph',
    'Tables of `corpus.sqlite` in the folder of a corpus. Query it with `docstokg graph …`, `docstokg graph list sql`, or `openGraph` in a program.',
    '## Nodes',
    'A node has an id derived from its content, which starts with its kind (`work:doi:10.1000/182`), and an eleven-character key, the hash of that id, used in edges.',
    markdownTable(
      ['kind', 'meaning'],
      Object.entries(NODE_KINDS).map(([kind, what]) => [`\`${kind}\``, cell(what)]),
    ),
    '## Edges',
    'Every edge has at least one row of evidence.',
    markdownTable(
      ['kind', 'meaning'],
      Object.entries(EDGE_KINDS).map(([kind, what]) => [`\`${kind}\``, cell(what)]),
    ),
    '## Evidence',
    [
      'The source of an edge: the document (`owner`), the hash of its file, the block in reading order, `start_at` and `end_at` in the text of that block, the `quote`, page and boxes (page, left, top, right, bottom in points);',
      'or `origin` and `read_at`, the catalogue and the time of the lookup. Always the method, its version, a score from 0 to 1, and `detail`. For `table-cell` the offsets refer to the text of the cell given by row and column in `detail`.',
    ].join('\n'),
    '## Tables',
    markdownTable(['table', 'columns'], tables),
  ].join('\n\n');
}
