import * as z from 'zod';

import { count, fields, text } from '../library/shapes/index.ts';
import { counted, oneRun, question } from './question.ts';

const ANSWERS = {
  head: {},
  list: 'items',
  item: {
    ...fields(z.string(), 'name', 'at'),
    filter: text.describe('What its works have; null for a fixed list.'),
    size: count,
  },
  text: 'filter',
  line: ({ name, size, filter }: { readonly name: string; readonly size: number; readonly filter: string | null }) =>
    `${name} · ${counted(size, 'work')}${filter === null ? '' : ` · ${filter}`}`,
} as const;

/** Saved sets of works. */
export const setsQuestion = question({
  name: 'sets',
  title: 'Saved sets of works',
  description: 'Lists the saved sets of works, which are named wherever works are chosen.',
  input: {},
  ...ANSWERS,
  async ask(_, runs) {
    const items = await Promise.resolve(oneRun(runs).corpus.sets());
    return { head: {}, summary: `${counted(items.length, 'set')}.`, items };
  },
});

/** Saves a set; offered only where control is allowed. */
export const setQuestion = question({
  name: 'set',
  title: 'Save a set of works',
  description: 'Saves the works that have some properties under a name; it is on the disk when this answers.',
  input: {
    name: z.string().trim().min(1).max(100).describe('Letters, digits, dots, dashes and underscores.'),
    filter: z.string().min(1).max(2_000).describe('Such as year:2020-2022 author:Silva; used anew with the set.'),
  },
  ...ANSWERS,
  async ask({ name, filter }, runs) {
    const { corpus } = oneRun(runs);
    await corpus.saveSet(name, { filter });
    const items = corpus.sets().filter((set) => set.name === name);
    return { head: {}, summary: 'Saved.', items };
  },
});
