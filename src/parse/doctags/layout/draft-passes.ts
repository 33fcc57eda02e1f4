import { splitAbbreviations } from './role/abbreviation.ts';
import { markAdvert } from './role/advert.ts';
import { cutDrafts } from './role/cut-drafts.ts';
import { bindCaptions } from './role/float.ts';
import { markFootnotes } from './role/footnote.ts';
import { releaseAuthorNotes } from './role/front-matter.ts';
import { markHeadings } from './role/heading-features.ts';
import type { HeadingSetting } from './role/heading-features.ts';
import { setHeadingLevels } from './role/heading-level.ts';
import { joinAcrossBreaks } from './role/join.ts';
import { markListItems } from './role/list-item.ts';
import { inPageOrder, pageAsides } from './output/page-order.ts';
import type { Findings, Pass } from './pass.ts';
import { draftPass, pass } from './pass.ts';
import { splitReferences } from './role/reference.ts';
import { splitRunInHeadings } from './role/run-in.ts';
import { readTags } from './role/structure.ts';
import { joinTables } from './table/table-join.ts';
import { markTitle } from './role/title.ts';

/** Passes over drafts: from lines to the blocks of a document. */
export const DRAFT_PASSES: readonly Pass[] = [
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
    needs: ['setting'],
    change: (drafts, { setting }) => bindCaptions(drafts, setting),
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
    needs: ['body', 'information', 'pieces', 'furniture'],
    change(drafts, { body, information, pieces, furniture }) {
      const heads = [...furniture.keys()].map(({ text }) => text);
      markTitle(drafts, { size: body.size, information, margins: marginsOf(pieces), furniture: heads });
      releaseAuthorNotes(drafts);
      return drafts;
    },
  }),
  draftPass({
    name: 'headings',
    job: 'mark headings by how they are set, their numbers, the outline and the tags',
    needs: ['pages', 'body', 'setting', 'outline', 'pieces'],
    change(drafts, found) {
      markHeadings(drafts, headingSetting(found));
      return drafts;
    },
  }),
  draftPass({
    name: 'references',
    job: 'cut lists of references into entries',
    change: splitReferences,
  }),
  draftPass({
    name: 'run-ins',
    job: 'cut headings off the paragraphs they begin',
    needs: ['pieces'],
    change: (drafts, { pieces }) => splitRunInHeadings(drafts, marginsOf(pieces)),
  }),
  draftPass({
    name: 'lists',
    job: 'mark list items, and cut lists of abbreviations into theirs',
    needs: ['body'],
    change(drafts, { body }) {
      markListItems(drafts, body.size);
      return splitAbbreviations(drafts);
    },
  }),
  draftPass({
    name: 'adverts',
    job: "take the publisher's advertisement after the paper out of the text",
    change(drafts) {
      markAdvert(drafts);
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
    needs: ['outline', 'body'],
    change(drafts, { outline, body }) {
      setHeadingLevels(drafts, outline, body.size);
      return drafts;
    },
  }),
  draftPass({
    name: 'page-order',
    job: 'put running heads before and feet after what is on their page',
    needs: ['pages', 'labels', 'text', 'furniture'],
    change: (drafts, found) => inPageOrder(drafts, pageAsides(found)),
  }),
];

function marginsOf(pieces: readonly { readonly margin: boolean }[]): ReadonlySet<number> {
  return new Set(pieces.flatMap((piece, index) => (piece.margin ? [index] : [])));
}

/** What headings are compared with. */
export function headingSetting({
  pages,
  body,
  setting,
  outline,
  pieces,
}: Pick<Findings, 'pages' | 'body' | 'setting' | 'outline' | 'pieces'>): HeadingSetting {
  return {
    ...setting,
    bold: body.bold,
    font: body.font,
    outline,
    margins: marginsOf(pieces),
    tagOf: readTags(pages),
    slides: new Set(pages.filter(({ width, height }) => width > height).map(({ number }) => number)),
    pageHeights: new Map(pages.map((page) => [page.number, page.height])),
  };
}
