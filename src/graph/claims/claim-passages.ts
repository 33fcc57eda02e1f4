import type { Reading } from '../extract/reading.ts';
import type { Stretch } from '../extract/sentences.ts';

/** A paragraph, or as many sentences of a long one as fit into a request. */
export interface ClaimPassage {
  readonly block: number;
  readonly stretch: Stretch;
  readonly section: string | null;
  readonly text: string;
}

/** Shorter paragraphs make no claim worth a request. */
const LEAST = 120;
const LONGEST = 6_000;
/** Sections that make no claims of their own. */
const SILENT =
  /^(?:[\d.\s]*)(?:acknowledg|funding|conflicts? of interest|competing|declaration|author contributions?|data availability|ethic|supplementary|references|bibliography|abbreviations)/iu;

/** The passages of a document that a model is asked about, in reading order, as many as said. */
export function claimPassages(reading: Reading, most: number): ClaimPassage[] {
  const found: ClaimPassage[] = [];
  for (const { block, section, sentences } of reading.prose) {
    if (block.kind !== 'text' || (section !== null && SILENT.test(section))) continue;
    let open: Stretch | undefined;
    const close = (): void => {
      if (open && open.end - open.start >= LEAST)
        found.push({
          block: block.order,
          stretch: open,
          section,
          text: block.text.slice(open.start, open.end),
        });
      open = undefined;
    };
    for (const { start, end } of sentences) {
      if (end - start > LONGEST) continue;
      if (open && end - open.start > LONGEST) close();
      open = { start: open?.start ?? start, end };
    }
    close();
  }
  return most === 0 ? found : found.slice(0, most);
}
