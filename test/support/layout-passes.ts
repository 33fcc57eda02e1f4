import type { Findings } from '../../src/parse/doctags/layout/findings.ts';
import { textOf } from '../../src/parse/doctags/layout/draft.ts';
import { begin, PASSES } from '../../src/parse/doctags/layout/layout.ts';
import type { PageContent } from '../../src/parse/doctags/layout/page/page-content.ts';

/** What is known after a pass. */
export function findingsAfter(name: string, ...pages: readonly PageContent[]): Findings {
  let found = begin(pages, [], '');
  for (const pass of PASSES) {
    found = { ...found, ...pass.run(found) };
    if (pass.name === name) return found;
  }
  throw new RangeError(name);
}

/** Kinds and texts of the drafts after a pass. */
export function draftsAfter(name: string, ...pages: readonly PageContent[]): string[] {
  return findingsAfter(name, ...pages).drafts.map((draft) => `${draft.kind}: ${textOf(draft)}`);
}

/** Body text in two columns. */
export const TWO_COLUMNS = `
ducks swim on every pond that is there   and eat what they find below where
and look for weeds in the shallow water  others do not come to look for it
while geese walk about on the meadows in a row that nobody has ever counted
search of grass and are seen by people   as it changes with every hour of a
who come to the pond on Sundays to look  day and nobody stays for longer than
`;
