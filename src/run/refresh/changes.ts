import { createHash, randomUUID } from 'node:crypto';
import { basename, join, resolve } from 'node:path';

import { readFields, visibleText, writeOwnFile } from '../../base/index.ts';
import { escapeHtml } from '../../parse/index.ts';
import type { RefreshDiff } from './compare-states.ts';

const NAME = 'refreshed.json';
const FEED_NAME = 'refreshed.atom';
const MOST_REFRESHES = 100;
const MOST_ENTRIES = 500;

/** What a refresh changed. Times are ISO 8601. */
interface Refreshed {
  readonly began: string;
  readonly ended: string;
  readonly diff: RefreshDiff;
}

/** Appends the changes of a refresh to `refreshed.json`, and writes the Atom feed of all of them. */
export async function keepChanges(folder: string, refreshed: Refreshed): Promise<void> {
  const path = join(folder, NAME);
  const before = readFields(path) as { readonly looks?: readonly Refreshed[]; readonly feed?: string };
  // The same refresh may have got this far before it was killed.
  const others = Array.isArray(before.looks) ? before.looks.filter(({ began }) => began !== refreshed.began) : [];
  const looks = [...others, refreshed].slice(-MOST_REFRESHES);
  const feed = before.feed ?? `urn:uuid:${randomUUID()}`;
  await writeOwnFile(path, `${JSON.stringify({ feed, looks }, undefined, 2)}\n`);
  await writeOwnFile(join(folder, FEED_NAME), feedOf(looks, { id: feed, name: basename(resolve(folder)) }));
}

const TITLES: Readonly<Record<keyof RefreshDiff, string>> = {
  retracted: 'Retracted',
  reinstated: 'Reinstated',
  corrected: 'Corrected',
  new_versions: 'New version',
  new_works: 'New work',
  opened: 'Now open',
  fetched: 'Downloaded',
};

/** An Atom feed (RFC 4287) with an entry for each change, the latest first. */
function feedOf(refreshes: readonly Refreshed[], { id, name }: { readonly id: string; readonly name: string }): string {
  const entries = refreshes.toReversed().flatMap(({ began, ended, diff }) =>
    (Object.keys(TITLES) as (keyof RefreshDiff)[]).flatMap((kind) =>
      diff[kind].map(({ work, title, doi }) => {
        const link = doi === null ? '' : `<link href="https://doi.org/${text(encodeURI(doi))}"/>`;
        return `<entry><id>${entryId(id, began, kind, work)}</id><title>${TITLES[kind]}: ${text(title ?? work)}</title><updated>${ended}</updated>${link}<category term="${kind}"/><content>${text(work)}</content></entry>`;
      }),
    ),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${text(id)}</id>
<title>Changes in ${text(name)}</title>
<updated>${refreshes.at(-1)?.ended ?? ''}</updated>
<author><name>DocsToKG</name></author>
${entries.slice(0, MOST_ENTRIES).join('\n')}
</feed>
`;
}

function text(value: string): string {
  return escapeHtml(visibleText(value));
}

/** The same for the same change, so that a reader shows each once. */
function entryId(...parts: readonly string[]): string {
  const digits = createHash('sha256').update(parts.join('\n')).digest('hex');
  // A UUID of version 8: the digits are ours.
  const groups = [digits.slice(0, 8), digits.slice(8, 12), `8${digits.slice(13, 16)}`, `8${digits.slice(17, 20)}`];
  return `urn:uuid:${[...groups, digits.slice(20, 32)].join('-')}`;
}
