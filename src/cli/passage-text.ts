import { analyse } from '../parse/index.ts';
import type { CitedHit, CitedWork } from '../corpus/index.ts';
import type { Style, Terminal } from './terminal.ts';
import { plain } from './terminal.ts';

const WIDEST = 100;
const SNIPPET_LINES = 4;
const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;
/** East Asian wide characters, which take two columns. */
const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303F\uFF01-\uFF60]/gu;
const sentences = new Intl.Segmenter('und', { granularity: 'sentence' });

export interface PassageView {
  readonly query: string;
  readonly full: boolean;
  readonly link: string | undefined;
  /** Further passages of the same paper, which are only counted. */
  readonly others?: readonly CitedHit[];
}

export function passageText({ rank, score, passage, work }: CitedHit, view: PassageView, terminal: Terminal): string {
  const width = Math.max(30, Math.min(terminal.columns, WIDEST));
  const number = `${rank}.`.padEnd(4);
  const indent = ' '.repeat(number.length);
  const room = width - indent.length;
  const style = (name: Style, text: string): string => terminal.style(name, text, 'stdout');
  const block = (name: Style, text: string): string[] =>
    text === '' ? [] : wrapped(oneLine(text), room).map((line) => indent + style(name, line));
  const points = score.toFixed(2);
  const title = wrapped(oneLine(work?.title || passage.title || passage.document), room - points.length - 2);
  const place = [passage.headings.join(' › '), passage.page === undefined ? '' : `page ${passage.page}`];
  const terms = new Set(analyse(view.query));
  const text = oneLine(passage.text);
  const shown = view.full ? wrapped(text, room) : snippet(text, terms, room);
  const head = title.map((line, at) =>
    at === 0
      ? `${number}${style('bold', line)}${' '.repeat(Math.max(2, room - widthOf(line) - points.length))}${style('dim', points)}`
      : `${indent}${style('bold', line)}`,
  );
  return [
    ...head,
    ...block(['bold', 'red'], work?.retraction ? retractedLine(work.retraction) : ''),
    ...block('dim', work ? citedLine(work) : ''),
    ...block('dim', place.filter(Boolean).join(' · ')),
    ...shown.map((line) => indent + marked(line, terms, terminal)),
    ...block('dim', othersLine(view.others ?? [])),
    ...(view.link === undefined ? [] : [indent + style('cyan', plain(view.link))]),
  ].join('\n');
}

/** "3 more found in this paper: pages 2, 4". */
function othersLine(others: readonly CitedHit[]): string {
  if (others.length === 0) return '';
  const pages = [...new Set(others.flatMap(({ passage }) => passage.page ?? []))].sort((one, other) => one - other);
  const where = pages.length === 0 ? '' : `: ${pages.length === 1 ? 'page' : 'pages'} ${pages.join(', ')}`;
  return `${others.length} more found in this paper${where}`;
}

/** "Berg, Liu et al., 2024, Journal of Reefs, doi:10.1000/reef, cc-by". */
function citedLine({ authors, year, venue, doi, license }: CitedWork): string {
  const names = authors.slice(0, 3).map(({ name }) => name);
  const people = names.join(', ') + (authors.length > names.length ? ' et al.' : '');
  return [people, year, venue, doi === null ? null : `doi:${doi}`, license].filter(Boolean).join(', ');
}

function retractedLine({ date, doi }: NonNullable<CitedWork['retraction']>): string {
  return `RETRACTED${date === null ? '' : ` ${date}`}${doi === null ? '' : `, notice doi:${doi}`}`;
}

function marked(line: string, terms: ReadonlySet<string>, terminal: Terminal): string {
  return line.replaceAll(WORD, (word) =>
    analyse(word).some((term) => terms.has(term)) ? terminal.style(['bold', 'yellow'], word, 'stdout') : word,
  );
}

/** Cuts a text to a few lines, starting at the sentence followed by the most query words. */
function snippet(text: string, terms: ReadonlySet<string>, width: number): string[] {
  const whole = wrapped(text, width);
  if (whole.length <= SNIPPET_LINES) return whole;
  let start = 0;
  let most = -1;
  for (const { index, segment } of sentences.segment(text)) {
    const found = analyse(text.slice(index, index + width * SNIPPET_LINES)).filter((term) => terms.has(term));
    // Distinct words count most, then whether the sentence itself contains one; repeats break ties.
    const begins = analyse(segment).some((term) => terms.has(term)) ? 0.5 : 0;
    const worth = new Set(found).size + begins + found.length / 1000;
    if (worth > most) [start, most] = [index, worth];
  }
  const lines = wrapped(`${start > 0 ? '… ' : ''}${text.slice(start)}`, width);
  if (lines.length <= SNIPPET_LINES) return lines;
  const [last = ''] = wrapped(lines[SNIPPET_LINES - 1] ?? '', width - 2);
  return [...lines.slice(0, SNIPPET_LINES - 1), `${last} …`];
}

function oneLine(text: string): string {
  return plain(text).replaceAll(/\s+/g, ' ').trim();
}

function widthOf(text: string): number {
  return text.length + (text.match(WIDE)?.length ?? 0);
}

/** Wraps text at word boundaries; breaks words longer than a line. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && widthOf(line) + 1 + widthOf(word) > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
    while (widthOf(line) > width) {
      let fits = '';
      for (const character of line) {
        if (widthOf(fits + character) > width) break;
        fits += character;
      }
      lines.push(fits);
      line = line.slice(fits.length);
    }
  }
  return line === '' && lines.length > 0 ? lines : [...lines, line];
}
