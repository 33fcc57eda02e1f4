import type { Box } from '../../document.ts';
import { composeAccents } from './text/accent.ts';
import { drawnBullets, restoreBullets } from './text/bullet.ts';
import { readingOrder, voteForGutters } from './page/column.ts';
import type { PictureLabels } from './page/figure.ts';
import {
  figureGlyphs,
  findFigures,
  labelPictures,
  withoutLabels,
  withoutRunningHeads,
  withSurroundings,
} from './page/figure.ts';
import { findFurniture } from './page/furniture.ts';
import { collectVocabulary } from './text/hyphen.ts';
import { buildLines } from './page/line.ts';
import { findPageRules } from './page/page-rule.ts';
import { viewPage } from './page/page-view.ts';
import type { Pass } from './pass.ts';
import { pass } from './pass.ts';
import { placeFloats } from './table/place-floats.ts';
import { swallowsText } from './page/safety.ts';
import type { Segment } from './page/segment.ts';
import { buildSegments } from './page/segment.ts';
import { turnedLines } from './page/stamp.ts';
import { bodyType, linePitches, typeArea, usesIndent } from './page/type-area.ts';

/** Passes over pages: from glyphs to lines in reading order. */
export const PAGE_PASSES: readonly Pass[] = [
  pass({
    name: 'views',
    job: 'turn and mirror pages so that text runs from left to right',
    needs: ['contents'],
    gives: ['views', 'pages'],
    run({ contents }) {
      const views = new Map(contents.map((page) => [page.number, viewPage(page)]));
      return { views, pages: [...views.values()].map((view) => view.page) };
    },
  }),
  pass({
    name: 'segments',
    job: 'put glyphs together into pieces of lines, and find the type of the running text',
    needs: ['pages', 'views'],
    gives: ['segments', 'body', 'drawn'],
    run({ pages, views }) {
      const inForms = pages.map((page) => figureGlyphs(page));
      const whole = drawnBullets(
        pages.map((page, index) => {
          const upright = page.glyphs.filter((glyph) => glyph.turn === 0 && !inForms[index]?.has(glyph));
          return { drawings: page.drawings, glyphs: composeAccents(restoreBullets(upright)) };
        }),
      );
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
    job: 'find pictures and take their labels out of the text',
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
    job: 'find running heads, feet, page and line numbers',
    needs: ['pages', 'text', 'body'],
    gives: ['furniture'],
    run: ({ pages, text, body }) => ({
      furniture: findFurniture(
        pages.map(({ number, width, height }) => ({ page: number, width, height, segments: text.get(number) ?? [] })),
        body.size,
      ),
    }),
  }),
  pass({
    name: 'page-rules',
    job: 'find rules that belong to the page: under running heads, above feet, round the page',
    needs: ['pages', 'text', 'furniture'],
    gives: ['pageRules'],
    run: ({ pages, text, furniture }) => ({
      pageRules: findPageRules(pages.map((content) => ({ content, text: text.get(content.number) ?? [], furniture }))),
    }),
  }),
  pass({
    name: 'vocabulary',
    job: 'collect the words of the document, by which broken ones are put together',
    needs: ['text'],
    gives: ['vocabulary'],
    run: ({ text }) => ({
      vocabulary: collectVocabulary([...text.values()].flat().map((each) => each.text)),
    }),
  }),
  pass({
    name: 'tables',
    job: 'find tables by their rules, and put tables and pictures where they are in the text',
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
    job: 'cut pages into pieces of columns, in reading order',
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
    job: 'join segments into lines, and learn how far apart they are set and whether paragraphs are indented',
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
