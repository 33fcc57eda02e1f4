import type { Draft } from '../draft.ts';
import type { Findings } from '../findings.ts';
import type { Segment } from '../page/segment.ts';
import { shareInside, touches } from '../page/box.ts';
import type { PageContent } from '../page/page-content.ts';
import { OCR_FONT } from '../page/page-content.ts';
import { keepsWords, lettersIn } from '../page/scan.ts';
import { buildOneColumn } from './one-column.ts';
import { buildTable } from './table-grid.ts';
import type { TableRegion } from './table-rows.ts';
import { findTableRegions, stripeRules } from './table-region.ts';

type PageFindings = Pick<Findings, 'text' | 'furniture' | 'pageRules' | 'pictures' | 'body'>;

export function placeFloats(page: PageContent, found: PageFindings & Pick<Findings, 'labels' | 'vocabulary'>) {
  let segments = textOn(page, found);
  let takenBack = 0;
  const drafts: Draft[] = [];
  for (const { region } of regionsOnPage(page, found)) {
    if (drafts.some(({ box }) => touches(box, region.box, -2))) continue;
    const inside = insideOf(region, segments);
    const table = region.single
      ? buildOneColumn(region, inside, found.vocabulary)
      : buildTable(region, inside, found.vocabulary);
    if (!table) continue;
    // A table that loses words or has some twice is taken back: its text stays text.
    const letters = lettersIn(inside);
    if (!keepsWords(table, letters)) {
      takenBack += 1;
      continue;
    }
    const taken = new Set(inside);
    segments = segments.filter((segment) => !taken.has(segment));
    const held = new Map([[page.number, letters]]);
    drafts.push({ kind: 'table', lines: [], page: page.number, piece: -1, box: region.box, table, letters: held });
  }
  for (const box of found.pictures.get(page.number) ?? []) {
    const text = found.labels.get(page.number)?.texts.get(box) ?? '';
    drafts.push({ kind: 'picture', lines: [], page: page.number, piece: -1, box, text });
  }
  const floats = new Map(drafts.entries());
  return { segments: [...segments, ...drafts.map((draft, id) => floatSegment(id, draft))], floats, takenBack };
}

function textOn({ number }: PageContent, { text, furniture }: PageFindings): readonly Segment[] {
  return (text.get(number) ?? []).filter((segment) => !furniture.has(segment));
}

function insideOf({ box }: TableRegion, segments: readonly Segment[]): Segment[] {
  const grown = { top: box.top - 2, bottom: box.bottom + 2, left: box.left - 3, right: box.right + 3 };
  return segments.filter((segment) => shareInside(segment, grown) > 0.5);
}

/** Where tables may be on a page, with the text there: what the model of rows is trained on. */
export function regionsOnPage(
  page: PageContent,
  found: PageFindings,
): { readonly region: TableRegion; readonly inside: readonly Segment[] }[] {
  const own = textOn(page, found);
  const rules = page.rules.filter((rule) => !found.pageRules.has(rule));
  const all = [...rules, ...stripeRules(page, own)];
  return findTableRegions(all, own, found.pictures.get(page.number) ?? [], found.body.size).map((region) => ({
    region,
    inside: insideOf(region, own),
  }));
}

function floatSegment(float: number, draft: Draft): Segment {
  return {
    ...draft.box,
    page: draft.page,
    glyphs: [],
    text: '',
    baseline: draft.box.top + 2,
    size: 10,
    font: { ...OCR_FONT, name: '' },
    bold: 0,
    italic: 0,
    math: 0,
    monospaced: 0,
    float,
  };
}
