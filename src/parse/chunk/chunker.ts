import { AppError, sha256 } from '../../base/index.ts';
import type { ParsedDocument, Region } from '../document.ts';
import { segmentationLanguage } from './boundaries.ts';
import type { Chunk, ChunkOptions } from './chunk.ts';
import { embeddedText } from './chunk.ts';
import type { Flow, Group } from './flow.ts';
import { flowOf } from './flow.ts';
import type { ChunkDraft } from './pack.ts';
import { Packer } from './pack.ts';
import type { Tokenizer } from './tokenizer.ts';

/** With fewer tokens, a heading, a table header and a row do not fit together. */
const LEAST_MAX_TOKENS = 32;

/** Cuts a document into chunks. The same document, tokenizer and options give the same chunks with the same ids. */
export function chunkDocument(
  id: string,
  document: Pick<ParsedDocument, 'blocks' | 'metadata'>,
  tokenizer: Tokenizer,
  options: ChunkOptions,
): Chunk[] {
  checkOptions(options);
  const flow = flowOf(document);
  const packer = new Packer(flow, tokenizer, segmentationLanguage(document.metadata.language), options);
  const drafts = [...sectionsOf(flow.groups)].flatMap((groups) => packer.packSection(groups));
  const seen = new Map<string, number>();
  return mergeSmall(drafts, flow, packer, options).map((draft, index) => {
    const body = sha256(`${id}\n${embeddedText(draft)}`);
    const occurrence = seen.get(body) ?? 0;
    seen.set(body, occurrence + 1);
    // The position is not part of the id, so text added above does not change the ids below. Equal passages are
    // numbered.
    return toChunk(occurrence === 0 ? body : sha256(`${body}#${occurrence}`), { id, index, flow, draft });
  });
}

function checkOptions(options: ChunkOptions): void {
  const { maxTokens, minTokens, overlapTokens } = options;
  if (maxTokens >= LEAST_MAX_TOKENS && minTokens <= maxTokens / 2 && overlapTokens <= maxTokens / 4) return;
  throw new AppError(
    'CHUNK_OPTIONS',
    `max ${maxTokens}, min ${minTokens}, overlap ${overlapTokens} tokens is not a valid combination`,
    { hint: `max must be at least ${LEAST_MAX_TOKENS}, min at most half of max, and overlap at most a quarter of max` },
  );
}

function* sectionsOf(groups: readonly Group[]): Generator<Group[]> {
  let section: Group[] = [];
  for (const group of groups) {
    if (section.length > 0 && group.section !== section[0]?.section) {
      yield section;
      section = [];
    }
    section.push(group);
  }
  if (section.length > 0) yield section;
}

function toChunk(
  hash: string,
  from: { readonly id: string; readonly index: number; readonly flow: Flow; readonly draft: ChunkDraft },
): Chunk {
  const { flow, draft } = from;
  const groups = [...new Set(draft.pieces.map(({ group }) => group))];
  const paths = [...new Set(groups.map(({ section }) => flow.sections[section] ?? []))];
  const shared = commonHeadings(paths);
  const blocks = groups.flatMap((group) => group.blocks);
  const regions: Region[] = blocks.flatMap((block) => block.regions);
  return {
    id: hash.slice(0, 32),
    document: from.id,
    index: from.index,
    text: draft.text,
    repeated: draft.repeated.length,
    context: draft.context,
    tokens: draft.tokens,
    start: draft.start,
    end: draft.end,
    title: flow.title,
    headings: (shared.length > 0 ? shared : (paths[0] ?? [])).map(({ text }) => text),
    kinds: [...new Set(groups.map(({ kind }) => kind))],
    blocks: blocks.map(({ order }) => order),
    regions,
  };
}

/**
 * Merges too small chunks with a neighbour in the same or a sibling section, preferably the next one. A chunk never
 * spans a heading above its own level, and title page and reference list are not merged with the body: they answer no
 * questions and would come up with it.
 */
function mergeSmall(drafts: readonly ChunkDraft[], flow: Flow, packer: Packer, options: ChunkOptions): ChunkDraft[] {
  const merged: ChunkDraft[] = [];
  for (const draft of drafts) {
    const before = merged.at(-1);
    const small = before && (before.ownTokens < options.minTokens || draft.ownTokens < options.minTokens);
    const joined = small && arePeers(flow, before, draft) ? join(packer, before, draft) : undefined;
    if (joined && joined.tokens <= options.maxTokens) merged[merged.length - 1] = joined;
    else merged.push(draft);
  }
  return merged;
}

function join(packer: Packer, first: ChunkDraft, second: ChunkDraft): ChunkDraft {
  return { ...packer.draft([...first.pieces, ...second.pieces], first.repeated, first.context), end: second.end };
}

/** Whether the second chunk's section is a sibling of the first's, or below it. */
function arePeers(flow: Flow, first: ChunkDraft, second: ChunkDraft): boolean {
  const above = flow.sections[first.section] ?? [];
  const below = flow.sections[second.pieces[0]?.group.section ?? 0] ?? [];
  if (isTitlePage(first, above) && below.length > 0) return false;
  if (isReferenceList(first) !== isReferenceList(second)) return false;
  return below.length >= above.length && commonHeadings([above, below]).length >= above.length - 1;
}

/** The title and what precedes the first heading: authors, affiliations, dates. */
function isTitlePage({ pieces }: ChunkDraft, headings: readonly unknown[]): boolean {
  const kinds = pieces.map(({ group }) => group.kind).filter((kind) => kind !== 'heading');
  return headings.length === 0 && kinds.includes('title') && kinds.some((kind) => kind !== 'title');
}

function isReferenceList({ pieces }: ChunkDraft): boolean {
  const kinds = pieces.map(({ group }) => group.kind).filter((kind) => kind !== 'heading');
  return kinds.length > 0 && kinds.every((kind) => kind === 'reference');
}

/** The common prefix of heading paths. */
function commonHeadings<T>(paths: readonly (readonly T[])[]): readonly T[] {
  const [first = [], ...rest] = paths;
  let length = 0;
  while (length < first.length && rest.every((path) => path[length] === first[length])) length += 1;
  return first.slice(0, length);
}
