import { z } from 'zod';

import { AppError } from '../../base/index.ts';
import { CHOICES, PHASES } from '../../screen/index.ts';
import type { McpRun } from '../tool.ts';
import { runsNamed, tool, workLine } from '../tool.ts';

const BY = z.string().trim().min(1).max(100).describe('The reviewer: each decision is logged with this name.');
const PHASE = z.enum(PHASES).default('title-abstract');
const TEXT = z.string().max(4_000).optional();
const LIMIT = z.int().min(1).max(20);
const head = z.object({
  run: z.string(),
  works: z.number(),
  included: z.number(),
  excluded: z.number(),
  undecided: z.number(),
  conflicts: z.number(),
  criteria: z.string(),
  reasons: z.array(z.string()).describe('Reasons to exclude a work that the protocol names.'),
  recall_at_least: z.number().nullable().describe('Promised with 95 % confidence; null without a random sample.'),
  may_stop: z.boolean().describe('With 95 % confidence at least 95 % of the relevant works are found.'),
});
const candidate = z.object({
  work: z.string(),
  rank: z.number(),
  title: z.string().nullable(),
  authors: z.array(z.string()),
  year: z.number().nullable(),
  abstract: z.string(),
});

/** The answer of both tools: progress, and the next works. */
const ANSWERS = {
  head: head.shape,
  list: 'next',
  item: candidate.shape,
  text: 'abstract',
  line: ({ work, rank, abstract, ...about }: z.output<typeof candidate>) =>
    `${workLine(about)}\nwork ${work} · rank ${rank}\n${abstract}`,
} as const;

export const screeningTool = tool({
  name: 'screening',
  title: 'Screening progress',
  description: 'Shows how far the screening of a corpus is and which works a reviewer should decide about next.',
  input: { by: BY, phase: PHASE, limit: LIMIT.default(5) },
  ...ANSWERS,
  ask: async ({ run, by, phase, limit }, runs) => await answer(oneRun(run, runs), by, phase, limit),
});

/** Offered only where control is allowed. */
export const decideTool = tool({
  name: 'decide',
  title: 'Decide about a work',
  description: 'Logs the decision of a reviewer about one work; undo takes the last one back. Answers like screening.',
  input: {
    by: BY,
    phase: PHASE,
    work: z.string().max(2_048).optional().describe('Required unless the decision is undo.'),
    decision: z.enum([...CHOICES, 'undo']),
    reason: TEXT.describe('Why it is excluded; required for full texts.'),
    note: TEXT,
    limit: LIMIT.default(1),
  },
  ...ANSWERS,
  async ask({ run, by, phase, work, decision, reason, note, limit }, runs) {
    const named = oneRun(run, runs);
    if (decision === 'undo') named.screening().undo(by, phase);
    else if (work === undefined) throw new AppError('USAGE_WORK', 'no work given', { hint: 'use an id of screening' });
    else named.screening().decide({ work, decision, by, phase, reason, note });
    return await answer(named, by, phase, limit);
  },
});

function oneRun(name: string | undefined, runs: readonly McpRun[]): McpRun {
  const [first, second] = runsNamed(name, runs);
  if (first && !second) return first;
  throw new AppError('USAGE_RUN', 'several corpora are open', { hint: `run is one of ${runs.map(({ id }) => id).join(', ')}` }); // prettier-ignore
}

async function answer(run: McpRun, by: string, phase: (typeof PHASES)[number], limit: number) {
  const screening = run.screening();
  await screening.ready();
  const { phases, protocol, sample } = screening.status();
  const { works, included, excluded, undecided, conflicts } = phases[phase];
  const { criteria, reasons } = protocol;
  return {
    head: {
      run: run.id,
      works,
      included,
      excluded,
      undecided,
      conflicts,
      criteria,
      reasons: [...reasons],
      recall_at_least: sample?.recallAtLeast ?? null,
      may_stop: sample?.isReached ?? false,
    },
    summary: `${works} works, ${included} included, ${excluded} excluded, ${undecided} undecided. ${criteria}`,
    items: screening.next(by, { phase, limit }).map(({ work, rank, record }) => ({
      work,
      rank,
      title: record.title,
      authors: record.authors.map(({ name }) => name).slice(0, 5),
      year: Number(record.date?.slice(0, 4)) || null,
      abstract: record.abstract ?? '',
    })),
  };
}
