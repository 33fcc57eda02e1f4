import type { Block, Cell, ParsedDocument, Table } from '../../document.ts';
import { codeLanguage, labelOf } from './doctags.ts';

interface Node {
  readonly self_ref: string;
  readonly parent: { readonly $ref: string };
  readonly children: { readonly $ref: string }[];
  readonly [field: string]: unknown;
}

export function writeDoclingJson(
  { pages, blocks }: ParsedDocument,
  origin: { readonly name: string; readonly filename: string; readonly mimetype: string },
): string {
  const tree = new DoclingTree();
  for (const block of blocks) tree.add(block);
  const root = (layer: 'body' | 'furniture') => ({
    self_ref: `#/${layer}`,
    children: tree[layer],
    content_layer: layer,
    name: '_root_',
    label: 'unspecified',
  });
  const written = {
    schema_name: 'DoclingDocument',
    version: '1.5.0',
    name: origin.name,
    origin: { mimetype: origin.mimetype, binary_hash: 0, filename: origin.filename },
    furniture: root('furniture'),
    body: root('body'),
    groups: tree.groups,
    texts: tree.texts,
    pictures: tree.pictures,
    tables: tree.tables,
    key_value_items: [],
    form_items: [],
    pages: Object.fromEntries(
      pages.map(({ number, width, height }) => [number, { size: { width, height }, page_no: number }]),
    ),
  };
  return `${JSON.stringify(written)}\n`;
}

class DoclingTree {
  readonly texts: Node[] = [];
  readonly tables: Node[] = [];
  readonly pictures: Node[] = [];
  readonly groups: Node[] = [];
  readonly body: { readonly $ref: string }[] = [];
  readonly furniture: { readonly $ref: string }[] = [];
  readonly #refs = new Map<number, Node>();
  /** Lists that are open, outermost first. */
  #lists: Node[] = [];

  add(block: Block): void {
    if (block.kind !== 'list_item') this.#lists = [];
    const owner = block.parent === undefined ? undefined : this.#refs.get(block.parent);
    const layer = block.kind === 'page_header' || block.kind === 'page_footer' ? 'furniture' : 'body';
    const owned =
      owner && (block.kind === 'caption' || block.kind === 'footnote') && 'captions' in owner ? owner : undefined;
    const parent = owned ?? (block.kind === 'list_item' ? this.#list(block.depth) : undefined);
    const node = this.#node(block, layer, parent?.self_ref ?? `#/${layer}`);
    const ref = { $ref: node.self_ref };
    (parent?.children ?? this[layer]).push(ref);
    if (owned) (owned[block.kind === 'caption' ? 'captions' : 'footnotes'] as unknown[]).push(ref);
    this.#refs.set(block.order, node);
  }

  /** The list at a level: docling puts a nested list below the previous item. */
  #list(depth: number): Node {
    this.#lists.length = Math.min(this.#lists.length, depth + 1);
    while (this.#lists.length < depth + 1) {
      const outer = this.#lists.at(-1);
      const last = outer?.children.at(-1)?.$ref;
      const holder = this.texts.find((text) => text.self_ref === last) ?? outer;
      const group: Node = {
        self_ref: `#/groups/${this.groups.length}`,
        parent: { $ref: holder?.self_ref ?? '#/body' },
        children: [],
        content_layer: 'body',
        name: 'list',
        label: 'list',
      };
      this.groups.push(group);
      (holder?.children ?? this.body).push({ $ref: group.self_ref });
      this.#lists.push(group);
    }
    return this.#lists.at(-1) as Node;
  }

  #node(block: Block, layer: string, parent: string): Node {
    const base = {
      parent: { $ref: parent },
      children: [],
      content_layer: layer,
      label: labelOf(block.kind),
      prov: block.regions.map(({ page, box }) => ({
        page_no: page,
        bbox: { l: box.left, t: box.top, r: box.right, b: box.bottom, coord_origin: 'TOPLEFT' },
        charspan: [0, block.text.length],
      })),
    };
    const floating = { captions: [], references: [], footnotes: [] };
    if (block.kind === 'table')
      return push(this.tables, 'tables', { ...base, ...floating, data: tableData(block.table), annotations: [] });
    if (block.kind === 'picture') return push(this.pictures, 'pictures', { ...base, ...floating, annotations: [] });
    return push(this.texts, 'texts', {
      ...base,
      ...(block.kind === 'code' && { ...floating, code_language: codeLanguage(block.language) }),
      orig: block.text,
      text: block.text,
      ...(block.kind === 'heading' && { level: block.level }),
      ...(block.kind === 'list_item' && {
        enumerated: block.ordered,
        marker: block.marker ?? (block.ordered ? '1.' : '-'),
      }),
      ...(block.links?.length === 1 &&
        block.links[0]?.start === 0 &&
        block.links[0].end === block.text.length && { hyperlink: block.links[0].url }),
    });
  }
}

function push(into: Node[], name: string, fields: Omit<Node, 'self_ref'>): Node {
  const node = { self_ref: `#/${name}/${into.length}`, ...fields } as Node;
  into.push(node);
  return node;
}

function tableData(table: Table): Record<string, unknown> {
  return {
    table_cells: table.cells.map((cell: Cell) => ({
      row_span: cell.rowSpan,
      col_span: cell.columnSpan,
      start_row_offset_idx: cell.row,
      end_row_offset_idx: cell.row + cell.rowSpan,
      start_col_offset_idx: cell.column,
      end_col_offset_idx: cell.column + cell.columnSpan,
      text: cell.text,
      column_header: cell.kind === 'column-header',
      row_header: cell.kind === 'row-header',
      row_section: cell.kind === 'section-row',
      fillable: false,
    })),
    num_rows: table.rows,
    num_cols: table.columns,
  };
}
