import { parseInlines, noteMark, plainText } from '../inline.ts';
import type { BodyBlock, Inline, List, Paper, Paragraph } from '../paper.ts';
import { OWN_JOURNAL, referenceText } from '../references.ts';
import { figureFloat, tableFloat } from './float-box.ts';
import type { LayoutContext } from './float-box.ts';
import { Flow } from './flow.ts';
import type { Draft, NoteItem, TextItem } from './flow.ts';
import { addHeadersAndFooters } from './furniture.ts';
import type { ComposedPage } from './furniture.ts';
import { breakLines, drawLine, setLine, setWords } from './lines.ts';
import type { Setting } from './lines.ts';
import type { Style } from './style.ts';
import { affiliationLine, authorLine } from './title-block.ts';

/** Lays out a paper: the position of every line, rule and picture, and the blocks they form. */
export function compose(paper: Paper, style: Style): readonly ComposedPage[] {
  const body: Setting = { family: style.family, face: 'roman', size: style.size };
  const notes = paper.notes.map((note, index): NoteItem => {
    const setting = { ...body, size: style.size * 0.82 };
    const inlines: Inline[] = [
      { kind: 'sup', text: noteMark(index) },
      { kind: 'text', text: ` ${note}` },
    ];
    const lines = breakLines(setWords(inlines, setting, style), setting, style.page[0] - 2 * style.margin.side);
    return { draft: { kind: 'footnote', text: note }, lines, setting, leading: style.leading * 0.84 };
  });
  const flow = new Flow(style, notes);
  const desk: LayoutContext = { paper, style, flow, body };
  writeTitleBlock(desk);
  for (const section of paper.sections) {
    const title = style.numbered ? `${section.number} ${section.title}` : section.title;
    const [first, ...rest] = section.blocks;
    if (style.manner === 'run-in' && section.level === 2 && first?.kind === 'paragraph') {
      flow.text(runInItem(desk, title, first));
      for (const block of rest) placeBlock(desk, block, false);
      continue;
    }
    flow.text(headingItem(desk, title, section.level));
    section.blocks.forEach((block, index) => placeBlock(desk, block, index === 0));
  }
  writeReferenceList(desk);
  flow.finish();
  return flow.pages.map((page, index) => addHeadersAndFooters(paper, style, page, index + 1));
}

type Spacing = Partial<
  Pick<TextItem, 'before' | 'after' | 'align' | 'leading' | 'indent' | 'beside' | 'trailing' | 'keepWithNext'>
>;

function textItem(
  desk: LayoutContext,
  draft: Draft,
  setting: Setting,
  more: Spacing & { readonly wide?: boolean } = {},
  inlines: readonly Inline[] = text(draft.text),
): TextItem {
  const { style, flow } = desk;
  const [first, rest] = more.indent ?? [0, 0];
  const width = flow.width(more.wide ?? false) - rest;
  return {
    draft,
    // Only justified text is hyphenated, not titles and names.
    lines: breakLines(
      setWords(inlines, setting, { ...style, hyphenate: style.hyphenate && more.align === 'justify' }),
      setting,
      width,
      first - rest,
    ),
    setting,
    leading: setting.size * (style.leading / style.size),
    align: 'left',
    before: 0,
    after: 0,
    ...more,
  };
}

const text = (value: string): Inline[] => [{ kind: 'text', text: value }];

function headingItem(desk: LayoutContext, title: string, level: number): TextItem {
  const { style } = desk;
  const size = style.size * (level === 1 ? 1.22 : 1.06);
  const setting: Setting = { family: style.headFamily, face: level === 1 ? 'bold' : 'boldItalic', size };
  const draft: Draft = { kind: 'heading', text: title, level };
  return textItem(desk, draft, setting, {
    before: style.leading * 0.8,
    after: style.leading * 0.3,
    keepWithNext: true,
  });
}

/** A run-in heading at the start of its paragraph. */
function runInItem(desk: LayoutContext, title: string, paragraph: Paragraph): TextItem {
  const { style, body, flow } = desk;
  const bold = setWords(text(`${title}.`), { ...body, face: 'bold' }, { ...style, hyphenate: false });
  const draft: Draft = { kind: 'text', text: plainText(paragraph.inlines, style.cites, style.notes) };
  const item = textItem(desk, draft, body, { align: 'justify', before: style.leading * 0.5 }, paragraph.inlines);
  return {
    ...item,
    runIn: { kind: 'heading', text: `${title}.`, level: 2 },
    leading: style.leading,
    lines: breakLines([...bold, ...setWords(paragraph.inlines, body, style)], body, flow.width(false)),
  };
}

function placeText(desk: LayoutContext, value: string): void {
  desk.flow.text(
    textItem(desk, { kind: 'text', text: value }, desk.body, {
      align: 'justify',
      indent: [desk.style.indent, 0],
      leading: desk.style.leading,
    }),
  );
}

function writeTitleBlock(desk: LayoutContext): void {
  const { paper, style, flow, body } = desk;
  const { spec, labels } = paper;
  const align = style.centredTitle ? 'centre' : 'left';
  const wide = true;
  const line = (draft: Draft, setting: Setting, after: number): void => {
    if (draft.text !== '') flow.heading(textItem(desk, draft, setting, { align, after, wide }));
  };
  if (style.manner === 'labelled') {
    // The journal name is larger than the title, with the label between them.
    const journal = spec.journal ?? OWN_JOURNAL;
    line({ kind: 'page_header', text: journal }, { ...body, face: 'italic', size: 21 }, 6);
    line({ kind: 'page_header', text: 'RESEARCH ARTICLE' }, { family: 'helvetica', face: 'bold', size: 9 }, 10);
  }
  const title: Setting = { family: style.headFamily, face: 'bold', size: 17 };
  line({ kind: 'title', text: spec.title }, title, 8);
  line({ kind: 'text', text: authorLine(paper) }, { ...body, size: 11 }, 4);
  line({ kind: 'text', text: affiliationLine(paper) }, { ...body, face: 'italic', size: 8.5 }, 12);
  if (spec.abstract !== undefined && spec.abstract !== '') {
    const head: Setting = { family: style.headFamily, face: 'bold', size: style.size };
    line({ kind: 'heading', text: labels.abstract, level: 1 }, head, 2);
    const small = { ...body, size: style.size * 0.94 };
    const abstract: Draft = { kind: 'text', text: spec.abstract };
    flow.heading(textItem(desk, abstract, small, { align: 'justify', after: 6, wide }));
  }
  const keywords: Draft = { kind: 'text', text: `${labels.keywords}: ${paper.keywords.join('; ')}` };
  flow.heading(textItem(desk, keywords, { ...body, size: style.size * 0.9 }, { after: 14, wide }));
}

function placeBlock(desk: LayoutContext, block: BodyBlock, first: boolean): void {
  const { style, flow, body } = desk;
  switch (block.kind) {
    case 'paragraph': {
      const draft: Draft = { kind: 'text', text: plainText(block.inlines, style.cites, style.notes) };
      const indent = first ? 0 : style.indent;
      const before = style.indent === 0 && !first ? style.leading * 0.5 : 0;
      const spacing = { align: 'justify', indent: [indent, 0], before, leading: style.leading } as const;
      flow.text(textItem(desk, draft, body, spacing, block.inlines));
      break;
    }
    case 'list':
      placeList(desk, block);
      break;
    case 'formula': {
      const inlines = parseInlines(block.plain);
      const label = `(${String(block.number)})`;
      const draft: Draft = { kind: 'formula', text: `${plainText(inlines)} ${label}` };
      const spacing: Spacing = {
        align: 'centre',
        before: style.leading * 0.5,
        after: style.leading * 0.5,
        leading: style.leading * 1.2,
        trailing: (x, y, width) => [drawLine(setLine(label, body, style), { x, y, width }, body, 'right')],
      };
      flow.text(textItem(desk, draft, { ...body, face: 'italic' }, spacing, inlines));
      break;
    }
    case 'table':
      flow.float(tableFloat(desk, block));
      break;
    case 'figure':
      flow.float(figureFloat(desk, block));
      break;
  }
}

function placeList(desk: LayoutContext, list: List): void {
  const { style, flow, body } = desk;
  list.items.forEach((item, index) => {
    const marker = list.ordered ? `${String(index + 1)}.` : '•';
    const draft: Draft = {
      kind: 'list_item',
      text: plainText(item, style.cites, style.notes),
      ordered: list.ordered,
      marker,
      depth: 0,
    };
    const last = index === list.items.length - 1;
    const spacing: Spacing = {
      indent: [22, 22],
      before: index === 0 ? 3 : 1.5,
      after: last ? 4 : 0,
      leading: style.leading,
      beside: (x, y) => [drawLine(setLine(marker, body, style), { x: x + 9, y, width: 20 }, body)],
    };
    flow.text(textItem(desk, draft, body, spacing, item));
  });
}

function writeReferenceList(desk: LayoutContext): void {
  const { paper, style, flow, body } = desk;
  if (paper.references.length === 0) return;
  flow.text(headingItem(desk, paper.labels.references, 1));
  const setting: Setting = { ...body, size: style.size * 0.88 };
  const middle = paper.references.length >> 1;
  for (const [index, reference] of paper.references.entries()) {
    if (style.manner === 'broken-references' && index === middle && middle > 2) {
      flow.text(headingItem(desk, 'Conflict of interest', 1));
      placeText(
        desk,
        'The authors declare that no competing interests exist, and that nobody paid for what they wrote here.',
      );
    }
    const label = style.cites === 'bracket' ? `[${String(reference.number)}]` : `${String(reference.number)}.`;
    const { doi } = reference;
    const draft: Draft = { kind: 'reference', text: referenceText(reference), label, ...(doi && { doi }) };
    flow.text(
      textItem(desk, draft, setting, {
        indent: [22, 22],
        before: 1.5,
        beside: (x, y) => [drawLine(setLine(label, setting, style), { x, y, width: 20 }, setting)],
      }),
    );
  }
}
