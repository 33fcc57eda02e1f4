import type { Box } from '../../document.ts';
import { composeAccents, restoreBullets, withDrawnBullets } from './text/marks.ts';
import { readingOrder, voteForGutters, bodyType, linePitches, typeArea, usesIndent } from './page/column.ts';
import type { PictureLabels } from './page/figure.ts';
import {
  figureGlyphs,
  findFigures,
  labelPictures,
  withoutLabels,
  withoutRunningHeads,
  withSurroundings,
} from './page/figure.ts';
import { findFurniture, turnedLines } from './page/furniture.ts';
import { collectVocabulary } from './text/glyph-text.ts';
import type { Segment } from './page/segment.ts';
import { buildLines, buildSegments } from './page/segment.ts';
import type { PageView } from './page/page-view.ts';
import { findPageRules, viewPage } from './page/page-view.ts';
import type { Pass, Draft, Findings } from './draft.ts';
import { pass } from './draft.ts';
import { placeFloats } from './table/place-floats.ts';
import { stripeRules } from './table/table-region.ts';
import { swallowsText } from './page/scan.ts';
import type { OutlineEntry, PageContent, PageJump, PageLink } from './page/page-content.ts';
import { DRAFT_PASSES } from './draft-passes.ts';

/** Passes over pages: from glyphs to lines in reading order. */
const PAGE_PASSES: readonly Pass[] = [
  pass({
    name: 'views',
    needs: ['contents'],
    gives: ['views', 'pages'],
    run({ contents }) {
      const views = new Map(contents.map((page) => [page.number, viewPage(page)]));
      return { views, pages: [...views.values()].map((view) => view.page) };
    },
  }),
  pass({
    name: 'segments',
    needs: ['pages', 'views'],
    gives: ['segments', 'body', 'drawn'],
    run({ pages, views }) {
      const inForms = pages.map((page) => figureGlyphs(page));
      const whole = pages.map((page, index) => {
        const upright = page.glyphs.filter((glyph) => glyph.turn === 0 && !inForms[index]?.has(glyph));
        return withDrawnBullets(composeAccents(restoreBullets(upright)), page.drawings);
      });
      const segments = new Map(
        pages.map(({ number }, index) => [
          number,
          buildSegments(number, whole[index] ?? [], views.get(number)?.mirrored),
        ]),
      );
      const drawn = new Map(
        pages.map(({ number }, index) => [
          number,
          buildSegments(number, composeAccents([...(inForms[index] ?? [])].filter(({ turn }) => turn === 0))),
        ]),
      );
      return { segments, drawn, body: bodyType([...segments.values()].flat()) };
    },
  }),
  pass({
    name: 'pictures',
    needs: ['pages', 'segments', 'drawn', 'body'],
    gives: ['pictures', 'text', 'labels', 'givenBack'],
    run({ pages, segments, drawn, body }) {
      const found = pages.map((page) => {
        const own = segments.get(page.number) ?? [];
        const boxes = withSurroundings(findFigures(page, own), own, body, page.rules);
        return [page.number, boxes, boxes.filter((box) => !swallowsText(box, own))] as const;
      });
      const pictures = new Map<number, readonly Box[]>(found.map(([page, , kept]) => [page, kept]));
      // A running head may lie on a picture.
      const places = new Map<string, number>();
      for (const each of [...segments.values()].flat())
        if (placeOf(each) !== '') places.set(placeOf(each), (places.get(placeOf(each)) ?? 0) + 1);
      const text = new Map<number, readonly Segment[]>();
      const labels = new Map<number, PictureLabels>();
      for (const page of pages) {
        const { number } = page;
        const own = segments.get(number) ?? [];
        const boxes = pictures.get(number) ?? [];
        const kept = withoutLabels(own, boxes, body.size, (segment) => (places.get(placeOf(segment)) ?? 0) > 2);
        const held = new Set(kept);
        const found = labelPictures(boxes, {
          text: kept,
          labels: own.filter((segment) => !held.has(segment)),
          drawn: drawn.get(number) ?? [],
          turned: turnedLines(page),
        });
        labels.set(number, found);
        pictures.set(number, [...found.texts.keys()]);
        text.set(number, [...kept, ...found.loose]);
      }
      return {
        pictures,
        text,
        labels: withoutRunningHeads(labels),
        givenBack: new Map(found.map(([page, all, kept]) => [page, all.length - kept.length])),
      };
    },
  }),
  pass({
    name: 'furniture',
    needs: ['pages', 'text', 'body'],
    gives: ['furniture'],
    run: ({ pages, text, body }) => ({
      furniture: findFurniture(
        pages.map((page) => {
          const segments = text.get(page.number) ?? [];
          return { ...page, page: page.number, segments, rules: [...page.rules, ...stripeRules(page, segments)] };
        }),
        body.size,
      ),
    }),
  }),
  pass({
    name: 'page-rules',
    needs: ['pages', 'text', 'furniture'],
    gives: ['pageRules'],
    run: ({ pages, text, furniture }) => ({
      pageRules: findPageRules(pages.map((content) => ({ content, text: text.get(content.number) ?? [], furniture }))),
    }),
  }),
  pass({
    name: 'vocabulary',
    needs: ['text'],
    gives: ['vocabulary'],
    run: ({ text }) => ({
      vocabulary: collectVocabulary([...text.values()].flat().map((each) => each.text)),
    }),
  }),
  pass({
    name: 'tables',
    needs: ['pages', 'text', 'furniture', 'pageRules', 'pictures', 'labels', 'vocabulary', 'body'],
    gives: ['floats', 'placed', 'takenBack'],
    run({ pages, text, furniture, pageRules, pictures, labels, vocabulary, body }) {
      const placed = pages.map(
        (page) =>
          [
            page.number,
            placeFloats(
              { ...page, rules: page.rules.filter((rule) => !pageRules.has(rule)) },
              (text.get(page.number) ?? []).filter((segment) => !furniture.has(segment)),
              (pictures.get(page.number) ?? []).map((box) => ({
                box,
                text: labels.get(page.number)?.texts.get(box) ?? '',
              })),
              { vocabulary, bodySize: body.size },
            ),
          ] as const,
      );
      return {
        floats: new Map(placed.map(([page, { floats }]) => [page, floats])),
        placed: new Map(placed.map(([page, { segments }]) => [page, segments])),
        takenBack: new Map(placed.map(([page, { takenBack }]) => [page, takenBack])),
      };
    },
  }),
  pass({
    name: 'columns',
    needs: ['pages', 'placed'],
    gives: ['columns'],
    run({ pages, placed }) {
      const votes = voteForGutters([...placed.values()]);
      return {
        columns: new Map(
          pages.map((page) => {
            const segments = placed.get(page.number) ?? [];
            return [page.number, readingOrder(segments, typeArea(segments, page), votes)];
          }),
        ),
      };
    },
  }),
  pass({
    name: 'lines',
    needs: ['columns', 'body'],
    gives: ['pieces', 'setting'],
    run({ columns, body }) {
      const pieces = [...columns].flatMap(([page, parts]) =>
        parts.map((part) => ({ page, lines: buildLines(part.segments, part.box), margin: part.margin === true })),
      );
      const lines = pieces.flatMap((piece) => piece.lines.filter((line) => line.float === undefined));
      return {
        pieces,
        setting: { size: body.size, pitches: linePitches(lines), indented: usesIndent(lines, body.size) },
      };
    },
  }),
];

/** The words of a segment without numbers, and its height on the page: what repeats there is no label. */
function placeOf({ text, baseline }: Segment): string {
  return text.length < 8 ? '' : `${Math.round(baseline / 4)} ${text.replace(/\d+/gu, '#')}`;
}

/** All passes, in the order in which they run. */
export const PASSES: readonly Pass[] = [...PAGE_PASSES, ...DRAFT_PASSES];

/** A recognised document, before it is written as blocks. */
export interface Layout {
  readonly drafts: readonly Draft[];
  readonly vocabulary: ReadonlySet<string>;
  readonly columns: number;
  /** The share of pages on which a structure was taken back, because it would have lost text. */
  readonly doubtful: number;
  /** Links by page, where the layout sees them. */
  readonly links: ReadonlyMap<number, readonly PageLink[]>;
  readonly jumps: ReadonlyMap<number, readonly PageJump[]>;
  /** How each page was looked at. */
  readonly views: ReadonlyMap<number, PageView>;
}

/** Recognises the blocks of a document from the content of its pages. `without` skips passes, to measure what each is worth. */
export function analyse(
  contents: readonly PageContent[],
  outline: readonly OutlineEntry[],
  information: string,
  without: readonly string[] = [],
): Layout {
  let found = begin(contents, outline, information);
  for (const pass of PASSES.filter(({ name }) => !without.includes(name))) found = { ...found, ...pass.run(found) };
  const { drafts, vocabulary, columns, pages, views, givenBack, takenBack } = found;
  const doubtful = pages.filter(({ number }) => (givenBack.get(number) ?? 0) + (takenBack.get(number) ?? 0) > 0).length;
  return {
    drafts,
    vocabulary,
    doubtful: doubtful / Math.max(1, pages.length),
    columns: median([...columns.values()].map(countColumns)),
    links: new Map(pages.map((page) => [page.number, page.links])),
    jumps: new Map(pages.map((page) => [page.number, page.jumps])),
    views,
  };
}

/** What is known before the first pass. */
export function begin(
  contents: readonly PageContent[],
  outline: readonly OutlineEntry[],
  information: string,
): Findings {
  // Each pass reads only what passes before it have given: a test holds that.
  return { contents, outline, information } as Findings;
}

function countColumns(parts: readonly { readonly box: Box }[]): number {
  return new Set(parts.map((part) => Math.round(part.box.left / 20))).size;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 1;
}
