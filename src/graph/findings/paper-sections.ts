import type { Stretch } from '../../parse/index.ts';
import { findAbbreviations } from '../extract/abbreviations.ts';
import type { ReadBlock, Reading } from '../extract/reading.ts';

/** An abbreviation that a paper explains. */
interface Abbreviation {
  readonly short: string;
  readonly long: string;
}

/** A section of a paper, or a part of a long one, as one text. */
export interface PaperSection {
  readonly title: string | null;
  readonly heading: string | null;
  readonly abbreviations: readonly Abbreviation[];
  readonly text: string;
  /** Where the text of each block begins in it. */
  readonly blocks: readonly { readonly block: number; readonly at: number; readonly stretch: Stretch }[];
}

/** Shorter sections are not worth a request. */
const LEAST = 120;
const LONGEST = 12_000;
const BETWEEN = '\n\n';
/** Sections that are not searched for findings. */
const SILENT =
  /^(?:[\d.\s]*)(?:acknowledg|funding|conflicts? of interest|competing|declaration|author contributions?|data availability|ethic|supplementary|references|bibliography|abbreviations)/iu;
const NO_FINDINGS: ReadonlySet<string | undefined> = new Set([
  'introduction',
  'methods',
  'front',
  'references',
  'back',
]);

/** The sections of a paper that may tell what it found; 0 for `most` means all. */
export function paperSections(reading: Reading, most = 0): PaperSection[] {
  const title = reading.document.blocks.find(({ kind }) => kind === 'title')?.text ?? null;
  const abbreviations = abbreviationsOf(reading);
  const found: PaperSection[] = [];
  // Authors and addresses stand before the abstract.
  const hasAbstract = reading.prose.some(({ part }) => part === 'abstract');
  let open: { text: string; blocks: { block: number; at: number; stretch: Stretch }[] } = { text: '', blocks: [] };
  let heading: string | null = null;
  const close = (): void => {
    if (open.text.length >= LEAST) found.push({ title, heading, abbreviations, ...open });
    open = { text: '', blocks: [] };
  };
  for (const { block, section, part, sentences } of reading.prose) {
    if (section !== heading) close();
    heading = section;
    if (!SPEAKING.has(block.kind) || SILENT.test(section ?? '') || NO_FINDINGS.has(part)) continue;
    if (section === null && hasAbstract) continue;
    for (const stretch of stretchesOf(sentences)) {
      if (open.text.length + stretch.end - stretch.start > LONGEST) close();
      const at = open.text === '' ? 0 : open.text.length + BETWEEN.length;
      open.text += (at === 0 ? '' : BETWEEN) + block.text.slice(stretch.start, stretch.end);
      open.blocks.push({ block: block.order, at, stretch });
    }
  }
  close();
  return most === 0 ? found : found.slice(0, most);
}

const SPEAKING: ReadonlySet<ReadBlock['block']['kind']> = new Set(['text', 'list_item']);

/** A paragraph as one stretch, or as many sentences of a long one as fit. */
function* stretchesOf(sentences: readonly Stretch[]): Generator<Stretch> {
  let open: Stretch | undefined;
  for (const { start, end } of sentences) {
    if (open && end - open.start > LONGEST) {
      yield open;
      open = undefined;
    }
    open = { start: open?.start ?? start, end };
  }
  if (open) yield open;
}

function abbreviationsOf(reading: Reading): Abbreviation[] {
  const forms = new Map<string, string>();
  for (const { block } of reading.prose)
    for (const { short, long } of findAbbreviations(block.text))
      if (!forms.has(short.text)) forms.set(short.text, long.text.replaceAll(/\s+/g, ' '));
  return [...forms].map(([short, long]) => ({ short, long }));
}

/** Where a stretch of a section's text is in the document; undefined if it is in two blocks. */
export function placeIn(
  { blocks }: PaperSection,
  { start, end }: Stretch,
): { readonly block: number; readonly stretch: Stretch } | undefined {
  const found = blocks.findLast(({ at }) => at <= start);
  if (!found || end > found.at + found.stretch.end - found.stretch.start) return undefined;
  const by = found.stretch.start - found.at;
  return { block: found.block, stretch: { start: start + by, end: end + by } };
}
