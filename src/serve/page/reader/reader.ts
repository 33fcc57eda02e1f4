import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import type { Passages, WholeDocument, WholeWork } from '../answers.ts';
import { counted } from '../format.ts';
import { newId } from '../new-id.ts';
import { CopyButtons, link } from '../parts.ts';
import { keptName } from '../reviewer-name.ts';
import type { Scene, View } from '../scene.ts';
import { button, html, shown, useAnswer, useScene } from '../scene.ts';
import type { Block, Entry, Listed } from './entries.ts';
import { entryAt } from './chosen-entry.ts';
import { entriesOf, toneOf } from './entries.ts';
import { FigureList, ReferenceList } from './lists.ts';
import { NoteList } from './note-list.ts';
import { useNotebook } from './notebook.ts';
import { flowSheet } from './page-sheet.ts';
import { findQuote } from './quote.ts';
import type { Quoted } from './selection-bar.ts';
import { SelectionBar } from './selection-bar.ts';
import type { Target } from './page-stack.ts';
import { PageStack } from './page-stack.ts';
import { SideList } from './side-list.ts';
import { WorkDetails } from './work-details.ts';

/** The parameters of the address that say what is read, and where. */
export const READING = [
  'document',
  'work',
  'passage',
  'block',
  'start',
  'end',
  'page',
  'words',
  'quote',
  'beside',
] as const;

type Mode = Listed | 'figures' | 'references' | 'work' | 'notes';

const MODES: Readonly<Record<Mode, string>> = {
  passages: 'Passages',
  headings: 'Outline',
  notes: 'Notes',
  figures: 'Figures and tables',
  references: 'References',
  work: 'About',
  blocks: 'Blocks',
};
const ZOOMS = [1, 1.25, 1.5, 2, 3];
const ADDRESS_MS = 300;

/** The document or the work that the address names, beside what led to it. */
export function Reader(): View {
  const { query, reading } = useScene();
  const pane = useRef<HTMLElement>(null);
  const [document, work] = [query.get('document'), query.get('work')];
  const isPlace = query.has('passage') || query.has('block');
  useEffect(() => {
    if (!isPlace) pane.current?.focus({ preventScroll: true });
    if (getComputedStyle(pane.current as Element).position === 'static') scrollTo({ top: 0, behavior: 'instant' });
  }, [document, work]);
  const close = html`<a class="quiet close" href=${reading({})} aria-label="Close the reader" title="Close">×</a>`;
  const press = (part: string): void => pane.current?.querySelector<HTMLElement>(part)?.click();
  const keys = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') press('.close');
    const isField = event.target instanceof Element && event.target.matches('input, textarea, select');
    if (isField || (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight')) return;
    event.preventDefault();
    const way = event.key === 'ArrowLeft' ? 'Previous' : 'Next';
    press(`[aria-label="${way} ${event.shiftKey ? 'document' : 'page'}"]`);
  };
  return html`<section class="opened" aria-label="Reader" tabindex="-1" ref=${pane} onKeyDown=${keys}>
    ${
      document === null
        ? html`<${WorkView} id=${work ?? ''} close=${close} key=${work} />`
        : html`<${DocumentView} id=${document} work=${work} close=${close} key=${document} />`
    }
  </section>`;
}

/** A work named without its document, as a reference or the graph does: its text where there is one. */
function WorkView({ id, close }: { readonly id: string; readonly close: View }): View {
  const { runPath } = useScene();
  const work = useAnswer<WholeWork>(runPath('works', id));
  if (work.kind === 'answered' && work.value.document !== null)
    return html`<${DocumentView} id=${work.value.document} work=${id} close=${close} />`;
  return html`<div class="viewer plain">${close}<${WorkDetails} id=${id} /></div>`;
}

function DocumentView(props: { readonly id: string; readonly work: string | null; readonly close: View }): View {
  const { id, work, close } = props;
  const { source, runPath } = useScene();
  const found = useAnswer<WholeDocument>(runPath('documents', id));
  const passages = useAnswer<Passages>(runPath('documents', id, 'passages'));
  const file = source.file(runPath('documents', id, 'file'));
  if (found.kind === 'answered' && passages.kind !== 'waiting')
    return html`<${Viewer}
      document=${found.value}
      file=${file}
      passages=${passages.kind === 'answered' ? passages.value.items : []}
      close=${close}
    />`;
  return html`<div class="viewer plain">
    ${close} ${shown(found, () => html`<p class="hint" role="status">Loading …</p>`)}
    ${found.kind === 'failed' && file !== undefined && html`<p>${link(file, 'Open the file')}</p>`}
    ${found.kind === 'failed' && work !== null && html`<${WorkDetails} id=${work} />`}
  </div>`;
}

function Viewer(props: {
  readonly document: WholeDocument;
  readonly file: string | undefined;
  readonly passages: Passages['items'];
  readonly close: View;
}): View {
  const { document: found, file, passages, close } = props;
  const scene = useScene();
  const { query, set } = scene;
  const [named, passage] = [query.get('block'), passages.find(({ id }) => id === query.get('passage'))];
  const isOfReferences = query.get('beside') === 'references';
  const [mode, setMode] = useState<Mode>(
    isOfReferences ? 'references' : named !== null || passages.length === 0 ? 'blocks' : 'passages',
  );
  const [isListInFront, setListInFront] = useState(isOfReferences);
  const [zoom, setZoom] = useState(1);
  const [lit, setLit] = useState<readonly number[]>([]);
  const [pointed, setPointed] = useState<number>();
  const root = useRef<HTMLDivElement>(null);
  const numbers = found.pages.map(({ number }) => number);
  const quote = query.get('quote') ?? quotedIn(found, query);
  const asked = Number(query.get('page'));
  const selected = useMemo(
    () => passage?.blocks ?? (named === null ? blocksWith(found, query.get('quote') ?? '', asked) : [Number(named)]),
    [passage, named, query.get('quote')],
  );
  const book = useNotebook(found.id);
  const noted = useMemo(
    () => book.notes.flatMap(({ quote: words, page: on }) => (words === null ? [] : [{ quote: words, page: on }])),
    [book.notes, found.id],
  );
  const [quoted, setQuoted] = useState<Quoted>();
  const [selectedWords, setSelectedWords] = useState<Quoted>();
  const [here, setHere] = useState(() => firstPage(found, selected, asked, passage?.page));
  const [target, setTarget] = useState<Target>(() => targetOf(found, selected, here));
  const page = numbers.includes(here) ? here : (numbers[0] ?? 0);
  const isListed = mode === 'passages' || mode === 'headings' || mode === 'blocks';
  const entries = isListed ? entriesOf({ mode, found, passages, page, query }) : [];
  const marks = useMemo(() => new Set([...selected, ...lit]), [selected, lit]);
  const waiting = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(waiting.current), []);
  const turn = (to: number | undefined): void => {
    if (to === undefined) return;
    setHere(to);
    setTarget({ page: to, top: 0 });
    set({ page: to, passage: '', block: '' });
  };
  const show = ({ regions, order }: Block): void => {
    const [region] = regions;
    setListInFront(false);
    setLit([order]);
    if (region) {
      setHere(region.page);
      setTarget({ page: region.page, top: region.top });
    } else root.current?.querySelector(`.box[data-block="${order}"]`)?.scrollIntoView({ block: 'center' });
  };
  const scrolled = (to: number): void => {
    setHere(to);
    clearTimeout(waiting.current);
    waiting.current = setTimeout(() => set({ page: to }), ADDRESS_MS);
  };
  const focusEntry = (at: number): HTMLElement | undefined => {
    const item = root.current?.querySelectorAll<HTMLElement>('[role=option]')[at];
    item?.focus({ preventScroll: true });
    return item;
  };
  useEffect(() => {
    if (isOfReferences) setMode('references');
    else if (named !== null) setMode('blocks');
    else if (passage) setMode('passages');
    setSelectedWords(undefined);
    if (selected.length === 0) return;
    const first = firstPage(found, selected, 0, passage?.page);
    setHere(first);
    setTarget(targetOf(found, selected, first));
  }, [query.get('passage'), named, quote]);
  useEffect(() => {
    if (selected.length === 0) return;
    const item = focusEntry(entryAt(entries, selected[0] ?? 0, passage?.id));
    const list = root.current?.querySelector<HTMLElement>('.side');
    if (list && item) list.scrollTop = item.offsetTop;
    if (numbers.length === 0) root.current?.querySelector('.box.lit')?.scrollIntoView({ block: 'center' });
  }, [query.get('passage'), named, mode]);
  const choose = ({ blocks }: Entry): void => {
    const block = found.blocks.find(({ order }) => order === blocks[0]);
    if (block) show(block);
  };
  const point = (block: number | undefined): void => {
    setPointed(block);
    setLit(block === undefined ? [] : [block]);
  };
  const boxProps = (block: Block): object => ({
    class: `box ${toneOf(block)} ${marks.has(block.order) ? 'lit' : ''}`,
    'data-block': block.order,
    onMouseEnter: () => point(block.order),
    onMouseLeave: () => point(undefined),
    onClick: () => focusEntry(entryAt(entries, block.order)),
  });
  const about = [found.authors, found.year, counted(passages.length, 'passage')];
  const isThere: Readonly<Partial<Record<Mode, boolean>>> = { work: found.work !== null, notes: !scene.source.report };
  const hasReferences = !scene.source.report && found.blocks.some(({ tag }) => tag === 'reference');
  const modes = (Object.keys(MODES) as Mode[]).filter((each) => isThere[each] !== false);
  const write = (words: Quoted): void => {
    setQuoted(words);
    front('notes');
  };
  const cited = (words: Quoted): void => {
    setSelectedWords(words);
    front('references');
  };
  const mark = (words: Quoted): void => {
    const by = keptName();
    if (by === '') return write(words);
    void book.save({ id: newId(), by, work: found.id, document: found.id, ...words });
  };
  const front = (each: Mode): void => {
    setMode(each);
    setListInFront(true);
  };
  const bigger = ZOOMS.find((each) => each > zoom);
  const smaller = ZOOMS.findLast((each) => each < zoom);
  const zooming = (sign: string, label: string, to: number | undefined): View =>
    button(sign, () => to !== undefined && setZoom(to), {
      'aria-label': label,
      title: label,
      disabled: to === undefined,
    });
  return html`<div class=${`viewer ${isListInFront ? 'list-in-front' : ''}`} ref=${root}>
    <div class="choice">
      <div class="named">
        <h2 title=${found.title ?? found.id}>${found.title ?? found.id}</h2>
        <p class="hint">
          ${`${about.filter((each) => each).join(' · ')} · `}${file === undefined ? 'file not in the run folder' : link(file, 'open the file')}
        </p>
      </div>
      <div class="acts"><${CopyButtons} ...${found} /></div>
      ${close}
    </div>
    <div class="choice turning">
      ${steps(found, page, turn, scene)}
      ${numbers.length > 0 && html`<div class="steps">${zooming('−', 'Smaller', smaller)} ${zooming('+', 'Larger', bigger)}</div>`}
      <div class="switch" role="group" aria-label="Listed beside the page">
        ${button('Page', () => setListInFront(false), { class: 'quiet of-page', 'aria-pressed': String(!isListInFront) })}
        ${modes.map((each) => button(each === 'notes' && book.notes.length > 0 ? `Notes (${book.notes.length})` : MODES[each], () => front(each), { 'aria-pressed': String(mode === each) }))}
      </div>
    </div>
    <div class="reader">
      ${
        numbers.length === 0
          ? html`<div class="desk" tabindex="0" role="region" aria-label="Text">
              ${flowSheet(found, quotedBlock(found, query, quote), boxProps, noted)}
            </div>`
          : html`<${PageStack}
              found=${found}
              target=${target}
              zoom=${zoom}
              isBoxed=${mode === 'blocks' && quote === ''}
              lit=${marks}
              quote=${quote}
              noted=${noted}
              boxProps=${boxProps}
              turn=${turn}
              at=${scrolled}
            />`
      }
      <div class="beside">
        ${
          mode === 'notes'
            ? html`<${NoteList}
                document=${found.id}
                book=${book}
                quoted=${quoted}
                leave=${() => setQuoted(undefined)}
              />`
            : mode === 'work'
              ? html`<div class="side about" tabindex="0"><${WorkDetails} id=${found.work ?? ''} isTitled /></div>`
              : mode === 'references'
                ? html`<${ReferenceList}
                    found=${found}
                    show=${show}
                    page=${page}
                    leave=${() => setListInFront(false)}
                    quoted=${selectedWords ?? { quote, page: undefined }}
                  />`
                : mode === 'figures'
                  ? html`<${FigureList} found=${found} show=${show} />`
                  : entries.length === 0
                    ? html`<p class="hint">
                        ${found.blocks.length === 0 ? 'No text was recognised: scanned pages need OCR.' : `No ${MODES[mode].toLowerCase()} here.`}
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
    ${book.isOpen && html`<${SelectionBar} root=${root} mark=${mark} write=${write} cited=${hasReferences ? cited : undefined} />`}
  </div>`;
}

/** The block of a page in which a quote begins, where an address names no block. */
function blocksWith(found: WholeDocument, quote: string, page: number): readonly number[] {
  if (quote === '') return [];
  const isThere = ({ regions }: Block): boolean => !(page > 0) || regions.some((region) => region.page === page);
  const block = found.blocks.find((each) => isThere(each) && findQuote([each.text], quote).length > 0);
  return block ? [block.order] : [];
}

/** The sentence that an address names by its block and its place in it. */
function quotedIn(found: WholeDocument, query: URLSearchParams): string {
  const [start, end] = [Number(query.get('start')), Number(query.get('end'))];
  const block = found.blocks.find(({ order }) => String(order) === query.get('block'));
  return block && end > start ? block.text.slice(start, end) : '';
}

/** The block of a flowing text that holds the quote, with the quote marked. */
function quotedBlock(found: WholeDocument, query: URLSearchParams, quote: string): readonly [string, View] {
  const named = query.get('block');
  const holds = ({ text, order }: Block): boolean =>
    quote !== '' && text.includes(quote) && (named === null || named === String(order));
  const block = found.blocks.find(holds);
  if (!block) return ['', undefined];
  const at = named === null ? block.text.indexOf(quote) : Number(query.get('start'));
  const marked = [block.text.slice(0, at), html`<mark>${quote}</mark>`, block.text.slice(at + quote.length)];
  return [String(block.order), marked];
}

function firstPage(found: WholeDocument, selected: readonly number[], asked: number, passage?: number): number {
  const block = found.blocks.find(({ order }) => order === selected[0]);
  const pages = found.pages.map(({ number }) => number);
  return [asked, block?.regions[0]?.page, passage].find((page) => pages.includes(page ?? 0)) ?? pages[0] ?? 0;
}

function targetOf(found: WholeDocument, selected: readonly number[], page: number): Target {
  const block = found.blocks.find(({ order }) => order === selected[0]);
  const region = block?.regions.find((each) => each.page === page);
  return { page, top: region?.top ?? 0 };
}

function steps(found: WholeDocument, page: number, turn: (to: number | undefined) => void, { reading }: Scene): View {
  const numbers = found.pages.map(({ number }) => number);
  const at = numbers.indexOf(page);
  const step = (sign: string, label: string, to: number | undefined): View =>
    button(sign, () => turn(to), { 'aria-label': label, title: label, disabled: to === undefined });
  const document = (sign: string, label: string, to: string | null): View =>
    to !== null &&
    html`<a class="quiet" role="button" href=${reading({ document: to })} aria-label=${label} title=${label}
      >${sign}</a
    >`;
  return html`<div class="steps">
    ${document('«', 'Previous document', found.before)} ${step('‹', 'Previous page', numbers[at - 1])}
    <span role="status" class="where">${numbers.length === 0 ? 'no pages' : `page ${page} of ${numbers.length}`}</span>
    ${step('›', 'Next page', numbers[at + 1])} ${document('»', 'Next document', found.after)}
  </div>`;
}
