import * as z from 'zod';

import { AppError } from '../../base/index.ts';
import type { ZoteroAsking, ZoteroPlace } from './zotero.ts';
import { askZotero } from './zotero.ts';

const PER_PAGE = 100;
/** As many as Zotero takes at once. */
const PER_WRITE = 50;
/** Upper bound, so that a faulty server cannot send items forever. */
const MOST_ITEMS = 200_000;
/** An item was changed or made by others since it was read. */
const CHANGED_MEANWHILE = 412;

const tag = z.looseObject({ tag: z.string() });
const item = z.object({
  key: z.string(),
  version: z.int(),
  data: z.looseObject({
    itemType: z.string(),
    title: z.string().default(''),
    DOI: z.string().default(''),
    date: z.string().default(''),
    extra: z.string().default(''),
    tags: z.array(tag).default([]),
  }),
});
const written = z.object({
  successful: z.record(z.string(), z.unknown()).default({}),
  unchanged: z.record(z.string(), z.unknown()).default({}),
  failed: z.record(z.string(), z.object({ code: z.int(), message: z.string().default('') })).default({}),
});

/** An item of a library, as Zotero's API describes it. */
export type ZoteroItem = z.output<typeof item>;

/** What is written of an item: version 0 makes it, another one changes the fields that are given. */
export interface ZoteroChange extends Readonly<Record<string, unknown>> {
  readonly key: string;
  readonly version: number;
}

/** A Zotero library on the web that is read and written. */
export class ZoteroLibrary {
  readonly #place: ZoteroPlace;
  /** Items are written to the library, also those of a collection. */
  readonly #library: ZoteroPlace;
  readonly #asking: ZoteroAsking;

  constructor(place: ZoteroPlace, asking: ZoteroAsking) {
    if (place.isLocal)
      throw new AppError('USAGE_ZOTERO', "Zotero's local API cannot be written", {
        hint: 'use zotero:users/ID or zotero:groups/ID with a key that may write; Zotero synchronises',
      });
    this.#place = place;
    this.#library = { ...place, path: place.path.replace(/\/collections\/.*/, '') };
    this.#asking = asking;
  }

  /** The name of the library: `users/123`. */
  get name(): string {
    return this.#library.path;
  }

  /** The items that are not beneath another. */
  items(): AsyncGenerator<ZoteroItem> {
    return this.#read(this.#place, 'items/top?');
  }

  /** Everything that has a tag, notes and attachments too. */
  tagged(name: string): AsyncGenerator<ZoteroItem> {
    return this.#read(this.#library, `items?tag=${encodeURIComponent(name)}&`);
  }

  async *#read(place: ZoteroPlace, path: string): AsyncGenerator<ZoteroItem> {
    for (let start = 0; start < MOST_ITEMS; start += PER_PAGE) {
      const asked = { path: `${path}format=json&limit=${PER_PAGE}&start=${start}` };
      const page = await askZotero(place, asked, this.#asking);
      const items = this.#parsed(page?.text ?? '[]', z.array(item));
      yield* items;
      const total = Number(page?.headers['total-results'] ?? items.length);
      if (items.length === 0 || start + PER_PAGE >= total) return;
    }
  }

  /** Makes or changes items; yields for each its key, and why it was not written. */
  async *write(changes: readonly ZoteroChange[]): AsyncGenerator<{ readonly key: string; readonly fault?: string }> {
    for (let from = 0; from < changes.length; from += PER_WRITE) {
      const some = changes.slice(from, from + PER_WRITE);
      const request = {
        method: 'POST' as const,
        path: 'items',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(some),
      };
      const answer = await askZotero(this.#library, request, this.#asking);
      const { failed } = this.#parsed(answer?.text ?? '{}', written);
      for (const [at, { key }] of some.entries()) {
        const fault = failed[at];
        if (!fault) yield { key };
        else if (fault.code === CHANGED_MEANWHILE) yield { key, fault: 'it was changed in Zotero meanwhile' };
        else yield { key, fault: `${fault.code} ${fault.message}`.slice(0, 300) };
      }
    }
  }

  /** Removes items; one that was changed since it was read stays. */
  async remove(items: readonly ZoteroItem[]): Promise<void> {
    for (const { key, version } of items) {
      const headers = { 'if-unmodified-since-version': String(version) };
      await askZotero(this.#library, { method: 'DELETE', path: `items/${key}`, headers }, this.#asking);
    }
  }

  #parsed<T>(text: string, schema: z.ZodType<T>): T {
    try {
      return schema.parse(JSON.parse(text));
    } catch (cause) {
      throw new AppError('ZOTERO_REFUSED', `Zotero ${this.name}: the answer is not what its documentation says`, {
        hint: 'try again; if it stays, Zotero may have changed its API',
        cause,
      });
    }
  }
}
