import type { Block, Cell, Link, ParsedDocument, Table } from '../../document.ts';
import { labelled } from './doctags.ts';
import { headerRows, ListTags, ownedCaptions } from './structure.ts';

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** No scripts and no external resources, whatever a document contains. */
const SAFE_PAGE = `default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'`;

export function writeHtmlPage(document: ParsedDocument): string {
  const { title, language } = document.metadata;
  return [
    '<!doctype html>',
    `<html lang="${escapeHtml(language ?? 'und')}">`,
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${escapeHtml(SAFE_PAGE)}">`,
    `<title>${escapeHtml(title ?? 'Document')}</title>`,
    '<style>body{max-width:50rem;margin:2rem auto;padding:0 1rem;font:1rem/1.5 system-ui,sans-serif}table{border-collapse:collapse}td,th{border:1px solid #999;padding:.2rem .5rem}figure{margin:1rem 0}pre{overflow:auto}</style>',
    '</head>',
    '<body>',
    '<article>',
    ...bodyLines(document),
    '</article>',
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

function bodyLines(document: ParsedDocument): string[] {
  const captions = ownedCaptions(document.blocks);
  const lines: string[] = [];
  const lists = new ListTags({ ordered: 'ol', unordered: 'ul' }, (tag) => lines.push(tag));
  let inReferences = false;
  for (const block of document.blocks) {
    if (block.kind === 'page_header' || block.kind === 'page_footer') continue;
    if (block.kind === 'caption' && captions.has(block.parent ?? -1)) continue;
    if (block.kind !== 'list_item') lists.close(0);
    if ((block.kind === 'reference') !== inReferences) {
      inReferences = !inReferences;
      lines.push(inReferences ? '<ol class="references">' : '</ol>');
    }
    lists.fit(block);
    lines.push(element(block, captions.get(block.order) ?? []));
  }
  lists.close(0);
  if (inReferences) lines.push('</ol>');
  return lines.filter((line) => line !== '');
}

function element(block: Block, captions: readonly Block[]): string {
  const shown = linked(block.text, block.links ?? []);
  const caption = captions.map((part) => linked(part.text, part.links ?? [])).join(' ');
  switch (block.kind) {
    case 'title':
      return `<h1>${shown}</h1>`;
    case 'heading': {
      const tag = `h${Math.min(6, block.level + 1)}`;
      return `<${tag}>${shown}</${tag}>`;
    }
    case 'list_item':
      return `<li>${shown}</li>`;
    case 'reference':
      return `<li>${linked(labelled(block.label, block.text), block.label === undefined ? (block.links ?? []) : [])}</li>`;
    case 'code':
      return `<figure><pre><code>${escapeHtml(block.text)}</code></pre>${figcaption(caption)}</figure>`;
    case 'formula':
      return `<p class="formula"><code>${shown}</code></p>`;
    case 'picture':
      return `<figure class="picture">${block.text === '' ? '' : `<p>${shown}</p>`}${figcaption(caption)}</figure>`;
    case 'table':
      return tableElement(block.table, caption);
    case 'footnote':
      return `<p class="footnote"><small>${shown}</small></p>`;
    case 'text':
    case 'caption':
    case 'page_header':
    case 'page_footer':
    default:
      return `<p>${shown}</p>`;
  }
}

function figcaption(caption: string): string {
  return caption === '' ? '' : `<figcaption>${caption}</figcaption>`;
}

function tableElement(table: Table, caption: string): string {
  const heads = headerRows(table);
  const rows = Map.groupBy(table.cells, (cell) => cell.row);
  const lines = Array.from(
    { length: table.rows },
    (_, row) => `<tr>${(rows.get(row) ?? []).map(cellElement).join('')}</tr>`,
  );
  const head = heads === 0 ? '' : `<thead>${lines.slice(0, heads).join('')}</thead>`;
  return `<table>${caption === '' ? '' : `<caption>${caption}</caption>`}${head}<tbody>${lines.slice(heads).join('')}</tbody></table>`;
}

function cellElement(cell: Cell): string {
  const tag = cell.kind === 'data' ? 'td' : 'th';
  const spans = `${cell.columnSpan > 1 ? ` colspan="${cell.columnSpan}"` : ''}${cell.rowSpan > 1 ? ` rowspan="${cell.rowSpan}"` : ''}`;
  const scope = cell.kind === 'row-header' ? ' scope="row"' : cell.kind === 'column-header' ? ' scope="col"' : '';
  return `<${tag}${spans}${scope}>${escapeHtml(cell.text)}</${tag}>`;
}

/** Text with its links; only web addresses become links. */
function linked(text: string, links: readonly Link[]): string {
  let html = '';
  let from = 0;
  for (const link of links.toSorted((a, b) => a.start - b.start)) {
    if (link.start < from || link.end > text.length || !/^https?:\/\//i.test(link.url)) continue;
    html += `${escapeHtml(text.slice(from, link.start))}<a href="${escapeHtml(link.url)}" rel="noreferrer nofollow">${escapeHtml(text.slice(link.start, link.end))}</a>`;
    from = link.end;
  }
  return html + escapeHtml(text.slice(from));
}
