import { z } from 'zod';

import { AppError } from '../base/index.ts';
import type { Candidate } from '../screen/index.ts';
import { CHOICES, PHASES } from '../screen/index.ts';
import type { AskedRun } from './question.ts';
import { oneRun, question, workLine } from './question.ts';
import { candidate, screeningHead as head } from './shapes/index.ts';

const phase = z.enum(PHASES);

const MOST_SHOWN = 20;
export const reviewer = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .describe('The reviewer: each decision is logged with this name.');
const inPhase = phase.default('title-abstract');
const limit = z.int().min(1).max(MOST_SHOWN).describe('Works to show.');
/** The answer of both questions: progress, and the next works. */
const ANSWERS = {
  head: head.shape,
  list: 'next',
  item: candidate.shape,
  text: 'abstract',
  omitted: ['is_sampled', 'venue', 'doi', 'document', 'decisions'],
  line: ({ work, rank, abstract, title, authors, year }: z.output<typeof candidate>) =>
    `${workLine({ title, authors, year })}\nwork ${work}${rank > 0 ? ` · rank ${rank}` : ''}\n${abstract}`,
} as const;

export const screeningQuestion = question({
  name: 'screening',
  title: 'Screening progress',
  description: 'Shows how far the screening of a corpus is and which works a reviewer should decide about next.',
  input: {
    by: reviewer,
    phase: inPhase,
    limit: limit.default(5),
    work: z.string().max(2_048).optional().describe('A work to show first, such as one in conflict.'),
  },
  ...ANSWERS,
  ask: async ({ by, phase: at, limit: most, work }, runs) => await screened(oneRun(runs), by, at, most, work),
});

/** Offered only where control is allowed. */
export const decideQuestion = question({
  name: 'decide',
  title: 'Decide about a work',
  description:
    'Logs the decision of a reviewer about one work, which is on the disk when this answers; undo takes the last one back. Answers like screening.',
  input: {
    by: reviewer,
    phase: inPhase,
    work: z.string().min(1).max(2_048).optional().describe('Required unless the decision is undo.'),
    decision: z.enum([...CHOICES, 'undo']),
    reason: z.string().max(4_000).optional().describe('Why it is excluded; required for full texts.'),
    note: z.string().max(4_000).optional(),
    id: z.string().min(1).max(100).optional().describe('Made by the sender: sent again, it is the same decision.'),
    limit: limit.default(1),
  },
  ...ANSWERS,
  async ask({ decision, work, limit: most, ...decided }, runs) {
    const run = oneRun(runs);
    const { by, phase: at } = decided;
    if (decision === 'undo') return await screened(run, by, at, most, run.screening().undo(by, at));
    if (work === undefined) throw new AppError('USAGE_WORK', 'no work given', { hint: 'use an id of screening' });
    run.screening().decide({ ...decided, work, decision });
    return await screened(run, by, at, most);
  },
});

/** Progress, and the next works to decide about; `chosen` comes first. */
export async function screened(
  run: AskedRun,
  by: string,
  at: z.output<typeof phase> = 'title-abstract',
  most = 1,
  chosen?: string,
) {
  const screening = run.screening();
  await screening.ready();
  const first = chosen === undefined ? undefined : screening.candidate(chosen, by);
  const next = screening.next(by, { phase: at, limit: most }).filter(({ work }) => work !== first?.work);
  const conflicts = screening.conflicts(at).slice(0, MOST_SHOWN);
  const status = screening.status();
  const { works, included, excluded, undecided } = status.phases[at];
  const items = [...(first ? [first] : []), ...next].slice(0, most);
  const list = [];
  for (const each of items) list.push(shownAs(each, await documentOf(run, each.work)));
  return {
    head: {
      run: run.id,
      ...(status as unknown as Omit<z.output<typeof head>, 'run' | 'conflicts'>),
      conflicts: conflicts.map(({ work, decisions }) => ({
        work,
        title: screening.record(work).title,
        decisions: [...decisions],
      })),
    },
    summary: `${works} works, ${included} included, ${excluded} excluded, ${undecided} undecided. ${status.protocol.criteria}`,
    items: list,
  };
}

async function documentOf({ corpus }: AskedRun, id: string): Promise<string | null> {
  const work = await corpus.library.work(id);
  return work?.hasText ? work.document : null;
}

function shownAs({ work, rank, isSampled, record, decisions }: Candidate, document: string | null) {
  return {
    work,
    rank,
    is_sampled: isSampled,
    title: record.title,
    abstract: record.abstract ?? '',
    authors: record.authors.map(({ name }) => name),
    year: Number(record.date?.slice(0, 4)) || null,
    venue: record.venue,
    doi: record.ids.doi,
    document,
    decisions: [...decisions],
  };
}
