import { AppError } from '../../../../base/index.ts';
import type { Block, ParsedDocument } from '../../../document.ts';
import type { Draft } from '../draft.ts';
import { regionsOf } from '../draft.ts';
import { textOf } from './draft-text.ts';
import { begin } from '../layout.ts';
import type { OutlineEntry, PageContent } from '../page/page-content.ts';
import type { Findings, Mark } from '../pass.ts';
import { PASSES } from '../passes.ts';

/** What one pass found, as blocks that can be drawn: for passes over drafts, what each draft was and became. */
export function drawPass(
  contents: readonly PageContent[],
  outline: readonly OutlineEntry[],
  information: string,
  name: string,
): ParsedDocument {
  const last = PASSES.findIndex((pass) => pass.name === name);
  if (last < 0)
    throw new AppError('SHOW_NO_PASS', `unknown pass ${name}`, {
      hint: `passes are ${PASSES.map((pass) => pass.name).join(', ')}`,
    });
  let found = begin(contents, outline, information);
  for (const pass of PASSES.slice(0, last)) found = { ...found, ...pass.run(found) };
  const before = new Map((found.drafts as Draft[] | undefined)?.map((draft) => [draft, draft.kind]));
  const pass = PASSES[last];
  found = { ...found, ...pass?.run(found) };
  const drawn =
    pass?.draw?.(found) ?? (found.drafts as Draft[] | undefined)?.flatMap((draft) => marksOf(draft, before));
  return {
    pages: contents.map(({ number, width, height }) => ({ number, width, height })),
    blocks: (drawn ?? []).map((mark, order) => blockOf(mark, order, found)),
    metadata: {
      title: `${name}: ${pass?.job ?? ''}`,
      authors: [],
      pageCount: contents.length,
      needsOcr: [],
      quality: { unmappedGlyphs: 0, columns: 0, confidence: 1 },
    },
  };
}

function marksOf(draft: Draft, before: ReadonlyMap<Draft, Draft['kind']>): Mark[] {
  const was = before.get(draft);
  const change = was === undefined ? 'new: ' : was === draft.kind ? '' : `was ${was}: `;
  return regionsOf(draft).map(({ page, box }) => ({ page, box, kind: draft.kind, text: change + textOf(draft) }));
}

function blockOf({ kind, page, box, text }: Mark, order: number, { views }: Findings): Block {
  const base = { order, text, regions: [{ page, box: views.get(page)?.back(box) ?? box }] };
  if (kind === 'heading') return { ...base, kind, level: 1 };
  if (kind === 'list_item') return { ...base, kind, ordered: false, depth: 0 };
  if (kind === 'table') return { ...base, kind, table: { rows: 0, columns: 0, cells: [] } };
  if (kind === 'reference' || kind === 'code' || kind === 'picture') return { ...base, kind };
  return { ...base, kind };
}
