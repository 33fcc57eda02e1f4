import { unionBox } from '../page/box.ts';
import type { Draft } from '../draft.ts';
import { draftOf, textOf } from '../draft.ts';
import { isReferencesHeading } from './section-names.ts';
import type { RoleScores } from './line-roles.ts';
import { labelledStarts } from './reference-label.ts';

const ENTRY_KINDS: ReadonlySet<Draft['kind']> = new Set<Draft['kind']>([
  'text',
  'list_item',
  'formula',
  'footnote',
  'heading',
]);

/** What it costs to go into a list of references or out of it, and what one line may count, in units of scores. */
const CHANGE = 12;
const MOST = 2;

/** Cuts drafts whose lines look like references into entries; an entry may continue behind a float. */
export function splitLikelyReferences(drafts: readonly Draft[], scoreOf: RoleScores): Draft[] {
  const listed = listedDrafts(drafts, scoreOf);
  const starts = new Set(
    listsOf(drafts, listed).flatMap((list) => {
      const lines = list.flatMap((draft) => draft.lines);
      const labelled = labelledStarts(lines, 1);
      return lines.filter((line, at) => (labelled ? labelled[at] : scoreOf(line, 'start') > 0));
    }),
  );
  const result: Draft[] = [];
  let open: Draft | undefined;
  for (const draft of drafts) {
    if (!listed.has(draft)) {
      result.push(draft);
      if (isReferencesHeading(textOf(draft))) open = undefined;
      continue;
    }
    for (const line of draft.lines)
      if (open && !starts.has(line)) open.lines.push(line);
      else {
        open = draftOf('reference', [line], draft.piece);
        result.push(open);
      }
  }
  for (const draft of result)
    if (draft.kind === 'reference') draft.box = unionBox(draft.lines.filter(({ page }) => page === draft.page));
  return result;
}

/** The drafts of lists: the most likely way through the document, where going in and out has a cost. */
function listedDrafts(drafts: readonly Draft[], scoreOf: RoleScores): ReadonlySet<Draft> {
  const candidates = drafts.filter((draft) => ENTRY_KINDS.has(draft.kind) && draft.lines.length > 0);
  const comesFrom: { readonly inside: boolean; readonly outside: boolean }[] = [];
  let [inside, outside] = [-CHANGE, 0];
  for (const draft of candidates) {
    const score = isReferencesHeading(textOf(draft))
      ? -CHANGE
      : draft.lines.reduce((sum, line) => sum + Math.max(-MOST, Math.min(MOST, scoreOf(line, 'reference'))), 0);
    comesFrom.push({ inside: inside >= outside - CHANGE, outside: inside - CHANGE > outside });
    [inside, outside] = [Math.max(inside, outside - CHANGE) + score, Math.max(outside, inside - CHANGE)];
  }
  const listed = new Set<Draft>();
  let isInside = inside > outside;
  for (let at = candidates.length - 1; at >= 0; at -= 1) {
    const draft = candidates[at];
    if (draft && isInside) listed.add(draft);
    isInside = (isInside ? comesFrom[at]?.inside : comesFrom[at]?.outside) ?? false;
  }
  return listed;
}

/** The lists of a document: each heading of references begins one. */
function listsOf(drafts: readonly Draft[], listed: ReadonlySet<Draft>): Draft[][] {
  const lists: Draft[][] = [[]];
  for (const draft of drafts)
    if (listed.has(draft)) lists.at(-1)?.push(draft);
    else if (isReferencesHeading(textOf(draft))) lists.push([]);
  return lists.filter((list) => list.length > 0);
}
