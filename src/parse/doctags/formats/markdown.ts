import type { Block, ParsedDocument, Table } from '../../document.ts';
import { labelled } from './doctags.ts';
import { ownedCaptions, tableTexts } from './structure.ts';

/** The document as Markdown (GitHub flavour); running heads and feet are left out. */
export function writeMarkdown(document: ParsedDocument): string {
  const owned = ownedCaptions(document.blocks);
  const parts: string[] = [];
  let previous: Block['kind'] | undefined;
  for (const block of document.blocks) {
    if (block.kind === 'page_header' || block.kind === 'page_footer') continue;
    if (block.kind === 'caption' && owned.has(block.parent ?? -1)) continue;
    const captions = (owned.get(block.order) ?? []).map((caption) => escapeText(caption.text));
    const text = [...captions, blockText(block)].filter((part) => part !== '').join('\n\n');
    if (text === '') continue;
    const tight = (block.kind === 'list_item' || block.kind === 'reference') && previous === block.kind;
    parts.push(parts.length === 0 ? '' : tight ? '\n' : '\n\n', text);
    previous = block.kind;
  }
  return `${parts.join('')}\n`;
}

function blockText(block: Block): string {
  switch (block.kind) {
    case 'title':
      return `# ${escapeText(block.text)}`;
    case 'heading':
      return `${'#'.repeat(Math.min(6, block.level + 1))} ${escapeText(block.text)}`;
    case 'list_item': {
      const bullet = block.ordered ? (/^\d{1,9}[.)]$/.test(block.marker ?? '') ? (block.marker ?? '1.') : '1.') : '-';
      return `${'    '.repeat(block.depth)}${bullet} ${escapeText(block.text)}`;
    }
    case 'code':
      return fenced(block.text, block.language);
    case 'formula':
      return block.text === '' ? '' : `$$\n${block.text}\n$$`;
    case 'picture':
      return block.text === '' ? '<!-- image -->' : `<!-- image: ${block.text.replaceAll('--', '––')} -->`;
    case 'table':
      return pipeTable(block.table);
    case 'reference':
      return `- ${escapeText(labelled(block.label, block.text))}`;
    case 'page_header':
    case 'page_footer':
      return '';
    case 'text':
    case 'caption':
    case 'footnote':
    default:
      return escapeStart(escapeText(block.text));
  }
}

function fenced(text: string, language: string | undefined): string {
  // The fence must be longer than any run of back-ticks inside.
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), (run) => run[0].length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${(language ?? '').replace(/[^\w+#-]/g, '')}\n${text}\n${fence}`;
}

function pipeTable(table: Table): string {
  if (table.rows === 0 || table.columns === 0) return '';
  const [head = [], ...body] = tableTexts(table).map((line) =>
    line.map((text) => escapeText(text).replaceAll('|', '\\|').replaceAll('\n', ' ')),
  );
  return [head, head.map(() => '-'), ...body].map((line) => `| ${line.join(' | ')} |`).join('\n');
}

/** Only what Markdown would take for markup is escaped, so that text stays readable. */
function escapeText(text: string): string {
  return text
    .replace(/[\\`*<]/g, '\\$&')
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_')
    .replace(/\](?=[([])/g, '\\]');
}

function escapeStart(text: string): string {
  return text.replace(/^(#{1,6}(?=\s)|[-+>](?=\s)|\|)/, '\\$1').replace(/^(\d{1,9})([.)])(?=\s)/, '$1\\$2');
}
