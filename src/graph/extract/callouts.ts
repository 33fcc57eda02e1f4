import type { Block } from '../../parse/index.ts';
import { linkedNumbers, withLinkedSpans } from './callouts-linked.ts';
import { authorYearCallouts } from './callouts-author-year.ts';
import { numberCallouts, raisedCallouts } from './callouts-numbers.ts';
import type { ListedReference } from './reference-list.ts';
import { isSortedByName, listReferences } from './reference-list.ts';

/** A place in the text that points to entries of the list of references. */
export interface Callout {
  readonly block: number;
  readonly start: number;
  readonly end: number;
  /** Positions in the list, from 1. */
  readonly references: readonly number[];
  /** Meant as well: what lies between the ends of a range, or the others under one link. */
  readonly further: readonly number[];
}

/** How a document points to its references. */
export type CalloutStyle = 'square' | 'round' | 'raised' | 'author-year';

export const CALLOUT_VERSION = 5;

/** Blocks whose text may point to references. */
const SPEAKING: ReadonlySet<Block['kind']> = new Set(['text', 'list_item', 'caption', 'heading', 'footnote']);

/** The callouts of a document, in the one style it uses, and its list of references. */
export function findCallouts(blocks: readonly Block[]): {
  readonly references: readonly ListedReference[];
  readonly style: CalloutStyle | undefined;
  readonly callouts: readonly Callout[];
} {
  const references = listReferences(blocks);
  if (references.length === 0) return { references, style: undefined, callouts: [] };
  const texts = speakingBlocks(blocks);
  const styles: readonly (readonly [CalloutStyle, Callout[]])[] = [
    ['square', numberCallouts(texts, references, 'square')],
    ['round', numberCallouts(texts, references, 'round')],
    ['raised', raised(texts, references)],
    ['author-year', authorYearCallouts(texts, references)],
  ];
  // The style that reaches most of the list is the document's; numbers in other brackets are something else.
  const named = isNamedList(references);
  const [best] = styles
    .map(([style, callouts]) => {
      const doubt = named && style !== 'author-year' ? NUMBERS_OF_NAMED_LIST : 1;
      return { style, callouts, reach: reach(callouts) * TRUST[style] * doubt };
    })
    .sort((a, b) => b.reach - a.reach);
  const pages = new Set(
    blocks.filter(({ kind }) => kind === 'reference').flatMap(({ regions }) => regions.map(({ page }) => page)),
  );
  const linked = linkedNumbers(texts, references, pages);
  if (!best || Math.max(best.reach, reach(linked)) === 0) return { references, style: undefined, callouts: [] };
  if (reach(linked) >= LEAST_LINKED * Math.max(best.reach, references.length)) {
    const style = best.style === 'author-year' ? 'raised' : best.style;
    const others = style === 'square' ? best.callouts : style === 'raised' ? raisedCallouts(texts, references) : [];
    return { references, style, callouts: joined(linked, others) };
  }
  if (best.style === 'author-year')
    return { references, style: best.style, callouts: withLinkedSpans(best.callouts, texts, pages) };
  return { references, style: best.style, callouts: best.callouts };
}

/** A list without numbers in the order of names is pointed to by names: "(1)" counts something else. */
function isNamedList(references: readonly ListedReference[]): boolean {
  return references.every(({ label }) => label === null) && isSortedByName(references);
}

const NUMBERS_OF_NAMED_LIST = 0.3;

/** Raised numbers as the file sets them, unless it hides most of them; else as plain text glues them to words. */
function raised(texts: readonly Block[], references: readonly ListedReference[]): Callout[] {
  const set = raisedCallouts(texts, references);
  const glued = numberCallouts(texts, references, 'raised');
  return reach(set) >= LEAST_SET * reach(glued) ? set : glued;
}

/** Raised numbers that reach this part of what glued ones reach are all there are. */
const LEAST_SET = 0.7;

/** Links that reach this part of the list are the publisher's own callouts. */
const LEAST_LINKED = 0.4;

/** The linked ones, and those of the others that touch none of them: what can be nothing else is a callout without a link too. */
function joined(linked: readonly Callout[], others: readonly Callout[]): Callout[] {
  const byBlock = Map.groupBy(linked, ({ block }) => block);
  const free = others.filter(
    ({ block, start, end }) => !(byBlock.get(block) ?? []).some((each) => each.start < end && start < each.end),
  );
  return [...linked, ...free].sort((a, b) => a.block - b.block || a.start - b.start);
}

/** How much a reached reference counts: raised digits and round brackets are also other things. */
const TRUST: Readonly<Record<CalloutStyle, number>> = { square: 1, round: 0.8, raised: 0.75, 'author-year': 0.95 };

function reach(callouts: readonly Callout[]): number {
  return new Set(callouts.flatMap(({ references, further }) => [...references, ...further])).size;
}

/** Blocks up to and behind the list of references, without what names the authors and their addresses. */
function speakingBlocks(blocks: readonly Block[]): Block[] {
  return blocks.filter((block) => SPEAKING.has(block.kind) && block.text.length > 3);
}
