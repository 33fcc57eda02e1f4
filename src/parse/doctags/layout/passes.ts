import { composeAccents } from './accent.ts';
import { restoreBullets } from './bullet.ts';
import { readingOrder, voteForGutters } from './column.ts';
import { cutDrafts } from './cut-drafts.ts';
import { figureGlyphs, findFigures, withoutLabels, withSurroundings } from './figure.ts';
import { bindCaptions } from './float.ts';
import { markFootnotes } from './footnote.ts';
import { releaseAuthorNotes } from './front-matter.ts';
import { findFurniture } from './furniture.ts';
import { markHeadings } from './heading.ts';
import { setHeadingLevels } from './heading-level.ts';
import { collectVocabulary } from './hyphen.ts';
import { joinAcrossBreaks } from './join.ts';
import { buildLines } from './line.ts';
import { markListItems } from './list-item.ts';
import { inPageOrder, pageAsides } from './page-order.ts';
import { viewPage } from './page-view.ts';
import type { Pass } from './pass.ts';
import { draftPass, marks, pass } from './pass.ts';
import { placeFloats } from './place-floats.ts';
import { splitReferences } from './reference.ts';
import { splitRunInHeadings } from './run-in.ts';
import { buildSegments } from './segment.ts';
import { glyphsText } from './segment-text.ts';
import { readTags } from './structure.ts';
import { joinTables } from './table-join.ts';
import { markTitle } from './title.ts';
import { bodyType, linePitches, typeArea, usesIndent } from './type-area.ts';

/** The analysis of a document, step by step. */
export const PASSES: readonly Pass[] = [
  pass({
    name: 'views',
    job: 'turn and mirror pages so that text runs from left to right',
    needs: ['contents'],
    gives: ['views', 'pages'],
    run({ contents }) {
      const views = new Map(contents.map((page) => [page.number, viewPage(page)]));
      return { views, pages: [...views.values()].map((view) => view.page) };
    },
    draw: ({ pages }) =>
      pages.map(({ number, width, height, glyphs }) => ({
        page: number,
        box: { left: 0, top: 0, right: width, bottom: height },
        kind: 'text',
        text: `${glyphs.length} glyphs`,
      })),
  }),
  pass({
    name: 'segments',
    job: 'put glyphs together into pieces of lines, and find the type of the running text',
    needs: ['pages', 'views'],
    gives: ['segments', 'body'],
    run({ pages, views }) {
      const segments = new Map(
        pages.map((page) => {
          const drawn = figureGlyphs(page);
          const upright = page.glyphs.filter((glyph) => glyph.turn === 0 && !drawn.has(glyph));
          const whole = composeAccents(restoreBullets(upright));
          return [page.number, buildSegments(page.number, whole, views.get(page.number)?.mirrored)];
        }),
      );
      return { segments, body: bodyType([...segments.values()].flat()) };
    },
    draw: ({ segments }) =>
      marks(segments, (each) => ({ box: each, kind: 'text', text: glyphsText(each.glyphs, each.size, each.baseline) })),
  }),
  pass({
    name: 'pictures',
    job: 'find pictures and take their labels out of the text',
    needs: ['pages', 'segments', 'body'],
    gives: ['pictures', 'text'],
    run({ pages, segments, body }) {
      const pictures = new Map(
        pages.map((page) => [page.number, withSurroundings(findFigures(page), segments.get(page.number) ?? [], body)]),
      );
      const text = new Map(
        pages.map(({ number }) => [
          number,
          withoutLabels(segments.get(number) ?? [], pictures.get(number) ?? [], body.size),
        ]),
      );
      return { pictures, text };
    },
    draw: ({ pictures }) => marks(pictures, (box) => ({ box, kind: 'picture', text: 'picture' })),
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
    draw: ({ furniture }) =>
      [...furniture].map(([segment, kind]) => ({
        page: segment.page,
        box: segment,
        kind,
        text: glyphsText(segment.glyphs, segment.size, segment.baseline),
      })),
  }),
  pass({
    name: 'vocabulary',
    job: 'collect the words of the document, by which broken ones are put together',
    needs: ['text'],
    gives: ['vocabulary'],
    run: ({ text }) => ({
      vocabulary: collectVocabulary(
        [...text.values()].flat().map((each) => glyphsText(each.glyphs, each.size, each.baseline)),
      ),
    }),
  }),
  pass({
    name: 'tables',
    job: 'find tables by their rules, and put tables and pictures where they stand in the text',
    needs: ['pages', 'text', 'furniture', 'pictures', 'vocabulary'],
    gives: ['floats', 'placed'],
    run({ pages, text, furniture, pictures, vocabulary }) {
      const placed = pages.map(
        (page) =>
          [
            page.number,
            placeFloats(
              page,
              (text.get(page.number) ?? []).filter((segment) => !furniture.has(segment)),
              pictures.get(page.number) ?? [],
              vocabulary,
            ),
          ] as const,
      );
      return {
        floats: new Map(placed.map(([page, { floats }]) => [page, floats])),
        placed: new Map(placed.map(([page, { segments }]) => [page, segments])),
      };
    },
    draw: ({ floats }) =>
      [...floats].flatMap(([page, all]) =>
        [...all.values()].map(({ box, kind, table }) => ({
          page,
          box,
          kind,
          text: table ? `${table.rows} rows, ${table.columns} columns` : '',
        })),
      ),
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
    draw: ({ columns }) =>
      marks(columns, ({ box, margin, segments }) => ({
        box,
        kind: margin ? 'footnote' : 'text',
        text: `${segments.length} segments${margin ? ' in the margin' : ''}`,
      })),
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
    draw: ({ pieces }) =>
      pieces.flatMap(({ page, lines, margin }) =>
        lines.map((line) => ({ page, box: line, kind: margin ? ('footnote' as const) : 'text', text: line.text })),
      ),
  }),
  pass({
    name: 'paragraphs',
    job: 'cut lines into paragraphs, formulas, listings and tables without rules',
    needs: ['pieces', 'floats', 'setting', 'vocabulary'],
    gives: ['drafts'],
    run: ({ pieces, floats, setting, vocabulary }) => ({ drafts: cutDrafts(pieces, floats, setting, vocabulary) }),
  }),
  draftPass({
    name: 'table-joins',
    job: 'join tables that go on over pages',
    change: joinTables,
  }),
  draftPass({
    name: 'captions',
    job: 'mark captions and bind them to their tables and pictures',
    change(drafts) {
      bindCaptions(drafts);
      return drafts;
    },
  }),
  draftPass({
    name: 'footnotes',
    job: 'mark notes at the foot of columns and under tables',
    needs: ['pages', 'body'],
    change(drafts, { pages, body }) {
      const rules = new Map(pages.map((page) => [page.number, page.rules.map((rule) => rule.box)]));
      markFootnotes(drafts, body.size, rules);
      return drafts.filter((draft) => draft.lines.length > 0 || draft.kind === 'table' || draft.kind === 'picture');
    },
  }),
  draftPass({
    name: 'title',
    job: 'find the title on the first page',
    needs: ['body', 'information', 'pieces'],
    change(drafts, { body, information, pieces }) {
      markTitle(drafts, { size: body.size, information, margins: marginsOf(pieces) });
      releaseAuthorNotes(drafts);
      return drafts;
    },
  }),
  draftPass({
    name: 'headings',
    job: 'mark headings by how they are set, their numbers, the outline and the tags',
    needs: ['pages', 'body', 'setting', 'outline', 'pieces'],
    change(drafts, { pages, body, setting, outline, pieces }) {
      markHeadings(drafts, {
        ...setting,
        bold: body.bold,
        font: body.font,
        outline,
        margins: marginsOf(pieces),
        tagOf: readTags(pages),
      });
      return splitRunInHeadings(drafts);
    },
  }),
  draftPass({
    name: 'references',
    job: 'cut lists of references into entries',
    change: splitReferences,
  }),
  draftPass({
    name: 'lists',
    job: 'mark list items',
    needs: ['body'],
    change(drafts, { body }) {
      markListItems(drafts, body.size);
      return drafts;
    },
  }),
  draftPass({
    name: 'joins',
    job: 'join paragraphs that a column or page break has cut',
    needs: ['setting'],
    change: (drafts, { setting }) => joinAcrossBreaks(drafts, setting.indented),
  }),
  draftPass({
    name: 'levels',
    job: 'give headings their levels',
    needs: ['outline'],
    change(drafts, { outline }) {
      setHeadingLevels(drafts, outline);
      return drafts;
    },
  }),
  draftPass({
    name: 'page-order',
    job: 'put running heads before and feet after what stands on their page',
    needs: ['pages', 'pictures', 'text', 'furniture'],
    change: (drafts, found) => inPageOrder(drafts, pageAsides(found)),
  }),
];

function marginsOf(pieces: readonly { readonly margin: boolean }[]): ReadonlySet<number> {
  return new Set(pieces.flatMap((piece, index) => (piece.margin ? [index] : [])));
}
