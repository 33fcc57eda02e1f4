import type { Box } from '../../document.ts';
import { composeAccents, restoreBullets, withDrawnBullets } from './text/marks.ts';
import { readingOrder, voteForGutters, bodyType, linePitches, typeArea, usesIndent } from './page/column.ts';
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
import { countBy, quantile } from './statistics.ts';
import type { Segment } from './page/segment.ts';
import { buildLines, buildSegments } from './page/segment.ts';
import { findPageRules, proseSegments, viewPage, withHeads, withLastLines } from './page/page-view.ts';
import type { Findings, Layout, Pass } from './findings.ts';
import { pass } from './findings.ts';
import { placeFloats } from './table/place-floats.ts';
import { stripeRules } from './table/table-region.ts';
import { swallowsText } from './page/scan.ts';
import type { OutlineEntry, PageContent } from './page/page-content.ts';
import { DRAFT_PASSES } from './draft-passes.ts';

/** Passes over pages: from glyphs to lines in reading order. */
const PAGE_PASSES: readonly Pass[] = [
  pass('views', ['contents'], ({ contents }) => {
    const views = new Map(contents.map((page) => [page.number, viewPage(page)]));
    return { views, pages: [...views.values()].map((view) => view.page) };
  }),
  pass('segments', ['pages', 'views'], ({ pages, views }) => {
    const inForms = byPage(pages, figureGlyphs);
    const segments = byPage(pages, ({ number, glyphs, drawings }) => {
      const upright = glyphs.filter((glyph) => glyph.turn === 0 && !inForms.get(number)?.has(glyph));
      const whole = withDrawnBullets(composeAccents(restoreBullets(upright)), drawings);
      return buildSegments(number, whole, views.get(number)?.mirrored);
    });
    const drawn = byPage(pages, ({ number }) =>
      buildSegments(number, composeAccents([...(inForms.get(number) ?? [])].filter(({ turn }) => turn === 0))),
    );
    return { segments, drawn, body: bodyType([...segments.values()].flat()) };
  }),
  pass('pictures', ['pages', 'segments', 'drawn', 'body'], ({ pages, segments, drawn, body }) => {
    // A running head may lie on a picture.
    const all = [...segments.values()].flat();
    const placeBy = new Map(all.map((segment) => [segment, placeOf(segment)]));
    const places = countBy(all, (segment) => placeBy.get(segment));
    const repeats = (segment: Segment): boolean =>
      segment.text.length >= 8 && (places.get(placeBy.get(segment)) ?? 0) > 2;
    const found = byPage(pages, (page) => {
      const own = segments.get(page.number) ?? [];
      const prose = proseSegments(own);
      const running = withHeads(withLastLines(prose, own), own);
      const around = own.filter((segment) => !running.has(segment));
      const boxes = withSurroundings(findFigures(page, own, prose), around, body, page.rules);
      const pictures = boxes.filter((box) => !swallowsText(box, own));
      const kept = withoutLabels(own, pictures, body.size, (segment) => repeats(segment) || running.has(segment));
      const held = new Set(kept);
      const labels = labelPictures(pictures, {
        text: kept,
        labels: own.filter((segment) => !held.has(segment)),
        drawn: drawn.get(page.number) ?? [],
        turned: turnedLines(page),
      });
      return { labels, text: [...kept, ...labels.loose], givenBack: boxes.length - pictures.length };
    });
    return {
      pictures: byPage(pages, ({ number }) => [...(found.get(number)?.labels.texts.keys() ?? [])]),
      text: byPage(pages, ({ number }) => found.get(number)?.text ?? []),
      labels: withoutRunningHeads(new Map([...found].map(([page, { labels }]) => [page, labels]))),
      givenBack: byPage(pages, ({ number }) => found.get(number)?.givenBack ?? 0),
    };
  }),
  pass('furniture', ['pages', 'text', 'body'], ({ pages, text, body }) => ({
    furniture: findFurniture(
      pages.map((page) => {
        const segments = text.get(page.number) ?? [];
        return { ...page, page: page.number, segments, rules: [...page.rules, ...stripeRules(page, segments)] };
      }),
      body.size,
    ),
  })),
  pass('page-rules', ['pages', 'text', 'furniture'], ({ pages, text, furniture }) => ({
    pageRules: findPageRules(pages.map((content) => ({ content, text: text.get(content.number) ?? [], furniture }))),
  })),
  pass('vocabulary', ['text'], ({ text }) => ({
    vocabulary: collectVocabulary([...text.values()].flat().map((each) => each.text)),
  })),
  pass(
    'tables',
    ['pages', 'text', 'furniture', 'pageRules', 'pictures', 'labels', 'vocabulary', 'body'],
    ({ pages, ...found }) => {
      const placed = byPage(pages, (page) => placeFloats(page, found));
      return {
        floats: new Map([...placed].map(([page, { floats }]) => [page, floats])),
        placed: new Map([...placed].map(([page, { segments }]) => [page, segments])),
        takenBack: new Map([...placed].map(([page, { takenBack }]) => [page, takenBack])),
      };
    },
  ),
  pass('columns', ['pages', 'placed'], ({ pages, placed }) => {
    const votes = voteForGutters([...placed.values()]);
    const columns = byPage(pages, (page) => {
      const segments = placed.get(page.number) ?? [];
      return readingOrder(segments, typeArea(segments, page), votes);
    });
    return { columns };
  }),
  pass('lines', ['columns', 'body'], ({ columns, body }) => {
    const pieces = [...columns].flatMap(([page, parts]) =>
      parts.map((part) => ({ page, lines: buildLines(part.segments, part.box), margin: part.margin === true })),
    );
    const lines = pieces.flatMap((piece) => piece.lines.filter((line) => line.float === undefined));
    return {
      pieces,
      setting: {
        size: body.size,
        font: body.font,
        pitches: linePitches(lines),
        indented: usesIndent(lines, body.size),
      },
    };
  }),
];

function byPage<T>(pages: readonly PageContent[], find: (page: PageContent) => T): Map<number, T> {
  return new Map(pages.map((page) => [page.number, find(page)]));
}

/** The words of a segment without numbers, and its height on the page: what repeats there is no label. */
function placeOf({ text, baseline }: Segment): string {
  return `${Math.round(baseline / 4)} ${text.replace(/\d+/gu, '#')}`;
}

export const PASSES: readonly Pass[] = [...PAGE_PASSES, ...DRAFT_PASSES];

/**
 * Recognises the blocks of a document from the content of its pages. `without` skips passes, to measure what each is
 * worth.
 */
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
    columns: quantile([...columns.values()].map(countColumns), 0.5) ?? 1,
    views,
  };
}

export function begin(
  contents: readonly PageContent[],
  outline: readonly OutlineEntry[],
  information: string,
): Findings {
  // Each pass reads only results of earlier passes; a test checks that.
  return { contents, outline, information } as Findings;
}

function countColumns(parts: readonly { readonly box: Box }[]): number {
  return new Set(parts.map((part) => Math.round(part.box.left / 20))).size;
}
