import { join } from 'node:path';

import { AppError, lettersOf, normalizeDoi, readFields, sha256, wait, writeOwnFile } from '../../base/index.ts';
import type { Config } from '../../config/index.ts';
import type { Note } from '../../database/index.ts';
import { escapeHtml } from '../../parse/index.ts';
import type { WorkIds, ZoteroChange, ZoteroItem } from '../../works/index.ts';
import { parseZotero, ZoteroLibrary } from '../../works/index.ts';
import { openAsking } from '../download/open-download.ts';
import type { Runtime } from '../queue/open-queue.ts';

/** What of a corpus is written to a library. */
export const ZOTERO_PARTS = ['notes', 'tags', 'files'] as const;
export type ZoteroPart = (typeof ZOTERO_PARTS)[number];

/** A work of the corpus, as far as a library is told about it. */
export interface ToldWork {
  readonly ids: WorkIds;
  readonly title: string | null;
  readonly year: number | null;
  readonly label: string | null;
  readonly isRetracted: boolean;
  /** Removed ones too. */
  readonly notes: readonly Note[];
  /** The absolute path of its paper. */
  readonly file: string | null;
  /** Where the paper was downloaded. */
  readonly url: string | null;
}

/** What became of it, as numbers of works, tags, notes and links. */
export interface WrittenBack {
  readonly works: number;
  /** Works with an item in the library. */
  readonly found: number;
  /** Items whose tags were changed. */
  readonly tagged: number;
  /** Notes and links that were made. */
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  readonly problems: readonly { readonly item: string; readonly problem: string }[];
}

interface Options {
  readonly folder: string;
  readonly parts: ReadonlySet<ZoteroPart>;
  /** Reads the library and writes nothing. */
  readonly isTrial: boolean;
}

/** On every note and link that is ours. */
const OURS = 'docstokg';
const TAG_PREFIX = 'docstokg: ';

/** Opens a library for writing: `zotero:users/ID` or `zotero:groups/ID`, or one of its collections. */
export async function writeToZotero(
  to: string,
  works: Iterable<ToldWork>,
  {
    config,
    runtime,
    signal,
    ...options
  }: Options & {
    readonly config: Config;
    readonly runtime: Runtime;
    readonly signal: AbortSignal;
  },
): Promise<WrittenBack> {
  const place = parseZotero(to);
  if (!place)
    throw new AppError('USAGE_ZOTERO', `"${to.slice(0, 100)}" is not a Zotero library`, {
      hint: 'use zotero:users/ID or zotero:groups/ID, followed by /collections/KEY for one collection',
    });
  await using asking = openAsking(config, runtime);
  const { send, services, webClock } = asking;
  const library = new ZoteroLibrary(place, {
    send,
    web: { base: services.base('zotero'), credentials: services.credentials('zotero') },
    wait: (ms, stop) => wait(webClock, ms, stop),
    signal,
  });
  return await writeBack(library, works, options);
}

/**
 * Writes notes, labels and papers of works beneath their items in a Zotero library. Each note and link has a key made of
 * what it is, so that nothing is written twice; what was changed or deleted in Zotero stays as it is there until it
 * changes here.
 */
export async function writeBack(
  library: ZoteroLibrary,
  works: Iterable<ToldWork>,
  { folder, parts, isTrial }: Options,
): Promise<WrittenBack> {
  const memory = new Memory(folder, library.name);
  const items = new ItemIndex(await Array.fromAsync(library.items()));
  const there = new Map((await Array.fromAsync(library.tagged(OURS))).map((item) => [item.key, item]));
  const counts = { works: 0, found: 0, tagged: 0, added: 0, changed: 0, removed: 0 };
  /** By key, with the hash of what it makes of a note or link. */
  const changes = new Map<string, { readonly change: ZoteroChange; readonly hash?: string }>();
  const gone: ZoteroItem[] = [];
  for (const work of works) {
    counts.works += 1;
    const item = items.of(work);
    if (!item) continue;
    counts.found += 1;
    const tags = parts.has('tags') ? tagsFor(item, work) : undefined;
    if (tags) {
      counts.tagged += 1;
      changes.set(item.key, { change: { key: item.key, version: item.version, tags } });
    }
    for (const { key, content } of childrenFor(item, work, parts, library.name)) {
      const known = there.get(key);
      if (content === undefined) {
        if (known) gone.push(known);
        continue;
      }
      const [before, hash] = [memory.hashOf(key), hashOf(content)];
      if (before === hash) continue;
      // One that another machine wrote is not changed: it may have been edited since.
      if (known && before === undefined) memory.note(key, hash);
      else {
        counts[known ? 'changed' : 'added'] += 1;
        changes.set(key, { change: { ...content, key, version: known?.version ?? 0 }, hash });
      }
    }
  }
  counts.removed = gone.length;
  const problems: { item: string; problem: string }[] = [];
  if (!isTrial) {
    try {
      for await (const { key, fault } of library.write([...changes.values()].map(({ change }) => change))) {
        const hash = changes.get(key)?.hash;
        if (fault !== undefined) problems.push({ item: key, problem: fault });
        else if (hash !== undefined) memory.note(key, hash);
      }
      await library.remove(gone);
      for (const { key } of gone) memory.forget(key);
    } finally {
      await memory.keep();
    }
  }
  return { ...counts, problems };
}

/** Finds the item of a work by an id, else by title and year, if only one fits. */
class ItemIndex {
  readonly #byId = new Map<string, ZoteroItem>();
  readonly #byTitle: Map<string, ZoteroItem[]>;

  constructor(items: readonly ZoteroItem[]) {
    const works = items.filter(({ data }) => data.itemType !== 'note' && data.itemType !== 'attachment');
    for (const item of works) for (const id of idsIn(item)) if (!this.#byId.has(id)) this.#byId.set(id, item);
    this.#byTitle = Map.groupBy(works, ({ data }) => lettersOf(data.title));
  }

  of({ ids, title, year }: ToldWork): ZoteroItem | undefined {
    const names = [
      ...(ids.doi === null ? [] : [`doi:${ids.doi.toLowerCase()}`]),
      ...(ids.pmid === null ? [] : [`pmid:${ids.pmid}`]),
      ...(ids.pmcid === null ? [] : [`pmcid:${ids.pmcid.toLowerCase()}`]),
      ...(ids.arxiv === null ? [] : [`arxiv:${ids.arxiv.id.toLowerCase()}`]),
    ];
    for (const name of names) {
      const found = this.#byId.get(name);
      if (found) return found;
    }
    const letters = lettersOf(title ?? '');
    if (letters === '') return undefined;
    const fitting = (this.#byTitle.get(letters) ?? []).filter(
      (item) => (year === null || Math.abs(yearIn(item, year) - year) <= 1) && !isAnother(item, ids),
    );
    return fitting.length === 1 ? fitting[0] : undefined;
  }
}

/** Zotero has a field for the DOI of articles; other ids, and DOIs of other kinds of items, are lines of `extra`. */
function idsIn({ data: { DOI, extra } }: ZoteroItem): string[] {
  const line = (name: RegExp): string | undefined => name.exec(extra)?.[1]?.toLowerCase();
  const doi = normalizeDoi(DOI) ?? normalizeDoi(line(/^DOI:\s*(\S+)/im) ?? '');
  const ids = {
    doi: doi?.toLowerCase(),
    pmid: line(/^PMID:\s*(\d+)/im),
    pmcid: line(/^PMCID:\s*(PMC\d+)/im),
    arxiv: line(/^arXiv:\s*(\S+?)(?:v\d+)?(?:\s|$)/im),
  };
  return Object.entries(ids).flatMap(([kind, id]) => (id === undefined ? [] : [`${kind}:${id}`]));
}

/** Two works may share a title; their DOIs tell them apart. */
function isAnother(item: ZoteroItem, { doi }: WorkIds): boolean {
  const own = idsIn(item).find((id) => id.startsWith('doi:'));
  return doi !== null && own !== undefined && own !== `doi:${doi.toLowerCase()}`;
}

/** The year of an item; `otherwise` if it has none. */
function yearIn({ data: { date } }: ZoteroItem, otherwise: number): number {
  return Number(/\b(?:1[5-9]|20)\d\d\b/.exec(date)?.[0] ?? otherwise);
}

/** The tags of an item with ours; undefined if they are there already. */
function tagsFor({ data: { tags } }: ZoteroItem, { label, isRetracted }: ToldWork): object[] | undefined {
  const wanted = [...(label === null ? [] : [label]), ...(isRetracted ? ['retracted'] : [])].map(
    (name) => `${TAG_PREFIX}${name}`,
  );
  const ours = tags.map(({ tag }) => tag).filter((tag) => tag.startsWith(TAG_PREFIX));
  if (wanted.length === ours.length && wanted.every((tag) => ours.includes(tag))) return undefined;
  return [...tags.filter(({ tag }) => !ours.includes(tag)), ...wanted.map((tag) => ({ tag }))];
}

interface Child {
  readonly key: string;
  /** Undefined for a note that was removed. */
  readonly content: Readonly<Record<string, unknown>> | undefined;
}

function* childrenFor(
  { key: parentItem }: ZoteroItem,
  work: ToldWork,
  parts: ReadonlySet<ZoteroPart>,
  library: string,
): Generator<Child> {
  const tags = [{ tag: OURS }];
  if (parts.has('notes'))
    for (const note of work.notes) {
      const content = { itemType: 'note', parentItem, note: noteHtml(note), tags };
      yield { key: keyOf(parentItem, 'note', note.id), content: note.removed ? undefined : content };
    }
  if (!parts.has('files') || work.file === null) return;
  // Groups cannot link to files of one computer.
  const isOwn = library.startsWith('users/');
  const to = isOwn ? { linkMode: 'linked_file', path: work.file } : { linkMode: 'linked_url', url: work.url };
  if (!isOwn && work.url === null) return;
  const content = { itemType: 'attachment', parentItem, title: 'Full text (DocsToKG)', ...to, tags };
  yield { key: keyOf(parentItem, 'file'), content };
}

function noteHtml({ quote, text, by, at, page }: Note): string {
  const paragraphs = text.split(/\n+/).filter((each) => each !== '');
  const from = `${by}, ${at.slice(0, 10)}${page === null ? '' : `, page ${page}`}`;
  return [
    ...(quote === null ? [] : [`<blockquote><p>${escapeHtml(quote)}</p></blockquote>`]),
    ...paragraphs.map((each) => `<p>${escapeHtml(each)}</p>`),
    `<p><em>${escapeHtml(from)}</em></p>`,
  ].join('');
}

const KEY_CHARACTERS = '23456789ABCDEFGHIJKLMNPQRSTUVWXYZ';

/** Keys of Zotero have eight of these characters; clients choose them. */
function keyOf(...parts: readonly string[]): string {
  const bytes = Buffer.from(sha256(parts.join('\n')), 'hex').subarray(0, 8);
  return Array.from(bytes, (byte) => KEY_CHARACTERS[byte % KEY_CHARACTERS.length]).join('');
}

function hashOf(content: object): string {
  return sha256(JSON.stringify(content));
}

/** What this folder has written to which library, by key; a damaged file counts as empty. */
class Memory {
  readonly #path: string;
  readonly #library: string;
  readonly #all: Record<string, Record<string, string>>;

  constructor(folder: string, library: string) {
    this.#path = join(folder, 'state', 'zotero-written.json');
    this.#library = library;
    this.#all = { ...(readFields(this.#path) as Record<string, Record<string, string>>) };
    this.#all[library] = { ...this.#all[library] };
  }

  get #own(): Record<string, string> {
    return this.#all[this.#library] ?? {};
  }

  hashOf(key: string): string | undefined {
    return this.#own[key];
  }

  note(key: string, hash: string): void {
    this.#own[key] = hash;
  }

  forget(key: string): void {
    Reflect.deleteProperty(this.#own, key);
  }

  async keep(): Promise<void> {
    await writeOwnFile(this.#path, `${JSON.stringify(this.#all, undefined, 2)}\n`);
  }
}
