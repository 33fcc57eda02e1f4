import * as z from 'zod';

import { AppError } from '../base/index.ts';
import { note } from '../library/shapes/index.ts';
import { counted, oneRun, question } from './question.ts';

const name = z.string().trim().min(1).max(100);
const id = z.string().min(1).max(100);
const work = z.string().min(1).max(2_048);
const MOST_CHARACTERS = 10_000;

const ANSWERS = {
  head: { total: z.int() },
  list: 'items',
  item: note.shape,
  text: 'text',
  line: ({ id: name, title, work: of, page, quote, text, by, at }: z.output<typeof note>) =>
    [
      `${title ?? of}${page === null ? '' : `, page ${page}`}`,
      ...(quote === null ? [] : [`“${quote}”`]),
      ...(text === '' ? [] : [text]),
      `${by}, ${at.slice(0, 10)} · note ${name} · work ${of}`,
    ].join('\n'),
} as const;

/** What people wrote beside papers. */
export const notesQuestion = question({
  name: 'notes',
  title: 'Notes of people',
  description: 'Lists what people wrote beside papers and marked in them.',
  input: {
    work: work.optional(),
    by: name.optional(),
    limit: z.int().min(1).max(500).default(200),
    cursor: z.string().max(20).optional(),
  },
  ...ANSWERS,
  async ask({ limit, cursor = '0', ...asked }, runs) {
    const all = oneRun(runs).corpus.notes(asked);
    const from = Number(cursor);
    if (!Number.isSafeInteger(from) || from < 0)
      throw new AppError('USAGE_CURSOR', 'the cursor is not of these notes', { hint: 'use `next` of an answer' });
    const cursorAfter = async (count: number): Promise<string | null> =>
      await Promise.resolve(from + count < all.length ? String(from + count) : null);
    const items = all.slice(from, from + limit);
    return { head: { total: all.length }, summary: `${counted(all.length, 'note')}.`, items, cursorAfter };
  },
});

/** Writes, changes, removes or restores a note; offered only where control is allowed. */
export const noteQuestion = question({
  name: 'note',
  title: 'Write a note',
  description:
    'Writes a note about a work, or changes, removes or restores one by its id; it is on the disk when this answers.',
  input: {
    by: name.describe('Who writes: each note has this name.'),
    id: id.optional().describe('Of a note that is there; or made by the sender: sent again, it is the same note.'),
    work: work.optional().describe('Required for a new note.'),
    document: work.optional(),
    page: z.int().min(1).max(100_000).optional(),
    quote: z.string().trim().min(1).max(MOST_CHARACTERS).optional().describe('Words of the paper that it is about.'),
    text: z.string().max(MOST_CHARACTERS).optional(),
    removed: z.boolean().optional().describe('True removes the note, false restores it.'),
  },
  ...ANSWERS,
  async ask(given, runs) {
    const { corpus } = oneRun(runs);
    const kept = await corpus.saveNote(given);
    const all = corpus.notes({ work: kept.work, removed: true });
    const items = all.filter((each) => each.id === kept.id);
    return { head: { total: items.length }, summary: kept.removed ? 'Removed.' : 'Kept.', items };
  },
});
