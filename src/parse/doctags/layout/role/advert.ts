import type { Draft } from '../draft.ts';
import { textOf } from '../output/draft-text.ts';

/** Invites to write for the journal: an advertisement of the publisher. */
const INVITES =
  /^(?:(?:are you )?ready to submit|submit (?:your|a) (?:next |own )?(?:manuscripts?|research|work|papers?|articles?)|publish (?:your|with)\b|advantages of publishing)/iu;

/** Blocks that an advertisement may have at most. */
const MOST_BLOCKS = 20;

/** Marks the publisher's advertisement at the foot of the last page as furniture: nothing of the paper is below it. */
export function markAdvert(drafts: readonly Draft[]): void {
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
  if (below.length > MOST_BLOCKS || below.some((draft) => !isWords(draft) && draft.kind !== 'picture')) return;
  for (const draft of below) if (isWords(draft)) draft.kind = 'page_footer';
}

function isWords({ kind }: Draft): boolean {
  return kind === 'text' || kind === 'heading' || kind === 'list_item' || kind === 'footnote';
}
