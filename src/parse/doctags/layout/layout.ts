import type { Box } from '../../document.ts';
import { composeAccents } from './accent.ts';
import { shareInside } from './box.ts';
import { restoreBullets } from './bullet.ts';
import { readingOrder, voteForGutters } from './column.ts';
import type { Draft } from './draft.ts';
import { draftOf } from './draft.ts';
import { figureGlyphs, findFigures, withoutLabels, withSurroundings } from './figure.ts';
import { bindCaptions } from './float.ts';
import { markFootnotes } from './footnote.ts';
import { releaseAuthorNotes } from './front-matter.ts';
import { findFurniture } from './furniture.ts';
import { markHeadings } from './heading.ts';
import { setHeadingLevels } from './heading-level.ts';
import { collectVocabulary } from './hyphen.ts';
import { joinAcrossBreaks } from './join.ts';
import type { Line } from './line.ts';
import { buildLines } from './line.ts';
import { markListItems } from './list-item.ts';
import type { OutlineEntry, PageContent, PageLink } from './page-content.ts';
import type { PageView } from './page-view.ts';
import { viewPage } from './page-view.ts';
import { cutParagraphs } from './paragraph.ts';
import { splitReferences } from './reference.ts';
import { splitRunInHeadings } from './run-in.ts';
import type { Segment } from './segment.ts';
import { buildSegments } from './segment.ts';
import { glyphsText } from './segment-text.ts';
import { findStamps } from './stamp.ts';
import { readTags } from './structure.ts';
import { buildTable } from './table-grid.ts';
import { joinTables } from './table-join.ts';
import { findTableRegions } from './table-region.ts';
import { markTitle } from './title.ts';
import { findUnruledTables } from './unruled-table.ts';
import { bodyType, linePitches, usesIndent } from './type-area.ts';

/** A recognised document, before it is written as blocks. */
export interface Layout {
  readonly drafts: readonly Draft[];
  readonly vocabulary: ReadonlySet<string>;
  readonly columns: number;
  /** Links by page, where the layout sees them. */
  readonly links: ReadonlyMap<number, readonly PageLink[]>;
  /** How each page was looked at. */
  readonly views: ReadonlyMap<number, PageView>;
}

interface PageLayout {
  readonly content: PageContent;
  readonly figures: readonly Box[];
  readonly segments: Segment[];
}

/** Recognises the blocks of a document from the content of its pages. */
export function analyse(
  contents: readonly PageContent[],
  outline: readonly OutlineEntry[],
  information: string,
): Layout {
  const views = new Map(contents.map((page) => [page.number, viewPage(page)]));
  const pages = [...views.values()].map((view) => view.page);
  const read = pages.map((content) => {
    const drawn = figureGlyphs(content);
    const upright = content.glyphs.filter((glyph) => glyph.turn === 0 && !drawn.has(glyph));
    const mirrorImage = views.get(content.number)?.mirrored;
    return { content, segments: buildSegments(content.number, composeAccents(restoreBullets(upright)), mirrorImage) };
  });
  const body = bodyType(read.flatMap((page) => page.segments));
  const layouts = read.map(({ content, segments }): PageLayout => {
    const figures = withSurroundings(findFigures(content), segments, body);
    return { content, figures, segments: withoutLabels(segments, figures, body.size) };
  });
  const furniture = findFurniture(
    layouts.map(({ content, segments }) => ({
      page: content.number,
      width: content.width,
      height: content.height,
      segments,
    })),
    body.size,
  );
  const vocabulary = collectVocabulary(
    layouts.flatMap((layout) => layout.segments.map((each) => glyphsText(each.glyphs, each.size, each.baseline))),
  );
  const placed = layouts.map((layout) => place(layout, furniture, vocabulary));
  const votes = voteForGutters(placed.map((page) => page.segments));
  const pieces: { lines: Line[]; floats: ReadonlyMap<number, Draft>; margin: boolean }[] = [];
  const columnCounts: number[] = [];
  for (const page of placed) {
    const box = typeArea(page.segments, page.content);
    const parts = readingOrder(page.segments, box, votes);
    columnCounts.push(new Set(parts.map((part) => Math.round(part.box.left / 20))).size);
    for (const part of parts)
      pieces.push({ lines: buildLines(part.segments, part.box), floats: page.floats, margin: part.margin === true });
  }
  const lines = pieces.flatMap((piece) => piece.lines.filter((line) => line.float === undefined));
  const pitches = linePitches(lines);
  const indented = usesIndent(lines, body.size);
  const setting = { size: body.size, pitches, indented };
  let drafts: Draft[] = [];
  pieces.forEach((piece, index) => {
    const tables = new Map(findUnruledTables(piece.lines, vocabulary).map((table) => [table.from, table]));
    let run: Line[] = [];
    const close = (): void => {
      drafts.push(...cutParagraphs(run, index, setting));
      run = [];
    };
    for (let at = 0; at < piece.lines.length; at += 1) {
      const line = piece.lines[at];
      const unruled = tables.get(at);
      if (!line) continue;
      if (unruled) {
        close();
        drafts.push({
          kind: 'table',
          lines: [],
          page: line.page,
          piece: index,
          box: unruled.box,
          table: unruled.table,
        });
        at = unruled.to - 1;
      } else if (line.float === undefined) {
        run.push(line);
      } else {
        close();
        const float = piece.floats.get(line.float);
        if (float) drafts.push({ ...float, piece: index });
      }
    }
    close();
  });
  const rules = new Map(pages.map((page) => [page.number, page.rules.map((rule) => rule.box)]));
  drafts = joinTables(drafts);
  const margins = new Set(pieces.flatMap((piece, index) => (piece.margin ? [index] : [])));
  bindCaptions(drafts);
  markFootnotes(drafts, body.size, rules);
  drafts = drafts.filter((draft) => draft.lines.length > 0 || draft.kind === 'table' || draft.kind === 'picture');
  markTitle(drafts, { size: body.size, information, margins });
  releaseAuthorNotes(drafts);
  markHeadings(drafts, { ...setting, bold: body.bold, font: body.font, outline, margins, tagOf: readTags(pages) });
  drafts = splitReferences(splitRunInHeadings(drafts));
  markListItems(drafts, body.size);
  drafts = joinAcrossBreaks(drafts, indented);
  setHeadingLevels(drafts, outline);
  const aside: Draft[] = [];
  for (const page of layouts) {
    for (const stamp of findStamps(page.content, page.figures))
      aside.push({
        kind: 'page_header',
        lines: [],
        page: page.content.number,
        piece: -1,
        box: stamp.box,
        text: stamp.text,
      });
    for (const segment of page.segments) {
      const kind = furniture.get(segment);
      if (kind) aside.push(draftOf(kind, buildLines([segment], segment), -1));
    }
  }
  const links = new Map(pages.map((page) => [page.number, page.links]));
  return { drafts: inPageOrder(drafts, aside), vocabulary, columns: median(columnCounts), links, views };
}

/** Puts running heads before and feet after what stands on their page. */
function inPageOrder(drafts: readonly Draft[], aside: readonly Draft[]): Draft[] {
  const result: Draft[] = [];
  const heads = aside
    .filter((draft) => draft.kind === 'page_header')
    .sort((a, b) => a.page - b.page || a.box.top - b.box.top);
  const feet = aside
    .filter((draft) => draft.kind === 'page_footer')
    .sort((a, b) => a.page - b.page || a.box.top - b.box.top);
  const flush = (page: number): void => {
    while ((feet[0]?.page ?? Infinity) < page || (heads[0]?.page ?? Infinity) <= page) {
      const head = heads[0];
      const foot = feet[0];
      if (foot && foot.page < page && (!head || foot.page < head.page)) result.push(...feet.splice(0, 1));
      else if (head && head.page <= page) result.push(...heads.splice(0, 1));
      else if (foot && foot.page < page) result.push(...feet.splice(0, 1));
      else break;
    }
  };
  let page = 0;
  for (const draft of drafts) {
    if (draft.page > page) {
      page = draft.page;
      flush(page);
    }
    result.push(draft);
  }
  flush(Infinity);
  return result;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 1;
}

/** The page's segments without furniture, with its tables and pictures as floats in their place. */
function place(
  layout: PageLayout,
  furniture: ReadonlyMap<Segment, string>,
  vocabulary: ReadonlySet<string>,
): { content: PageContent; segments: Segment[]; floats: Map<number, Draft> } {
  const { content } = layout;
  let segments = layout.segments.filter((segment) => !furniture.has(segment));
  const floats = new Map<number, Draft>();
  const add = (draft: Draft): void => {
    floats.set(floats.size, draft);
  };
  for (const region of findTableRegions(content.rules, segments, layout.figures)) {
    const grown = {
      ...region.box,
      top: region.box.top - 2,
      bottom: region.box.bottom + 2,
      left: region.box.left - 3,
      right: region.box.right + 3,
    };
    const inside = segments.filter((segment) => shareInside(segment, grown) > 0.5);
    const table = buildTable(region, inside, vocabulary);
    if (!table) continue;
    const held = new Set(inside);
    segments = segments.filter((segment) => !held.has(segment));
    add({ kind: 'table', lines: [], page: content.number, piece: -1, box: region.box, table });
  }
  for (const box of layout.figures) add({ kind: 'picture', lines: [], page: content.number, piece: -1, box });
  return {
    content,
    segments: [...segments, ...[...floats].map(([id, draft]) => floatSegment(id, draft))],
    floats,
  };
}

function floatSegment(float: number, draft: Draft): Segment {
  return {
    ...draft.box,
    page: draft.page,
    glyphs: [],
    baseline: draft.box.top + 2,
    size: 10,
    font: { name: '', bold: false, italic: false, monospaced: false, smallCaps: false, math: false },
    bold: 0,
    italic: 0,
    math: 0,
    monospaced: 0,
    float,
  };
}

/** The area that text fills, without the few segments that stick out. */
function typeArea(segments: readonly Segment[], content: PageContent): Box {
  const text = segments.filter((segment) => segment.glyphs.length > 3);
  const lefts = text.map((segment) => segment.left).sort((a, b) => a - b);
  const rights = text.map((segment) => segment.right).sort((a, b) => a - b);
  return {
    left: lefts[Math.floor(lefts.length * 0.02)] ?? 0,
    right: rights[Math.floor(rights.length * 0.98)] ?? content.width,
    top: 0,
    bottom: content.height,
  };
}
