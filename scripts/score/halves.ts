import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Whether a group of documents was used to make rules: if the first byte of its name's SHA-256 is even. */
export function isWorkedOn(group: string): boolean {
  return (createHash('sha256').update(group).digest()[0] ?? 0) % 2 === 0;
}

/** Rules are made on `work`; `opened` was set aside and looked at later; `aside` only judges. */
export type PublisherHalf = 'work' | 'opened' | 'aside';

/** The half of a publisher's papers in a set. */
export function halfOfPublisher(publisher: string, set: string): PublisherHalf {
  const first = publisher.toLowerCase().split(/[^a-z]+/)[0] ?? publisher;
  if (isWorkedOn(first)) return 'work';
  const second = createHash('sha256').update(first).digest()[1] ?? 0;
  return set === 'pmc' || second % 2 === 0 ? 'opened' : 'aside';
}

/** The half of a house of the training manifest: some of those set aside were opened later. */
export function halfOfHouse(house: string): 'work' | 'opened' | 'kept' {
  if (isWorkedOn(house)) return 'work';
  return (createHash('sha256').update(house).digest()[1] ?? 0) % 2 === 0 ? 'opened' : 'kept';
}

/** The publisher of each paper in a folder, from its MANIFEST.json. */
export function publishersOf(folder: string): ReadonlyMap<string, string> {
  const manifest = join(folder, 'MANIFEST.json');
  if (!existsSync(manifest)) return new Map();
  const entries = JSON.parse(readFileSync(manifest, 'utf8')) as { id: string; publisher?: string }[];
  return new Map(entries.map(({ id, publisher }) => [id, publisher ?? id.replace(/-.*/, '')]));
}
