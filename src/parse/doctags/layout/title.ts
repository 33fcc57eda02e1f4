import type { Draft } from './draft.ts';
import { draftOf } from './draft.ts';
import { textOf } from './draft-text.ts';
import { isCapitals } from './paragraph.ts';
import { headingNumber, isCommonHeading } from './heading-number.ts';

/** What is known about the document when its title is looked for. */
export interface TitleSetting {
  readonly size: number;
  /** The title in the file's own information. */
  readonly information: string;
  readonly margins: ReadonlySet<number>;
}

/** Finds the title on the first page: the largest text before the abstract, or what stands first and centred. */
export function markTitle(drafts: Draft[], setting: TitleSetting): Draft | undefined {
  const { size: bodySize, information, margins } = setting;
  const [start] = drafts.filter((draft) => draft.lines.length > 0);
  if (!start) return undefined;
  const front: Draft[] = [];
  for (const draft of drafts) {
    if (draft.page !== start.page) break;
    if (draft.lines.length === 0 || draft.kind === 'page_header' || draft.kind === 'page_footer') continue;
    if (margins.has(draft.piece)) continue;
    const text = textOf(draft);
    if (isCommonHeading(headingNumber(text)?.rest ?? text) || /^abstract\b/i.test(text)) break;
    front.push(draft);
  }
  const candidates = front.filter(
    (draft) => (draft.kind === 'text' || draft.kind === 'list_item') && isTitleLike(draft),
  );
  const title = byInformation(candidates, information) ?? byLook(candidates, bodySize);
  if (!title) return undefined;
  const at = drafts.indexOf(title);
  const lines = [...title.lines];
  // A long title may be cut into several drafts of the same size.
  let end = at + 1;
  for (; end < drafts.length; end += 1) {
    const next = drafts[end];
    const [line] = next?.lines ?? [];
    const last = lines.at(-1);
    if (!next || !line || !last || next.page !== title.page || next.kind === 'title') break;
    // A short last line of a title over two columns is taken for a part of one of them.
    if (next.piece !== title.piece && !(line.baseline > last.baseline && line.left < last.right)) break;
    if (
      Math.abs(line.size - last.size) > 0.3 ||
      line.font !== last.font ||
      (last.size < 1.12 * bodySize && !(isCapitals(last) && isCapitals(line)))
    )
      break;
    if (line.baseline - last.baseline > 2.2 * line.size || next.lines.length > 3) break;
    lines.push(...next.lines);
  }
  const merged = { ...draftOf('title', lines, title.piece) };
  drafts.splice(at, end - at, merged);
  return merged;
}

function isTitleLike(draft: Draft): boolean {
  const text = textOf(draft);
  const letters = text.replace(/[^\p{L}]/gu, '').length;
  const number = headingNumber(text);
  if (number?.style === 'arabic' && number.depth > 1) return false;
  return letters >= 8 && text.length < 350 && draft.lines.length <= 8 && !/^(?:arxiv:|doi:|https?:)/i.test(text);
}

function byInformation(candidates: readonly Draft[], information: string): Draft | undefined {
  const key = squash(information);
  if (key.length < 8) return undefined;
  return candidates.find((draft) => {
    const text = squash(textOf(draft));
    return text.length >= 8 && (key.startsWith(text.slice(0, 40)) || text.startsWith(key.slice(0, 40)));
  });
}

function squash(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}

function byLook(candidates: readonly Draft[], bodySize: number): Draft | undefined {
  const sizeOf = (draft: Draft): number => draft.lines[0]?.size ?? 0;
  const largest = Math.max(0, ...candidates.map(sizeOf));
  if (largest >= 1.12 * bodySize) {
    const big = candidates.filter((draft) => sizeOf(draft) >= largest - 0.4);
    return big.find((draft) => textOf(draft).split(/\s+/).length >= 2) ?? big[0];
  }
  // All at body size: a title in capitals or bold comes before the names.
  return (
    candidates.find((draft) => {
      const text = textOf(draft).replace(/[^\p{L}]/gu, '');
      return text.length > 12 && (text === text.toUpperCase() || draft.lines.every((line) => line.bold > 0.8));
    }) ?? candidates.slice(0, 2).find(isCentredHead)
  );
}

/** A short centred block that is no sentence. */
function isCentredHead(draft: Draft): boolean {
  const text = textOf(draft);
  if (draft.lines.length > 4 || text.split(/\s+/).length < 3 || /[.,;:]$/u.test(text)) return false;
  return draft.lines.every((line) => {
    const axis = (line.column.left + line.column.right) / 2;
    return Math.abs((line.left + line.right) / 2 - axis) < line.size && line.left > line.column.left + line.size;
  });
}
