import { splitAbbreviations, markListItems } from './role/list-item.ts';
import { bindCaptions, joinTables } from './role/caption.ts';
import { markFootnotes } from './role/footnote.ts';
import { releaseAuthorNotes, markTitle } from './role/title.ts';
import type { HeadingSetting } from './role/heading.ts';
import { markHeadings } from './role/heading.ts';
import { setHeadingLevels, splitRunInHeadings } from './role/heading-level.ts';
import { joinAcrossBreaks, cutParagraphs } from './role/paragraph.ts';
import { inPageOrder, pageAsides } from './output/document-blocks.ts';
import { withUnplaced } from './output/unplaced.ts';
import type { Draft } from './draft.ts';
import { textOf } from './draft.ts';
import type { ByPage, Findings, LinePiece, Pass } from './findings.ts';
import { draftPass, pass } from './findings.ts';
import { scoreLines } from './role/line-roles.ts';
import { splitReferences } from './role/reference.ts';
import type { Line, Setting } from './page/segment.ts';
import { lettersIn } from './page/scan.ts';
import { findUnruledTables } from './table/table-region.ts';

/** Passes over drafts: from lines to the blocks of a document. */
export const DRAFT_PASSES: readonly Pass[] = [
  pass('paragraphs', ['pieces', 'floats', 'setting', 'vocabulary'], ({ pieces, floats, setting, vocabulary }) => ({
    drafts: cutDrafts(pieces, floats, setting, vocabulary),
  })),
  draftPass('table-joins', [], joinTables),
  draftPass('captions', ['setting'], (drafts, { setting }) => bindCaptions(drafts, setting)),
  draftPass('footnotes', ['pages', 'body'], (drafts, { pages, body }) => {
    const rules = new Map(pages.map((page) => [page.number, page.rules.map((rule) => rule.box)]));
    markFootnotes(drafts, body.size, rules);
    return drafts.filter((draft) => draft.lines.length > 0 || draft.kind === 'table' || draft.kind === 'picture');
  }),
  draftPass('title', ['body', 'information', 'pieces', 'furniture'], (drafts, found) => {
    const { body, information, pieces, furniture } = found;
    const heads = [...furniture.keys()].map(({ text }) => text);
    markTitle(drafts, { size: body.size, information, margins: marginsOf(pieces), furniture: heads });
    releaseAuthorNotes(drafts);
  }),
  draftPass('headings', ['pages', 'body', 'setting', 'outline', 'pieces'], (drafts, found) =>
    markHeadings(drafts, headingSetting(found)),
  ),
  draftPass('references', ['pieces', 'pages', 'body', 'setting', 'information'], (drafts, found) =>
    splitReferences(drafts, () => scoreLines(found)),
  ),
  draftPass('run-ins', ['pieces', 'body'], (drafts, { pieces, body }) =>
    splitRunInHeadings(drafts, { margins: marginsOf(pieces), font: body.font }),
  ),
  draftPass('lists', [], (drafts) => {
    markListItems(drafts);
    return splitAbbreviations(drafts);
  }),
  draftPass('adverts', [], markAdvert),
  draftPass('identifiers', [], markIdentifiers),
  draftPass('joins', ['setting'], (drafts, { setting }) => joinAcrossBreaks(drafts, setting.indented)),
  draftPass('levels', ['outline', 'body'], (drafts, { outline, body }) => setHeadingLevels(drafts, outline, body.size)),
  draftPass('page-order', ['pages', 'labels', 'text', 'furniture'], (drafts, found) =>
    inPageOrder(drafts, pageAsides(found)),
  ),
  draftPass('unplaced', ['pages'], (drafts, { pages }) => withUnplaced(drafts, pages)),
];

function marginsOf(pieces: readonly { readonly margin: boolean }[]): ReadonlySet<number> {
  return new Set(pieces.flatMap((piece, index) => (piece.margin ? [index] : [])));
}

export function headingSetting({
  pages,
  body,
  setting,
  outline,
  pieces,
}: Pick<Findings, 'pages' | 'body' | 'setting' | 'outline' | 'pieces'>): HeadingSetting {
  return {
    ...setting,
    font: body.font,
    outline,
    margins: marginsOf(pieces),
    slides: new Set(pages.filter(({ width, height }) => width > height).map(({ number }) => number)),
    pageHeights: new Map(pages.map((page) => [page.number, page.height])),
  };
}

/** Invites to write for the journal: an advertisement of the publisher. */
const INVITES =
  /^(?:(?:are you )?ready to submit|submit (?:your|a) (?:next |own )?(?:manuscripts?|research|work|papers?|articles?)|publish (?:your|with)\b|advantages of publishing)/iu;

/** Marks the publisher's advertisement at the foot of the last page as furniture: nothing of the paper is below it. */
function markAdvert(drafts: readonly Draft[]): void {
  const last = drafts.at(-1)?.page;
  if (!drafts.some((draft) => draft.kind === 'reference')) return;
  const page = drafts.filter((draft) => draft.page === last);
  const invitations = page.filter((draft) => isWords(draft) && INVITES.test(textOf(draft)));
  const [first] = invitations.toSorted((a, b) => a.box.top - b.box.top);
  const [line] = first?.lines ?? [];
  if (!first || !line) return;
  // The name of the house may be in large letters right above the invitation.
  const reach = (draft: Draft): number => (textOf(draft).split(/\s+/u).length <= 2 ? 3 * line.size : 0);
  const below = page.filter((draft) => draft.box.bottom > first.box.top - (isWords(draft) ? reach(draft) : 0));
  if (below.some((draft) => !isWords(draft) && draft.kind !== 'picture')) return;
  for (const draft of below) if (isWords(draft)) draft.kind = 'page_footer';
}

const DOI_ALONE = /^(?:https?:\/\/)?(?:dx\.)?(?:doi\.org\/|doi\s?:?\s?)?10\.\d{4,9}\/\S+$/iu;

/** A DOI that stands alone is the paper's own, at its head or behind its end: nothing to read. */
function markIdentifiers(drafts: readonly Draft[]): void {
  for (const draft of drafts)
    if (draft.kind === 'text' && draft.lines.length <= 2 && DOI_ALONE.test(textOf(draft))) draft.kind = 'page_footer';
}

function isWords({ kind }: Draft): boolean {
  return kind === 'text' || kind === 'heading' || kind === 'list_item' || kind === 'footnote';
}

function cutDrafts(
  pieces: readonly LinePiece[],
  floats: ByPage<ReadonlyMap<number, Draft>>,
  setting: Setting,
  vocabulary: ReadonlySet<string>,
): Draft[] {
  const drafts: Draft[] = [];
  pieces.forEach(({ lines, page }, piece) => {
    const tables = new Map(findUnruledTables(lines, vocabulary).map((table) => [table.from, table]));
    let run: Line[] = [];
    const close = (): void => {
      drafts.push(...cutParagraphs(run, piece, setting));
      run = [];
    };
    for (let at = 0; at < lines.length; at += 1) {
      const line = lines[at];
      const unruled = tables.get(at);
      if (!line) continue;
      if (unruled) {
        close();
        const letters = new Map([[page, lettersIn(lines.slice(at, unruled.to))]]);
        const { box, table } = unruled;
        drafts.push({ kind: 'table', lines: [], page, piece, box, table, letters });
        at = unruled.to - 1;
      } else if (line.float === undefined) {
        run.push(line);
      } else {
        close();
        const float = floats.get(page)?.get(line.float);
        if (float) drafts.push({ ...float, piece });
      }
    }
    close();
  });
  return drafts;
}
