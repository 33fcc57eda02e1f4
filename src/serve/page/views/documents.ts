import { useEffect, useRef, useState } from 'preact/hooks';

import type { DocumentLine, Passages, WholeDocument } from '../answers.ts';
import { counted } from '../format.ts';
import { marked } from '../marked.ts';
import { CopyButtons, filters, link, listTable, QueryField } from '../parts.ts';
import type { Scene, View } from '../scene.ts';
import { button, html, shown, useAnswer, usePaged, useScene } from '../scene.ts';

type Block = WholeDocument['blocks'][number];
type Mode = 'passages' | 'blocks' | 'headings' | 'figures';

const MODES: Readonly<Record<Mode, string>> = {
  passages: 'Passages',
  blocks: 'Blocks',
  headings: 'Headings',
  figures: 'Figures',
};
const PICTURE_PIXELS = 1_000;

interface Entry {
  readonly id: string;
  readonly head: string;
  readonly tone: string;
  readonly text: View;
  readonly blocks: readonly number[];
  readonly page: number | undefined;
}

export function DocumentsView(): View {
  const id = useScene().query.get('document');
  return id === null ? html`<${DocumentList} />` : html`<${DocumentView} id=${id} key=${id} />`;
}

function DocumentList(): View {
  const { query, place, runPath } = useScene();
  const q = query.get('q');
  const { rows, status, more } = usePaged<DocumentLine>(runPath('documents'), { q, limit: 50 }, 'document');
  const step = (value: string | null): string => (value === null ? '–' : value === 'failure' ? 'failed' : 'yes');
  return [
    filters(html`<${QueryField} name="Words" parameter="q" hint="words of a title" />`),
    status,
    listTable(
      'Parsed documents',
      ['Document', 'Year', 'Parsed', 'Chunked', 'Embedded'],
      rows.map((line) => ({
        key: line.id,
        head: html`<a href=${place('/documents', { document: line.id })}>${line.title ?? line.id}</a>
          <small>${line.authors ?? line.id}${line.failure === null ? '' : ` · ${line.failure}`}</small>`,
        cells: [line.year ?? '–', step(line.parsed), step(line.chunked), step(line.embedded)],
      })),
    ),
    more,
  ];
}

function DocumentView({ id }: { readonly id: string }): View {
  const { place, source, runPath } = useScene();
  const found = useAnswer<WholeDocument>(runPath('documents', id));
  const passages = useAnswer<Passages>(runPath('documents', id, 'passages'));
  const file = source.file(runPath('documents', id, 'file'));
  return [
    html`<p><a href=${place('/documents')}>← All documents</a></p>`,
    found.kind !== 'answered' || passages.kind === 'waiting'
      ? shown(found, () => html`<p class="hint" role="status">Loading …</p>`)
      : html`<${Viewer}
          document=${found.value}
          file=${file}
          passages=${passages.kind === 'answered' ? passages.value.items : []}
        />`,
    // Scans without text and files that were not parsed can still be opened.
    found.kind === 'failed' && file !== undefined && html`<p>${link(file, 'Open the file')}</p>`,
  ];
}

function Viewer(props: {
  readonly document: WholeDocument;
  readonly file: string | undefined;
  readonly passages: Passages['items'];
}): View {
  const { document: found, file, passages } = props;
  const scene = useScene();
  const { query, set, place } = scene;
  const [named, passage] = [query.get('block'), passages.find(({ id }) => id === query.get('passage'))];
  const [mode, setMode] = useState<Mode>(named !== null || (passages.length === 0 && !passage) ? 'blocks' : 'passages');
  const [lit, setLit] = useState<readonly number[]>([]);
  const [pointed, setPointed] = useState<number>();
  const root = useRef<HTMLDivElement>(null);
  const numbers = found.pages.map(({ number }) => number);
  const selected = passage?.blocks ?? (named === null ? [] : [Number(named)]);
  const first = found.blocks.find(({ order }) => order === selected[0])?.regions[0]?.page;
  const requested = Number(query.get('page') ?? first ?? passage?.page);
  const page = numbers.includes(requested) ? requested : (numbers[0] ?? 0);
  const entries = entriesOf({ mode, found, passages, page, query });
  const turn = (to: number | undefined): void => {
    if (to !== undefined) set({ page: to, passage: '', block: '' });
  };
  const focusEntry = (block: number): void => {
    const at = entries.findIndex(({ blocks }) => blocks.includes(block));
    root.current?.querySelectorAll<HTMLElement>('[role=option]')[at]?.focus({ preventScroll: true });
  };
  useEffect(() => {
    if (selected.length === 0) return;
    focusEntry(selected[0] ?? 0);
    const [list, item] = ['.side', '[aria-selected=true]'].map((part) =>
      root.current?.querySelector<HTMLElement>(part),
    );
    if (list && item) list.scrollTop = item.offsetTop;
    root.current?.scrollIntoView({ block: 'start' });
    root.current?.querySelector('.box.lit')?.scrollIntoView({ block: 'nearest' });
  }, [query.get('passage'), named]);
  const choose = ({ blocks, page: on }: Entry): void => {
    if (on !== undefined && on !== page && numbers.includes(on)) turn(on);
    root.current?.querySelector(`.box[data-block="${blocks[0]}"]`)?.scrollIntoView({ block: 'center' });
  };
  const point = (block: number | undefined): void => {
    setPointed(block);
    setLit(block === undefined ? [] : [block]);
  };
  const boxProps = (block: Block): object => ({
    class: `box ${toneOf(block)} ${lit.includes(block.order) ? 'lit' : ''}`,
    'data-block': block.order,
    onMouseEnter: () => point(block.order),
    onMouseLeave: () => point(undefined),
    onClick: () => focusEntry(block.order),
  });
  const keys = (event: KeyboardEvent): void => {
    if (event.target instanceof HTMLInputElement || (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight')) return;
    event.preventDefault();
    const name = `${event.key === 'ArrowLeft' ? 'Previous' : 'Next'} ${event.shiftKey ? 'document' : 'page'}`;
    root.current?.querySelector<HTMLElement>(`[aria-label="${name}"]`)?.click();
  };
  const about = [found.authors, found.year, counted(found.blocks.length, 'block'), counted(passages.length, 'passage')];
  return html`<div class="viewer" ref=${root} onKeyDown=${keys}>
    <h2>${found.title ?? found.id}</h2>
    <p class="hint">
      ${`${about.filter((each) => each).join(' · ')} · `}${file === undefined ? 'file not in the run folder' : link(file, 'open the file')}
      ${found.work !== null && [' · ', html`<a href=${place('/works', { work: found.work })}>the work</a>`]}
    </p>
    <div class="choice">
      ${steps(found, page, turn, scene)}
      <${CopyButtons} ...${found} />
    </div>
    <div class="reader">
      <div class="desk">
        ${numbers.length === 0 ? flowSheet(found, boxProps) : html`<${PageSheet} found=${found} page=${page} boxProps=${boxProps} key=${page} />`}
      </div>
      <div class="beside">
        <div class="switch" role="group" aria-label="Listed beside the page">
          ${(Object.keys(MODES) as Mode[]).map((each) =>
            button(MODES[each], () => setMode(each), { 'aria-pressed': String(mode === each) }),
          )}
        </div>
        ${
          entries.length === 0
            ? html`<p class="hint">
                ${found.blocks.length === 0 ? 'No text was recognised: scanned pages need OCR.' : `No ${mode} here.`}
              </p>`
            : html`<${SideList}
                label=${MODES[mode]}
                entries=${entries}
                look=${setLit}
                choose=${choose}
                pointed=${pointed}
              />`
        }
      </div>
    </div>
  </div>`;
}

function entriesOf(props: {
  readonly mode: Mode;
  readonly found: WholeDocument;
  readonly passages: Passages['items'];
  readonly page: number;
  readonly query: URLSearchParams;
}): Entry[] {
  const { mode, found, passages, page, query } = props;
  const isFlow = found.pages.length === 0;
  const here = ({ regions }: Block): boolean => isFlow || regions.some((region) => region.page === page);
  const words = query.get('q') ?? '';
  if (mode === 'passages') {
    const onPage = new Set(found.blocks.filter(here).map(({ order }) => order));
    return passages.flatMap(({ id, headings, tokens, text, blocks, page: on }, at) =>
      on === page || blocks.some((block) => onPage.has(block))
        ? [
            {
              id,
              head: [at + 1, ...headings.slice(-2), counted(tokens, 'token')].join(' · '),
              tone: 'passage',
              text: marked(text.replaceAll(/\n{2,}/g, '\n'), words),
              blocks,
              page: undefined,
            },
          ]
        : [],
    );
  }
  const isListed: Readonly<Record<Exclude<Mode, 'passages'>, (block: Block) => boolean>> = {
    blocks: here,
    headings: ({ tag }) => tag === 'heading' || tag === 'title',
    figures: ({ tag }) => tag === 'picture' || tag === 'table',
  };
  return found.blocks.filter(isListed[mode]).map((block) => {
    const on = block.regions[0]?.page;
    const blockText =
      mode === 'figures'
        ? (block.caption ?? block.rows?.map((row) => row.join(' · ')).join('\n') ?? block.text)
        : block.text;
    const [start, end] = ['start', 'end'].map((name) => Number(query.get(name)));
    const isQuoted = String(block.order) === query.get('block') && block.rows === null && (end ?? 0) > 0;
    const quoted = [blockText.slice(0, start), html`<mark>${blockText.slice(start, end)}</mark>`, blockText.slice(end)];
    return {
      id: String(block.order),
      head: `${block.order} ${tagName(block)}${on === undefined || mode === 'blocks' ? '' : `, page ${on}`}`,
      tone: toneOf(block),
      text: isQuoted ? quoted : blockText === '' ? '(no text)' : marked(blockText, words),
      blocks: [block.order],
      page: on,
    };
  });
}

function tagName({ tag, level }: Block): string {
  return `${tag.replace('_', ' ')}${level === null ? '' : ` ${level}`}`;
}

function toneOf({ tag }: Block): string {
  return `block-${tag.split('_')[0]}`;
}

function steps(found: WholeDocument, page: number, turn: (to: number | undefined) => void, { place }: Scene): View {
  const numbers = found.pages.map(({ number }) => number);
  const at = numbers.indexOf(page);
  const step = (sign: string, label: string, to: number | undefined): View =>
    button(sign, () => turn(to), { 'aria-label': label, title: label, disabled: to === undefined });
  const document = (sign: string, label: string, to: string | null): View =>
    to !== null &&
    html`<a class="quiet" role="button" href=${place('/documents', { document: to })} aria-label=${label} title=${label}
      >${sign}</a
    >`;
  return html`<div class="steps">
    ${document('«', 'Previous document', found.before)} ${step('‹', 'Previous page', numbers[at - 1])}
    <span role="status" class="where">${numbers.length === 0 ? 'no pages' : `page ${page} of ${numbers.length}`}</span>
    ${step('›', 'Next page', numbers[at + 1])} ${document('»', 'Next document', found.after)}
  </div>`;
}

/** The side list: one tab stop, arrow keys move, and the focused entry is highlighted on the page. */
function SideList(props: {
  readonly label: string;
  readonly entries: readonly Entry[];
  readonly look: (blocks: readonly number[]) => void;
  readonly choose: (entry: Entry) => void;
  readonly pointed: number | undefined;
}): View {
  const { label, entries, look, choose, pointed } = props;
  const list = useRef<HTMLOListElement>(null);
  const [at, setAt] = useState(-1);
  const item = (index: number): HTMLElement | undefined =>
    list.current?.querySelectorAll<HTMLElement>('[role=option]')[index];
  const holds = ({ blocks }: Entry): boolean => pointed !== undefined && blocks.includes(pointed);
  useEffect(() => {
    // Scroll only the list, not the page.
    const [box, target] = [list.current, item(entries.findIndex(holds))];
    if (!box || !target) return;
    const [from, to] = [target.offsetTop, target.offsetTop + target.offsetHeight];
    if (from < box.scrollTop || to > box.scrollTop + box.clientHeight) box.scrollTop = from - 8;
  }, [pointed]);
  const keys = (event: KeyboardEvent): void => {
    const last = entries.length - 1;
    const to = { ArrowDown: Math.min(last, at + 1), ArrowUp: Math.max(0, at - 1), Home: 0, End: last }[event.key];
    const entry = entries[at];
    if ((event.key === 'Enter' || event.key === ' ') && entry) choose(entry);
    else if (to === undefined) return;
    else item(to)?.focus();
    event.preventDefault();
  };
  return html`<ol role="listbox" aria-label=${label} class="side" ref=${list} onKeyDown=${keys}>
    ${entries.map(
      (entry, index) =>
        html`<li
          key=${entry.id}
          role="option"
          tabindex=${index === Math.max(0, at) ? 0 : -1}
          class=${`${entry.tone} ${holds(entry) ? 'pointed' : ''}`}
          aria-selected=${String(index === at)}
          onMouseEnter=${() => look(entry.blocks)}
          onMouseLeave=${() => look([])}
          onFocus=${() => {
            setAt(index);
            look(entry.blocks);
          }}
          onClick=${() => choose(entry)}
        >
          <small>${entry.head}</small><span>${entry.text}</span>
        </li>`,
    )}
  </ol>`;
}

/** A page with its blocks, drawn on the page image or, without one, as recognised text. */
function PageSheet(props: {
  readonly found: WholeDocument;
  readonly page: number;
  readonly boxProps: (block: Block) => object;
}): View {
  const { found, page, boxProps } = props;
  const { source, runPath } = useScene();
  const [isMissing, setMissing] = useState(false);
  const { width = 612, height = 792 } = found.pages.find(({ number }) => number === page) ?? {};
  const path = runPath('documents', found.id, 'pages', `${page}.png`);
  const picture = found.kind === 'pdf' && !isMissing ? source.file(path, { width: PICTURE_PIXELS }) : undefined;
  const boxes = found.blocks.flatMap((block) =>
    block.regions.filter((region) => region.page === page).map((region) => ({ block, region })),
  );
  return html`<svg
    viewBox=${`0 0 ${width} ${height}`}
    class="sheet"
    role="img"
    aria-label=${`Page ${page} with ${boxes.length} recognised blocks`}
  >
    <rect class="paper" width=${width} height=${height} />
    ${picture && html`<image href=${picture} width=${width} height=${height} preserveAspectRatio="none" onError=${() => setMissing(true)} />`}
    ${boxes.map(({ block, region: { left: x, top: y, right, bottom } }) => {
      const [wide, tall, label] = [Math.max(2, right - x), Math.max(2, bottom - y), `${block.order} ${tagName(block)}`];
      return html`<g ...${boxProps(block)}>
        <rect x=${x} y=${y} width=${wide} height=${tall} rx="1.5" />
        ${!picture && html`<foreignObject x=${x} y=${y} width=${wide} height=${tall}><div class="printed" style=${{ fontSize: `${fontSize(block.text, wide * tall)}px` }}>${block.text}</div></foreignObject>`}
        <rect class="flag" x=${x} y=${Math.max(0, y - 9)} width=${label.length * 4.3 + 5} height="9" rx="1.5" />
        <text x=${x + 2.5} y=${Math.max(0, y - 9) + 6.8}>${label}</text>
      </g>`;
    })}
  </svg>`;
}

/** Font size at which the text fills its box. */
function fontSize(text: string, area: number): number {
  return Math.min(13, Math.max(3.5, Math.sqrt(area / Math.max(1, text.length * 0.62)) * 0.95));
}

function flowSheet(found: WholeDocument, boxProps: (block: Block) => object): View {
  return html`<div class="sheet flow">
    ${found.blocks.map((block) => {
      const props = boxProps(block);
      if (block.rows)
        return html`<table ...${props}>
          <tbody>
            ${block.rows.map(
              (row) =>
                html`<tr>
                  ${row.map((text) => html`<td>${text}</td>`)}
                </tr>`,
            )}
          </tbody>
        </table>`;
      const tag = block.tag === 'title' ? 'h3' : block.tag === 'heading' ? 'h4' : 'p';
      return html`<${tag} ...${props}>${block.text}<//>`;
    })}
  </div>`;
}
