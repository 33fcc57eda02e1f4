import { useEffect, useMemo, useState } from 'preact/hooks';

import type { List, Note } from '../answers.ts';
import { messageOf, useChanges, useLoaded, useScene } from '../scene.ts';
import type { Query } from '../source.ts';

/** What people wrote in a document or about its work, and how to write more. */
export interface Notebook {
  readonly notes: readonly Note[];
  /** Whether notes can be written here. */
  readonly isOpen: boolean;
  /** Writes a note, or changes one by its id; resolves to whether it is kept. */
  readonly save: (given: Query) => Promise<boolean>;
  readonly remove: (note: Note) => void;
  /** The note that was removed last, which can be restored. */
  readonly removed: Note | undefined;
  readonly restore: () => void;
}

const MOST = 500;

/** The notes of a document; a report has none, since it may be sent to others. */
export function useNotebook(document: string): Notebook {
  const { source, about, runPath, notify } = useScene();
  const [loaded, change] = useLoaded(`${document} ${useChanges('decisions')}`, async (signal) => {
    if (source.report) return [];
    return (await source.get<List<Note>>(runPath('notes'), { work: document, limit: MOST }, signal)).items;
  });
  const [removed, setRemoved] = useState<Note>();
  useEffect(() => setRemoved(undefined), [document]);
  const save = async (given: Query): Promise<boolean> => {
    try {
      const { items } = await source.post<List<Note>>(runPath('note'), given);
      const ids = new Set(items.map(({ id }) => id));
      change((notes) => [...notes.filter(({ id }) => !ids.has(id)), ...items.filter((note) => !note.removed)]);
      return true;
    } catch (error) {
      notify(`Not saved: ${messageOf(error)}. Try again.`);
      return false;
    }
  };
  const remove = (note: Note): void =>
    void save({ id: note.id, by: note.by, removed: true }).then((is) => is && setRemoved(note));
  const restore = (): void => {
    if (removed) void save({ id: removed.id, by: removed.by }).then((is) => is && setRemoved(undefined));
  };
  const notes = useMemo(() => {
    const all = loaded.kind === 'answered' ? loaded.value : [];
    return all.toSorted((a, b) => (a.page ?? 0) - (b.page ?? 0) || a.at.localeCompare(b.at));
  }, [loaded]);
  return { notes, isOpen: about.control && !source.report, save, remove, removed, restore };
}
